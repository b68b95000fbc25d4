import FaceCore
import Posix
import Wire

/// Why an exchange came to nothing.
enum ExchangeFailure: Error {
  /// The engine was gone before any byte left; the same call may be made on a new connection.
  case unsent(Status)
  case failed(Status)

  var status: Status {
    switch self {
    case .unsent(let status), .failed(let status): status
    }
  }
}

/// A connected socket on which several threads send whole frames, one at a time. Who reads is the owner's affair.
final class FramedSocket: Sendable {
  private struct State {
    var isSending = false
    /// Frames that nobody waits for, yet to be sent.
    var unattended: [[UInt8]] = []
    /// Why nothing more can be sent.
    var failure: Status?
  }

  let path: SocketPath
  let socket: UnixSocket
  /// A fork has the same socket and would take its parent's answers.
  private let owner = CurrentProcess.id
  private let state = Monitor(State())
  private let sendingEnded = Condition()

  init(_ path: SocketPath, until deadline: MonotonicTime) throws(Status) {
    self.path = path
    do throws(Status) {
      socket = try UnixSocket(connectingTo: path, until: deadline)
    } catch {
      guard error.code == .notFound || error.code == .unavailable else { throw error }
      throw Status(
        .unavailable, "no engine listens at \(path); start one with: face-engine serve --socket \(path)")
    }
  }

  /// Whether frames can be sent, as far as is known.
  var isUsable: Bool {
    owner == CurrentProcess.id && state.withLock { state in state.failure == nil }
  }

  /// Runs `body`, which sends, while nobody else does.
  func whileSending<Value>(
    _ token: CancellationToken, _ body: () throws(ExchangeFailure) -> Value
  ) throws(ExchangeFailure) -> Value {
    let begun = try token.wait(in: state, for: sendingEnded) { (state) throws(ExchangeFailure) -> Bool? in
      if let failure = state.failure { throw .unsent(failure) }
      if state.isSending { return nil }
      state.isSending = true
      return true
    }
    guard begun != nil else { throw .failed(token.failure) }
    defer { endSending(token) }
    return try body()
  }

  /// Sends a control frame that nobody waits for: at once when nobody else sends, else whoever does sends it as well.
  ///
  /// Waits for room no longer than `sendTimeout`; what found none goes with the next frame.
  func sendUnattended(_ frame: [UInt8]) {
    let mayBegin = state.withLock { state in
      guard state.failure == nil else { return false }
      state.unattended.append(frame)
      defer { state.isSending = true }
      return !state.isSending
    }
    if mayBegin { endSending(CancellationToken(timeout: Self.sendTimeout)) }
  }

  /// Nanoseconds.
  private static let sendTimeout: Int64 = 10_000_000

  /// Sends what nobody waits for, then lets another one send.
  private func endSending(_ token: CancellationToken) {
    while let frame = takeUnattended() {
      do throws(ExchangeFailure) {
        try send(frame, token)
      } catch {
        state.withLock { state in
          state.unattended.insert(frame, at: 0)
          state.isSending = false
        }
        break
      }
    }
    sendingEnded.wakeOne()
  }

  /// `nil` when there is none, and then nobody is sending any more.
  private func takeUnattended() -> [UInt8]? {
    state.withLock { state in
      if state.failure == nil, !state.unattended.isEmpty { return state.unattended.removeFirst() }
      state.isSending = false
      return nil
    }
  }

  /// Sends a frame that is no call.
  /// - Parameter memory: whose descriptor goes with it.
  func sendControl(
    _ frame: [UInt8], with memory: MemoryBlock? = nil, _ token: CancellationToken
  ) throws(ExchangeFailure) {
    try whileSending(token) { () throws(ExchangeFailure) in try send(frame, with: memory, token) }
  }

  /// Only inside `whileSending`.
  func send(
    _ frame: [UInt8], with memory: MemoryBlock? = nil, _ token: CancellationToken
  ) throws(ExchangeFailure) {
    var sent = 0
    while sent < frame.count {
      // The descriptor goes with the first byte.
      let attached = sent == 0 ? memory : nil
      switch attempt({ () throws(Status) in try write(frame, from: sent, with: attached) }) {
      case .success(.bytes(let count)): sent += count
      case .success(.notNow):
        let ready = attempt { () throws(Status) in try socket.wait(for: .write, until: token.deadline) }
        if case .success(true) = ready { continue }
        if sent == 0 { throw .failed(CancellationToken.unanswered) }
        // Half a frame has left: nothing that follows would be understood.
        lose(Status(.unavailable, "a call ran out of time while it was sent; repeat the call"))
        throw .failed(CancellationToken.unanswered)
      case .success(.ended), .failure:
        let gone = Status(.unavailable, "the engine at \(path) is gone; start it again and repeat the call")
        if sent == 0 {
          fail(gone)
          throw .unsent(gone)
        }
        // Perhaps it has said why before it went; who reads will see.
        return
      }
    }
  }

  private func write(
    _ frame: [UInt8], from start: Int, with memory: MemoryBlock?
  ) throws(Status) -> Transfer {
    try frame.span.withUnsafeBytes { (bytes) throws(Status) in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      if let memory { return try socket.write(rest, passing: memory.file.descriptor) }
      return try socket.write(rest)
    }
  }

  /// Ends the connection; who reads finds its end.
  func lose(_ status: Status) {
    fail(status)
    socket.shutDown()
  }

  /// Nothing more is to be sent; the first reason stays.
  /// - Returns: that reason.
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

/// A typed `throws` as a value.
func attempt<Value>(_ body: () throws(Status) -> Value) -> Result<Value, Status> {
  Result(catching: body)
}

/// The receiving half of a connection; whoever holds it is the only one to read.
struct Reader: Sendable {
  enum Outcome {
    /// Whole frames, perhaps none yet.
    case frames([Frame])
    /// The deadline came first, or somebody woke the reader.
    case nothing
    case ended
  }

  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  /// Waits for something to come and reads it. Throws `dataLoss` for what no engine sends.
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
          .dataLoss, "the engine sent what is no response; see that a FaceEngine is at that socket")
      }
      frames.append(frame)
    }
    return .frames(frames)
  }
}
