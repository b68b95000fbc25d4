import CProtocol
import FaceCore

enum Decoder {
  /// Calls `body` with the message encoded in `bytes`. The message and everything it points to are valid
  /// until `body` returns.
  ///
  /// Throws `invalidArgument` if the bytes are not such a message, `resourceExhausted` if decoding would take
  /// too much memory.
  /// - Parameters:
  ///   - growth: the limit for the decoded size, as a multiple of the encoded size. 1 is enough if only bytes
  ///     and texts vary.
  ///   - room: bytes in addition, for fixed fields and those known only to later versions.
  ///   - request: the path of the message in its request, "" for the request itself, if fields that are not known here
  ///     are refused with `unimplemented`; `nil` to ignore them.
  static func decode<Value: Message, Result>(
    _ type: Value.Type, _ bytes: Span<UInt8>, growth: Int = 1, room: Int = 64 << 10, request: String? = nil,
    _ body: (Value) throws(Status) -> Result
  ) throws(Status) -> Result {
    let arena = Arena(cap: bytes.count * growth + room)
    var allocator = arena.allocator
    let descriptor = Value.descriptor
    let message = bytes.withUnsafeBufferPointer { buffer in
      protobuf_c_message_unpack(descriptor, &allocator, buffer.count, buffer.baseAddress)
    }
    guard let message else {
      let name = String(cString: descriptor.pointee.name)
      if arena.isExhausted {
        throw Status(
          .resourceExhausted,
          "the \(name) has too many repeated or unknown fields; leave them out"
        )
      }
      throw Status(
        .invalidArgument, "the payload is not a \(name); encode it with the engine's face_engine.proto")
    }
    defer { withExtendedLifetime(arena) {} }
    if let fault = try findFault(in: bytes, 0..<bytes.count, of: descriptor, allowsUnknown: request == nil) {
      throw fault.status(in: request ?? "")
    }
    return try body(UnsafeRawPointer(message).assumingMemoryBound(to: Value.self).pointee)
  }

  /// What protobuf-c accepts and this engine does not.
  private struct Fault {
    enum Kind { case nul, unknown }
    let kind: Kind
    /// Of the field in the message, as in "options.model"; a field that is not known has its number for a name.
    var path: String

    func status(in message: String) -> Status {
      let path = UnknownField.path(self.path, in: message)
      switch kind {
      case .nul:
        return Status(.invalidArgument, "\(path) has a NUL byte in it; send text without one", .field(path))
      case .unknown: return UnknownField.status(path)
      }
    }
  }

  /// Finds a text that protobuf-c's C string would cut short ("centerface\0xyz" would be centerface), or a field that
  /// is not known here.
  private static func findFault(
    in bytes: Span<UInt8>, _ range: Range<Int>, of descriptor: UnsafePointer<ProtobufCMessageDescriptor>,
    allowsUnknown: Bool
  ) throws(Status) -> Fault? {
    var scanner = ProtobufScanner(range, of: "message")
    while let next = try scanner.next(bytes) {
      guard let field = protobuf_c_message_descriptor_get_field(descriptor, UInt32(next.number)) else {
        if allowsUnknown { continue }
        return Fault(kind: .unknown, path: "\(next.number)")
      }
      guard case .bytes(let part) = next.value else { continue }
      switch field.pointee.type {
      case PROTOBUF_C_TYPE_STRING:
        guard bytes.extracting(part).withUnsafeBufferPointer({ $0.contains(0) }) else { continue }
        return Fault(kind: .nul, path: String(cString: field.pointee.name))
      case PROTOBUF_C_TYPE_MESSAGE:
        let inner = field.pointee.descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
        if var fault = try findFault(in: bytes, part, of: inner, allowsUnknown: allowsUnknown) {
          fault.path = "\(String(cString: field.pointee.name)).\(fault.path)"
          return fault
        }
      default: continue
      }
    }
    return nil
  }

  /// Throws `invalidArgument` if the text is not UTF-8.
  static func text(_ text: UnsafePointer<CChar>?, _ field: StaticString) throws(Status) -> String {
    guard let text else { return "" }
    guard let string = String(validatingCString: text) else {
      throw Status(.invalidArgument, "\(field) is not UTF-8; send text", .field("\(field)"))
    }
    return string
  }

  static func bytes(_ bytes: ProtobufCBinaryData) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes.data, count: bytes.len))
  }

  static func finite(_ value: Float, _ field: StaticString) throws(Status) -> Float {
    guard value.isFinite else {
      throw Status(.invalidArgument, "\(field) is \(value); send a finite number", .field("\(field)"))
    }
    return value
  }
}

/// Allocates the memory of one message in small steps and frees it all at once.
///
/// protobuf-c allocates here. A message that takes far more memory decoded than encoded is thus refused (an
/// unknown field of 2 bytes takes 48), and no error path leaks.
final class Arena {
  private static let blockSize = 1024
  private static let alignment = 16

  private let cap: Int
  private var used = 0
  private var blocks: [UnsafeMutableRawPointer] = []
  private var next = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Whether memory was refused because of `cap`.
  private(set) var isExhausted = false

  /// - Parameter cap: the most bytes in all.
  init(cap: Int = .max) {
    self.cap = cap
  }

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// Returns uninitialised memory; `nil` beyond the cap.
  func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard size >= 0, size <= cap - used else {
      isExhausted = true
      return nil
    }
    let rounded = (size + Self.alignment - 1) & ~(Self.alignment - 1)
    used += rounded
    if rounded > Self.blockSize / 2 { return newBlock(rounded) }
    if rounded > next.count {
      next = UnsafeMutableRawBufferPointer(start: newBlock(Self.blockSize), count: Self.blockSize)
    }
    let start = next.baseAddress
    next = UnsafeMutableRawBufferPointer(rebasing: next.dropFirst(rounded))
    return start
  }

  private func newBlock(_ size: Int) -> UnsafeMutableRawPointer {
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.alignment)
    blocks.append(block)
    return block
  }

  /// Allocates values of a C type; only for arenas without a cap.
  func allocate<Value>(_ type: Value.Type, count: Int = 1) -> UnsafeMutablePointer<Value> {
    let size = MemoryLayout<Value>.stride * max(1, count)
    return (allocate(size) ?? newBlock(size)).bindMemory(to: type, capacity: count)
  }

  /// Copies `text` as a C string.
  func string(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8CString
    let start = allocate(CChar.self, count: bytes.count)
    for (index, byte) in bytes.enumerated() { start[index] = byte }
    return start
  }

  /// Copies `bytes` as protobuf-c's type.
  func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    let start = allocate(UInt8.self, count: bytes.count)
    _ = UnsafeMutableBufferPointer(start: start, count: bytes.count).update(fromContentsOf: bytes)
    return ProtobufCBinaryData(len: bytes.count, data: start)
  }

  /// The allocator for protobuf-c, valid as long as the arena.
  var allocator: ProtobufCAllocator {
    ProtobufCAllocator(
      alloc: { data, size in
        guard let data else { return nil }
        let size = Int(exactly: size) ?? .max
        return Unmanaged<Arena>.fromOpaque(data).takeUnretainedValue().allocate(size)
      },
      free: { _, _ in },
      allocator_data: Unmanaged.passUnretained(self).toOpaque())
  }
}
