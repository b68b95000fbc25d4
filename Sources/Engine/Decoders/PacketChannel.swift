import FaceCore
import Posix

/// Exchanges values, texts and memory with another process of the same program and machine, one message each.
///
/// One thread at a time.
final class PacketChannel {
  enum Received<Value: BitwiseCopyable> {
    case value(Value, text: String)
    /// Nothing came in time.
    case nothing
    /// The other process has ended, or sent what is no message of this kind.
    case ended
  }

  private static let maxBytes = 1024
  /// The most bytes of a message without a value.
  private static let maxPart = 32 << 10

  private let socket: UnixSocket
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maxBytes, alignment: 16)
  /// The descriptor that came with the last message.
  private var passed: Descriptor?

  init(_ socket: consuming UnixSocket) { self.socket = socket }

  deinit { buffer.deallocate() }

  /// The number of the socket, to wait for several channels.
  var pollableDescriptor: Int32 { socket.pollableDescriptor }

  /// Whether the other process has closed its end, or this one was shut down.
  var isAbandoned: Bool { socket.isAbandoned }

  /// Makes both processes see the end of the channel. Any thread.
  func shutDown() { socket.shutDown() }

  /// Sends a value, and a text that is cut where it is too long.
  /// - Parameter deadline: until when to wait for room, if the other process does not read.
  /// - Returns: whether the other process is there, and there was room.
  func send<Value: BitwiseCopyable>(
    _ value: Value, text: String = "", until deadline: MonotonicTime = .never
  ) throws(Status) -> Bool {
    try send(PacketChannel.message(value, text), deadline) { (bytes) throws(Status) in try socket.write(bytes)
    }
  }

  /// Sends a value, and a copy of a descriptor.
  /// - Returns: whether the other process is there.
  func send<Value: BitwiseCopyable>(
    _ value: Value, passing descriptor: borrowing Descriptor
  ) throws(Status) -> Bool {
    let raw = descriptor.raw
    return try send(PacketChannel.message(value, ""), .never) { (bytes) throws(Status) in
      try socket.write(bytes, passing: raw)
    }
  }

  private func send(
    _ message: [UInt8], _ deadline: MonotonicTime,
    _ write: (UnsafeRawBufferPointer) throws(Status) -> Transfer
  ) throws(Status) -> Bool {
    while true {
      let outcome = message.withUnsafeBytes { bytes in Result { () throws(Status) in try write(bytes) } }
      switch try outcome.get() {
      case .bytes: return true
      case .ended: return false
      case .notNow: guard try socket.wait(for: .write, until: deadline) else { return false }
      }
    }
  }

  private static func message<Value: BitwiseCopyable>(_ value: Value, _ text: String) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) } + text.utf8.prefix(maxBytes - MemoryLayout<Value>.size)
  }

  /// Waits for a message until `deadline`.
  func receive<Value: BitwiseCopyable>(
    _: Value.Type, until deadline: MonotonicTime
  ) throws(Status) -> Received<Value> {
    while try socket.wait(for: .read, until: deadline) {
      passed = nil
      let received = try socket.receive(into: buffer) { (descriptor: consuming Descriptor) in
        self.passed = consume descriptor
      }
      switch received.transfer {
      case .notNow: continue
      case .ended: return .ended
      case .bytes(let count):
        let size = MemoryLayout<Value>.size
        guard count >= size else { return .ended }
        return .value(
          buffer.loadUnaligned(as: Value.self), text: String(decoding: buffer[size..<count], as: UTF8.self))
      }
    }
    return .nothing
  }

  /// Sends bytes, as many messages as need be.
  /// - Parameter check: called often while the other process reads nothing; its error ends the sending.
  /// - Returns: whether the other process is there.
  func send(_ bytes: UnsafeRawBufferPointer, _ check: () throws(Status) -> Void) throws(Status) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      switch try socket.write(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.maxPart))) {
      case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      case .ended: return false
      case .notNow:
        _ = try socket.wait(for: .write, until: MonotonicTime.now() + Self.step)
        try check()
      }
    }
    return true
  }

  /// Fills memory with the bytes that the other process sends.
  /// - Parameter check: as of `send`.
  /// - Returns: whether all came.
  func receive(
    into bytes: UnsafeMutableRawBufferPointer, _ check: () throws(Status) -> Void
  ) throws(Status) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      switch try socket.read(into: rest) {
      case .bytes(let count): rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(count))
      case .ended: return false
      case .notNow:
        _ = try socket.wait(for: .read, until: MonotonicTime.now() + Self.step)
        try check()
      }
    }
    return true
  }

  /// The time between two checks.
  private static let step: TimeSpan = .milliseconds(2)

  func takeDescriptor() -> Descriptor? { passed.take() }

  /// Takes the channel whose socket came with the last message.
  func takeChannel() -> PacketChannel? {
    guard let descriptor = takeDescriptor() else { return nil }
    return PacketChannel(UnixSocket(descriptor))
  }
}
