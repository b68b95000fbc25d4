package import FaceCore
package import Posix
import Wire

/// The running engine whose place this process takes, on a connection of its own; see PROTOCOL.md, "Taking
/// over".
///
/// Until `begin`, nothing changes for that engine. It resumes serving if this process ends, or releases
/// this object, before the engine has finished its calls.
package final class Predecessor: Sendable {
  /// The time limit for its answers.
  private static let timeout: TimeSpan = .seconds(10)
  /// The time between two attempts to find an engine, or a socket that none has.
  private static let pause: TimeSpan = .milliseconds(10)

  private let socket: FramedSocket

  /// Connects. Throws like `Client.init`.
  /// - Parameter user: see `ClientOptions.engineUser`.
  package init(socket path: String, user: UInt32?) throws(Status) {
    let token = CancellationToken(timeout: Self.timeout)
    let path = try SocketPath(path)
    do throws(Status) {
      socket = try FramedSocket(EngineAddress(path: path, user: user), token)
      var reader = FrameReader()
      _ = try Handshake.perform(on: socket, &reader, or: try Wakeup(), requesting: [], token)
    } catch {
      throw error.code == .deadlineExceeded ? Self.silence(path) : error
    }
  }

  /// Prepares to take the place of the engine at `path`, or claims the socket if there is none. Waits for the end of an
  /// engine there that stops.
  ///
  /// Throws as `init`, `prepare` and `claim`.
  /// - Parameters:
  ///   - deadline: when to give up the wait; then `alreadyExists` is thrown.
  ///   - predecessor: receives the engine, if there is one.
  package static func socketFile(
    at path: String, until deadline: MonotonicTime, _ predecessor: inout Predecessor?,
    _ counters: inout EngineCounters, orClaim claim: () throws(Status) -> SocketFile
  ) throws(Status) -> SocketFile {
    while true {
      do throws(Status) {
        let found = try Predecessor(socket: path, user: nil)
        let file = try found.prepare(&counters)
        predecessor = found
        return file
      } catch {
        guard error.code == .unavailable else { throw error }
      }
      // It may have ended, but not released its lock yet.
      do throws(Status) {
        return try claim()
      } catch {
        guard error.code == .alreadyExists, !deadline.isPast else { throw error }
      }
      CurrentProcess.sleep(for: Self.pause)
    }
  }

  /// Data received with an answer.
  private final class Received {
    var first: Descriptor?
    var second: Descriptor?

    func keep(_ descriptor: consuming Descriptor) {
      if first == nil { first = consume descriptor } else { second = consume descriptor }
    }
  }

  /// Receives the engine's socket, which leads to this process if the engine ends. It serves until then, or `begin`.
  ///
  /// Throws `permissionDenied` unless this user may administer the engine here, `unimplemented` or `invalidArgument` if
  /// the engine is too old, `failedPrecondition` if another take-over is not over yet, and `unavailable` if the engine
  /// is stopping or gone.
  /// - Parameter counters: receives the engine's counters so far.
  package func prepare(_ counters: inout EngineCounters) throws(Status) -> SocketFile {
    let received = Received()
    let folder = try SocketFile.openFolder(of: socket.path)
    let response = try call(.prepare, stream: 3, received, .deadline(after: Self.timeout)) {
      (bytes) throws(Status) in try socket.unixSocket.write(bytes, passing: folder)
    }
    guard let listening = received.first.take() else {
      throw Status(
        .failedPrecondition, "the running engine handed over no socket; stop it, and start another one")
    }
    counters = response.counters
    return try SocketFile.received(
      at: socket.path, listening, lock: received.second.take(), isEngines: response.ownsSocketFile)
  }

  /// Makes the engine accept no more connections. From then on this process has to.
  ///
  /// Throws `unavailable` if the engine has ended: this process owns the socket's file then.
  /// - Parameter counters: receives the engine's counters so far.
  package func begin(_ counters: inout EngineCounters) throws(Status) {
    counters = try call(.begin, stream: 5, Received(), .deadline(after: Self.timeout)).counters
  }

  /// Waits until the engine has finished its calls. Throws if it keeps serving, since this process did not serve in
  /// time.
  /// - Returns: its final counters; `nil` if it ended without sending them.
  package func waitForEnd() throws(Status) -> EngineCounters? {
    do throws(Status) {
      return try call(.end, stream: 7, Received(), .never).counters
    } catch {
      guard error.code == .unavailable else { throw error }
      return nil
    }
  }

  /// Makes the engine resume serving, if it has not ended. Any thread.
  package func release() { socket.unixSocket.shutDown() }

  private func call(
    _ step: TakeOverCall.Step, stream: UInt32, _ received: Received, _ deadline: MonotonicTime
  ) throws(Status) -> TakeOverCall.Response {
    try call(step, stream: stream, received, deadline) { (bytes) throws(Status) in
      try socket.unixSocket.write(bytes)
    }
  }

  /// - Parameter write: sends the request. Nothing else is sent on this connection, so it has room for one.
  private func call(
    _ step: TakeOverCall.Step, stream: UInt32, _ received: Received, _ deadline: MonotonicTime,
    _ write: (UnsafeRawBufferPointer) throws(Status) -> Transfer
  ) throws(Status) -> TakeOverCall.Response {
    let frame = try TakeOverCall.requestFrame(CallHeader(stream: stream), step)
    guard try frame.span.withUnsafeBytes(write) == .bytes(frame.count) else { throw gone }
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
    throw Self.silence(socket.path)
  }

  private static func silence(_ path: SocketPath) -> Status {
    Status(
      .deadlineExceeded,
      "the running engine at \(path) did not answer in \(timeout / .seconds(1)) s; resume it if it is stopped (SIGCONT), or "
        + "kill it, and start again")
  }

  private var gone: Status {
    Status(.unavailable, "the running engine at \(socket.path) is gone; start again without --take-over")
  }
}
