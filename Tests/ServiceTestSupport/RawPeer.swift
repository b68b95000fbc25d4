public import FaceCore
public import Posix
public import Wire

/// A peer that sends whatever bytes a test likes and reads whole frames.
public final class RawPeer {
  private var socket: UnixSocket?
  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private var ready: [Frame] = []

  public init(_ path: String) throws(Status) {
    socket = try UnixSocket(connectingTo: try SocketPath(path))
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
        _ = try withSocket { (socket) throws(Status) in try socket.wait(for: .write, until: .never) }
      case .ended: return false
      }
    }
    return true
  }

  /// As much of `bytes` as the engine takes without waiting.
  public func sendSome(_ bytes: [UInt8]) throws(Status) -> Transfer {
    try bytes.span.withUnsafeBytes { (buffer) throws(Status) in
      try withSocket { (socket) throws(Status) in try socket.write(buffer) }
    }
  }

  /// The next frame; `nil` when the engine has closed the connection.
  public func receive() throws(Status) -> Frame? {
    while ready.isEmpty {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      var span = buffer.mutableSpan
      let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in
        try withSocket { (socket) throws(Status) in
          _ = try socket.wait(for: .read, until: .never)
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

  /// The status of the next response, `nil` for OK; throws when the engine closed instead.
  public func receiveStatus() throws(Status) -> (stream: UInt32, failure: Status?) {
    guard let frame = try receive() else { throw Status(.unavailable, "closed") }
    return (frame.header.stream, try ResponseEnvelope(decoding: frame.body.span).failure)
  }

  public func close() {
    socket = nil
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
