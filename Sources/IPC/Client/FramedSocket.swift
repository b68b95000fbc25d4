import FaceCore
import Posix
import Wire

/// The failure of a call on a connection.
enum ExchangeFailure: Error {
  /// The engine was gone before any byte was sent, or has said that it does not serve the call; the same call
  /// may be made on a new connection.
  case unsent(Status)
  case failed(Status)

  var status: Status {
    switch self {
    case .unsent(let status), .failed(let status): status
    }
  }
}

/// A connected socket on which several threads send whole frames, one at a time. The socket's user decides
/// which thread reads.
final class FramedSocket: Sendable {
  private struct State {
    var isSending = false
    /// Frames to be sent for which no thread waits.
    var queued: [[UInt8]] = []
    /// Why nothing more can be sent.
    var failure: Status?
  }

  let path: SocketPath
  let unixSocket: UnixSocket
  /// A forked child shares the socket and would read its parent's answers.
  private let owner = CurrentProcess.id
  private let state = Monitor(State())
  private let sendingEnded = Condition()

  /// Connects. Also throws errors of `EngineAddress.check`, before anything is sent.
  init(_ address: EngineAddress, _ token: CancellationToken) throws(Status) {
    path = address.path
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

  /// The longest attempt to connect: a cancel cannot interrupt it.
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

  /// Runs `body`, which sends, while no other thread does.
  func whileSending<Value>(
    _ token: CancellationToken, _ body: () throws(ExchangeFailure) -> Value
  ) throws(ExchangeFailure) -> Value {
    let isFree = try token.wait(in: state, for: sendingEnded) { (state) throws(ExchangeFailure) -> Bool? in
      if let failure = state.failure { throw .unsent(failure) }
      if state.isSending { return nil }
      state.isSending = true
      return true
    }
    guard isFree != nil else { throw .failed(token.failure) }
    defer { finishSending(token) }
    return try body()
  }

  /// Sends a control frame without blocking on other senders: at once if no other thread is sending,
  /// otherwise that thread sends it, too.
  ///
  /// Waits for room no longer than `sendTimeout`; after that, the frame is sent with the next one.
  func sendQueued(_ frame: [UInt8]) {
    let maySend = state.withLock { state in
      guard state.failure == nil else { return false }
      state.queued.append(frame)
      defer { state.isSending = true }
      return !state.isSending
    }
    if maySend { finishSending(CancellationToken(timeout: Self.sendTimeout)) }
  }

  /// The longest wait for room.
  private static let sendTimeout: TimeSpan = .milliseconds(10)

  /// Sends the queued frames, then lets another thread send.
  private func finishSending(_ token: CancellationToken) {
    while let frame = nextQueued() {
      do throws(ExchangeFailure) {
        try send(frame, token)
      } catch {
        state.withLock { state in
          state.queued.insert(frame, at: 0)
          state.isSending = false
        }
        break
      }
    }
    sendingEnded.wakeOne()
  }

  /// The next queued frame. `nil` if there is none; then sending has ended.
  private func nextQueued() -> [UInt8]? {
    state.withLock { state in
      if state.failure == nil, !state.queued.isEmpty { return state.queued.removeFirst() }
      state.isSending = false
      return nil
    }
  }

  /// Sends a frame that is not a call.
  /// - Parameter memory: memory whose descriptor is sent with the frame.
  func sendControl(
    _ frame: [UInt8], with memory: MemoryBlock? = nil, _ token: CancellationToken
  ) throws(ExchangeFailure) {
    try whileSending(token) { () throws(ExchangeFailure) in try send(frame, with: memory, token) }
  }

  /// Sends a frame. Only within `whileSending`.
  func send(
    _ frame: [UInt8], with memory: MemoryBlock? = nil, _ token: CancellationToken
  ) throws(ExchangeFailure) {
    var sent = 0
    while sent < frame.count {
      let transfer = attempt { () throws(Status) in
        try frame.span.withUnsafeBytes { (bytes) throws(Status) in
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
          // The descriptor goes with the first byte.
          if let memory, sent == 0 { return try unixSocket.write(rest, passing: memory.file.descriptor) }
          return try unixSocket.write(rest)
        }
      }
      switch transfer {
      case .success(.bytes(let count)): sent += count
      case .success(.notNow):
        let ready = attempt { () throws(Status) in try unixSocket.wait(for: .write, until: token.deadline) }
        if case .success(true) = ready { continue }
        if sent == 0 { throw .failed(CancellationToken.unanswered) }
        // Half a frame was sent: the engine could not understand anything after it.
        lose(Status(.unavailable, "another call timed out while it was being sent; repeat this call"))
        throw .failed(CancellationToken.unanswered)
      case .success(.ended), .failure:
        let gone = Status(.unavailable, "the engine at \(path) is gone; start it again and repeat the call")
        if sent == 0 {
          fail(gone)
          throw .unsent(gone)
        }
        // The engine may have sent a reason before it went; the reading thread finds it.
        return
      }
    }
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
    let reason = state.withLock { state in
      if state.failure == nil { state.failure = status }
      return state.failure ?? status
    }
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

  private var parser = FrameParser(limit: FrameHeader.maxLength)
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
    var frames: [Frame] = []
    var offset = 0
    // A second reference, so that the parser may change while the bytes are borrowed.
    let received = buffer
    while let event = parser.next(received.span.extracting(0..<count), &offset) {
      guard case .frame(let frame) = event, let type = FrameType(rawValue: frame.header.type),
        type != .request
      else {
        throw Status(
          .dataLoss, "the engine sent an invalid response; check that a FaceEngine listens at that socket")
      }
      frames.append(frame)
    }
    return .frames(frames)
  }
}
