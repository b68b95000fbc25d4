package import FaceCore
package import Posix
import Wire

/// The running engine whose place this process takes, on a connection of its own; see PROTOCOL.md, "Taking
/// over".
///
/// Until `takeSocket`, nothing changes for that engine. It resumes serving if this process ends, or releases
/// this object, before the engine has finished its calls.
package final class Predecessor: Sendable {
  /// The time limit for its answers.
  private static let timeout: TimeSpan = .seconds(10)

  private let socket: FramedSocket
  private let wakeup: Wakeup
  /// Opened before this process enters its sandbox, and passed with BEGIN.
  private let folder: Descriptor

  /// Connects. Throws like `Client.init`.
  /// - Parameter user: see `ClientOptions.engineUser`.
  package init(socket path: String, user: UInt32?) throws(Status) {
    let token = CancellationToken(timeout: Self.timeout)
    let path = try SocketPath(path)
    socket = try FramedSocket(EngineAddress(path: path, user: user), token)
    folder = try SocketFile.openFolder(of: path)
    wakeup = try Wakeup()
    var reader = FrameReader()
    _ = try Handshake.perform(on: socket, &reader, or: wakeup, requesting: [], token)
  }

  /// Data received with an answer.
  private final class Received {
    var first: Descriptor?
    var second: Descriptor?

    func keep(_ descriptor: consuming Descriptor) {
      if first == nil { first = consume descriptor } else { second = consume descriptor }
    }
  }

  /// Makes the engine hand over its socket. From then on this process has to accept connections.
  ///
  /// Throws `permissionDenied` unless this user may administer the engine here, `unimplemented` if the engine is
  /// too old, and `unavailable` if it is stopping or gone.
  /// - Parameter counters: receives the engine's counters so far.
  package func takeSocket(_ counters: inout EngineCounters) throws(Status) -> SocketFile {
    let received = Received()
    let response = try call(.begin, stream: 3, received, until: MonotonicTime.deadline(after: Self.timeout))
    guard let listening = received.first.take() else {
      throw Status(
        .failedPrecondition, "the running engine handed over no socket; stop it, and start another one")
    }
    counters = response.counters
    return try SocketFile.received(
      at: socket.path, listening, lock: received.second.take(), isEngines: response.ownsSocketFile)
  }

  /// Waits until the engine has finished its calls.
  /// - Returns: its final counters; `nil` if it ended without sending them.
  package func waitForEnd() -> EngineCounters? {
    try? call(.end, stream: 5, Received(), until: .never).counters
  }

  private func call(
    _ step: TakeOverCall.Step, stream: UInt32, _ received: Received, until deadline: MonotonicTime
  ) throws(Status) -> TakeOverCall.Response {
    try send(step, stream: stream)
    var parser = FrameParser(limit: FrameHeader.maxLength)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while try socket.unixSocket.wait(for: .read, until: deadline) {
      let outcome = try socket.unixSocket.receive(into: buffer) { (descriptor: consuming Descriptor) in
        received.keep(descriptor)
      }
      guard case .bytes(let count) = outcome.transfer else {
        if outcome.transfer == .notNow { continue }
        throw gone
      }
      var offset = 0
      let bytes = UnsafeRawBufferPointer(rebasing: buffer.prefix(count)).bindMemory(to: UInt8.self)
      while let event = parser.next(bytes.span, &offset) {
        guard case .frame(let frame) = event, frame.header.stream == stream else { continue }
        return try Client.value(of: frame.body, TakeOverCall.response)
      }
    }
    throw CancellationToken.unanswered
  }

  /// Sends a request. Nothing else is sent on this connection, so it has room for one.
  private func send(_ step: TakeOverCall.Step, stream: UInt32) throws(Status) {
    let frame = try TakeOverCall.requestFrame(CallHeader(stream: stream), step)
    let transfer = try frame.span.withUnsafeBytes { (bytes) throws(Status) in
      step == .begin
        ? try socket.unixSocket.write(bytes, passing: folder) : try socket.unixSocket.write(bytes)
    }
    guard transfer == .bytes(frame.count) else { throw gone }
  }

  private var gone: Status {
    Status(.unavailable, "the running engine at \(socket.path) is gone; start again without --take-over")
  }
}
