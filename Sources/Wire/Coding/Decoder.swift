import CProtocol
import FaceCore

extension Arena {
  /// A message with every field at its default.
  func message<Value: Message>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    let message = allocate(type)
    Value.initialize(message)
    return message
  }
}

enum Decoder {
  /// Runs `body` on the message that `bytes` hold. It lives, and what it points at, until `body` returns.
  ///
  /// Throws `invalidArgument` when the bytes are no such message, `resourceExhausted` when it would cost too much.
  /// - Parameter growth: how many times its own size the message may cost decoded. One is enough where all that
  ///   varies are bytes and texts; 64 KiB come on top, for what is fixed and what only later versions know.
  static func decode<Value: Message, Result>(
    _ type: Value.Type, _ bytes: Span<UInt8>, growth: Int = 1, _ body: (Value) throws(Status) -> Result
  ) throws(Status) -> Result {
    let arena = Arena(cap: bytes.count * growth + (64 << 10))
    var allocator = arena.allocator
    var prototype = Value()
    Value.initialize(&prototype)
    let descriptor = prototype.base.descriptor
    let message = bytes.withUnsafeBufferPointer { buffer in
      protobuf_c_message_unpack(descriptor, &allocator, buffer.count, buffer.baseAddress)
    }
    guard let message else {
      let name = descriptor.map { String(cString: $0.pointee.name) } ?? "message"
      if arena.isExhausted {
        throw Status(
          .resourceExhausted, "the \(name) has too many fields that this engine does not know; leave them out"
        )
      }
      throw Status(
        .invalidArgument, "the payload is not a \(name); encode it with the engine's face_engine.proto")
    }
    defer { withExtendedLifetime(arena) {} }
    return try body(UnsafeRawPointer(message).assumingMemoryBound(to: Value.self).pointee)
  }

  /// Throws `invalidArgument` when a text is not UTF-8.
  static func text(_ text: UnsafePointer<CChar>?, _ field: StaticString) throws(Status) -> String {
    guard let text else { return "" }
    guard let string = String(validatingCString: text) else {
      throw Status(.invalidArgument, "\(field) is not UTF-8; send text", .field("\(field)"))
    }
    return string
  }

  /// Throws `invalidArgument` when one of `count` texts is not UTF-8.
  static func texts(
    _ texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int, _ field: StaticString
  ) throws(Status) -> [String] {
    var strings: [String] = []
    guard let texts else { return strings }
    for index in 0..<count { strings.append(try text(texts[index], field)) }
    return strings
  }

  /// Throws `invalidArgument` when a number is infinite or none.
  static func finite(_ value: Float, _ field: StaticString) throws(Status) -> Float {
    guard value.isFinite else {
      throw Status(.invalidArgument, "\(field) is \(value); send a finite number", .field("\(field)"))
    }
    return value
  }
}
