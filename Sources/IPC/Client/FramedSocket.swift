import FaceCore
import Posix
import Wire

/// A connected socket on which several threads send whole frames, one at a time. The socket's user decides
/// which thread reads.
final class FramedSocket: Sendable {
  let path: SocketPath
  let unixSocket: UnixSocket
  private let gone: Status
  /// A forked child shares the socket and would read its parent's answers.
  private let owner = CurrentProcess.id
  private let state = Monitor(SendQueue())
  private let sendingEnded = Condition()

  /// Connects. Also throws errors of `EngineAddress.check`, before anything is sent.
  init(_ address: EngineAddress, _ token: CancellationToken) throws(Status) {
    path = address.path
    gone = Status(.unavailable, "the engine at \(path) is gone; start it again and repeat the call")
    do throws(Status) {
      unixSocket = try Self.connect(path, token)
    } catch {
      guard error.code == .notFound || error.code == .unavailable else { throw error }
      if let kind = FileSystem.kindWhereNoSocket(is: path) {
        throw Status(
          .invalidArgument,
          "\(path) is a \(kind); give the path of an engine's socket, as in \(SocketPath.service)")
      }
      throw Status(
        .unavailable, "no engine listens at \(path); start one with: face-engine serve --socket \(path)")
    }
    try address.check(try unixSocket.peer())
  }

  /// The longest attempt to connect, or wait for room: a cancel cannot interrupt it.
  private static let attemptTime: TimeSpan = .milliseconds(100)

  /// Connects, and waits for an engine that accepts nothing, in attempts between which the token is checked.
  private static func connect(_ path: SocketPath, _ token: CancellationToken) throws(Status) -> UnixSocket {
    while true {
      do throws(Status) {
        return try UnixSocket(
          connectingTo: path, until: min(token.deadline, .deadline(after: attemptTime)))
      } catch {
        guard error.code == .deadlineExceeded else { throw error }
        if token.isCancelled { throw token.failure }
        if token.isOver { throw error }
      }
    }
  }

  /// Whether frames can be sent, as far as is known.
  var isUsable: Bool {
    owner == CurrentProcess.id && state.withLock { state in state.failure == nil }
  }

  /// Sends the frame that `make` returns, when no other thread sends. Throws if no byte of it was sent.
  /// - Parameter memory: memory whose descriptor is sent with the frame.
  /// - Returns: false if the call ended when a part was sent. The next sender sends the rest first.
  func send(
    with memory: MemoryBlock? = nil, _ token: CancellationToken,
    _ make: () throws(ExchangeFailure) -> [UInt8]
  ) throws(ExchangeFailure) -> Bool {
    try take(SendTurn(gone: gone), with: memory, token, make)
  }

  /// Sends a frame that is not a call.
  func sendControl(
    _ frame: [UInt8], with memory: MemoryBlock? = nil, _ token: CancellationToken
  ) throws(ExchangeFailure) {
    let isWhole = try send(with: memory, token) { frame }
    if !isWhole { throw .failed(token.failure) }
  }

  /// Sends a control frame without blocking on other senders: at once if no other thread is sending,
  /// otherwise that thread sends it, too.
  ///
  /// Waits for room no longer than `sendTimeout`; after that, the frame is sent before the next one.
  func sendQueued(_ frame: [UInt8]) {
    let turn = state.withLock { state in SendTurn(queuing: frame, in: &state, gone: gone) }
    guard let turn else { return }
    _ = try? take(turn, with: nil, CancellationToken(timeout: Self.sendTimeout)) { frame }
  }

  /// The longest wait for room.
  private static let sendTimeout: TimeSpan = .milliseconds(10)

  /// Does what a turn decides.
  private func take(
    _ turn: SendTurn, with memory: MemoryBlock?, _ token: CancellationToken,
    _ make: () throws(ExchangeFailure) -> [UInt8]
  ) throws(ExchangeFailure) -> Bool {
    var turn = turn
    while true {
      let step = token.wait(in: state, for: sendingEnded) { state -> SendTurn.Step? in
        let step = turn.next(&state, end: token.isOver ? token.failure : nil)
        if case .awaitTurn = step { return nil }
        return step
      }
      switch step {
      case .makeFrame: turn.made(Result(catching: make))
      case .write(let isStart):
        let transfer = write(turn.rest, with: isStart ? memory : nil)
        state.withLock { state in turn.wrote(transfer, &state) }
      case .awaitRoom: waitForRoom(token)
      case .done(let outcome):
        sendingEnded.wakeOne()
        return try outcome.get()
      // The call is over.
      case .awaitTurn, nil: break
      }
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>, with memory: MemoryBlock?) -> Transfer {
    let transfer = attempt { () throws(Status) in
      try bytes.span.withUnsafeBytes { (bytes) throws(Status) in
        if let memory { return try unixSocket.write(bytes, passing: memory.file.descriptor) }
        return try unixSocket.write(bytes)
      }
    }
    return (try? transfer.get()) ?? .ended
  }

  /// Waits until more can be sent, or for a moment: a cancel cannot interrupt it.
  private func waitForRoom(_ token: CancellationToken) {
    let end = token.canceller == nil ? .never : MonotonicTime.deadline(after: Self.attemptTime)
    // If that fails, the write finds the reason.
    _ = try? unixSocket.wait(for: .write, until: min(token.deadline, end))
  }

  /// Shuts the connection down; the reading thread notices its end.
  func lose(_ status: Status) {
    fail(status)
    unixSocket.shutDown()
  }

  /// Stops all sending. Only the first reason is kept.
  /// - Returns: the first reason.
  @discardableResult
  func fail(_ status: Status) -> Status {
    let reason = state.withLock { state in state.fail(status) }
    sendingEnded.wakeAll()
    return reason
  }
}

/// The result of a call with typed `throws`.
func attempt<Value>(_ body: () throws(Status) -> Value) -> Result<Value, Status> {
  Result(catching: body)
}

/// Reads frames from a connection. Held by one thread at a time.
struct FrameReader: Sendable {
  enum Outcome {
    /// Complete frames, possibly none yet.
    case frames([Frame])
    /// The deadline passed, or the reader was woken.
    case nothing
    case ended
  }

  private var collector = FrameCollector()
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  /// Waits for bytes and reads them. Throws `dataLoss` for data that no engine sends.
  /// - Parameter wakeup: ends the wait.
  mutating func read(
    _ socket: borrowing UnixSocket, or wakeup: borrowing Wakeup, until deadline: MonotonicTime
  ) throws(Status) -> Outcome {
    guard try socket.waitToRead(or: wakeup, until: deadline) == .readable else { return .nothing }
    var span = buffer.mutableSpan
    let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in try socket.read(into: bytes) }
    guard case .bytes(let count) = transfer else { return transfer == .ended ? .ended : .nothing }
    // A second reference, so that the collector may change while the bytes are borrowed.
    let received = buffer
    return .frames(try collector.frames(in: received.span.extracting(0..<count)))
  }
}
