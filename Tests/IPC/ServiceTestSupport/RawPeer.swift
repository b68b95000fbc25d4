public import FaceCore
import Glibc
public import Posix
public import Wire

/// A peer that sends any bytes and reads whole frames.
public final class RawPeer {
  private var socket: UnixSocket?
  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private var ready: [Frame] = []
  /// The server that lasts as long as this peer.
  private let server: TestServer?

  /// The time after which a waiting test gives up, so that none waits forever.
  private static var soon: MonotonicTime { .now() + .seconds(60) }

  public init(_ path: String) throws(Status) {
    socket = try UnixSocket(connectingTo: try SocketPath(path))
    server = nil
  }

  /// A peer of a server that no other one needs.
  public init(_ server: TestServer) throws(Status) {
    socket = try UnixSocket(connectingTo: try SocketPath(server.socket))
    self.server = server
  }

  /// Sends all of `bytes`, waiting for room; false when the engine is gone.
  @discardableResult
  public func send(_ bytes: [UInt8]) throws(Status) -> Bool {
    var sent = 0
    while sent < bytes.count {
      switch try bytes.span.withUnsafeBytes({ (buffer) throws(Status) in
        try withSocket { (socket) throws(Status) in
          try socket.write(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
        }
      }) {
      case .bytes(let count): sent += count
      case .notNow:
        let hasRoom = try withSocket { (socket) throws(Status) in
          try socket.wait(for: .write, until: Self.soon)
        }
        guard hasRoom else { throw Status(.deadlineExceeded, "the engine has read nothing for a minute") }
      case .ended: return false
      }
    }
    return true
  }

  /// Sends `bytes` with copies of `descriptor`, in one go. sendmsg(2), cmsg(3)
  public func send(_ bytes: [UInt8], passing descriptor: borrowing Descriptor, times: Int = 1) throws(Status) {
    let word = MemoryLayout<Int32>.size
    let head = MemoryLayout<cmsghdr>.size
    var header = cmsghdr()
    header.cmsg_len = head + times * word
    header.cmsg_level = SOL_SOCKET
    header.cmsg_type = Int32(SCM_RIGHTS)
    let control = UnsafeMutableRawBufferPointer.allocate(
      byteCount: head + (times * word + 7) / 8 * 8, alignment: 8)
    defer { control.deallocate() }
    control.storeBytes(of: header, as: cmsghdr.self)
    for index in 0..<times {
      control.storeBytes(of: descriptor.raw, toByteOffset: head + index * word, as: Int32.self)
    }
    let body = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { body.deallocate() }
    body.copyBytes(from: bytes)
    var part = iovec(iov_base: body.baseAddress, iov_len: bytes.count)
    let sent = try withSocket { (socket) throws(Status) in
      withUnsafeMutablePointer(to: &part) { part in
        var message = msghdr()
        message.msg_iov = part
        message.msg_iovlen = 1
        message.msg_control = control.baseAddress
        message.msg_controllen = control.count
        return sendmsg(socket.pollableDescriptor, &message, Int32(MSG_NOSIGNAL))
      }
    }
    guard sent == bytes.count else { throw Status(.unavailable, "the engine takes no more") }
  }

  /// Says Hello as stream 1.
  public func hello(_ features: [Feature] = Feature.allCases) throws(Status) -> HelloResponse {
    let request = HelloRequest(client: "test", features: features.map(\.rawValue))
    try send(try HelloCall.requestFrame(CallHeader(stream: 1), request))
    guard let frame = try receive() else { throw Status(.unavailable, "closed") }
    let envelope = try ResponseEnvelope(decoding: frame.body.span)
    if let failure = envelope.failure { throw failure }
    return try HelloCall.response(frame.body.span.extracting(envelope.payload))
  }

  /// Reads the next frame, which must be one that only engines send; throws if it is not or the engine
  /// closed.
  public func receiveControl() throws(Status) -> ControlFromEngine {
    guard let frame = try receive() else { throw Status(.unavailable, "closed") }
    guard let type = FrameType(rawValue: frame.header.type) else { throw Status(.unknown, "unknown type") }
    return try ControlFromEngine(type, stream: frame.header.stream, frame.body.span)
  }

  /// Reads the next frame, which must be an answer on a stream of frames; throws the stream's end.
  public func receiveWatch() throws(Status) -> FrameEvent {
    guard let frame = try receive() else { throw Status(.unavailable, "closed") }
    guard frame.header.type == FrameType.data.rawValue else {
      throw try ResponseEnvelope(decoding: frame.body.span).failure ?? Status(.ok, "the stream has ended")
    }
    return try WatchCall.response(frame.body.span)
  }

  /// Reads the next frame; `nil` if the engine has closed the connection.
  public func receive() throws(Status) -> Frame? {
    while ready.isEmpty {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      var span = buffer.mutableSpan
      let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in
        try withSocket { (socket) throws(Status) in
          guard try socket.wait(for: .read, until: Self.soon) else {
            throw Status(.deadlineExceeded, "the engine has said nothing for a minute")
          }
          return try socket.read(into: bytes)
        }
      }
      switch transfer {
      case .ended: return nil
      case .notNow: continue
      case .bytes(let count):
        var offset = 0
        while let event = parser.next(buffer.span.extracting(0..<count), &offset) {
          if case .frame(let frame) = event { ready.append(frame) }
        }
      }
    }
    return ready.removeFirst()
  }

  /// Reads the status of the next response, `nil` for OK; throws if the engine closed.
  public func receiveStatus() throws(Status) -> (stream: UInt32, failure: Status?) {
    guard let frame = try receive() else { throw Status(.unavailable, "closed") }
    return (frame.header.stream, try ResponseEnvelope(decoding: frame.body.span).failure)
  }

  public func close() {
    socket = nil
  }

  /// Ends sending, and still reads.
  public func finishWriting() throws(Status) {
    try withSocket { (socket) in socket.finishWriting() }
  }

  private func withSocket<Value>(
    _ body: (borrowing UnixSocket) throws(Status) -> Value
  ) throws(Status) -> Value {
    switch socket {
    case .some(let socket): return try body(socket)
    case nil: throw Status(.failedPrecondition, "this peer was closed by the test")
    }
  }
}
