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

/// One connection and the calls in flight on it.
///
/// The right to send belongs to one caller at a time, and so does the reader. Whoever waits for an answer and finds the
/// reader free takes it, hands other callers their answers as they come, and puts it back when it has its own.
final class ClientConnection: Sendable {
  private final class Waiter: @unchecked Sendable {
    // Touched only under the monitor's lock.
    let wake = Condition()
    var body: [UInt8]?
    var isParked = false
  }

  private struct State {
    /// Free, or `nil` while a caller reads.
    var reader: Reader? = Reader()
    var isSending = false
    var nextStream: UInt32 = 1
    var waiters: [UInt32: Waiter] = [:]
    /// Why nothing more will come.
    var lost: Status?
    /// What may be used beyond plain ttrpc.
    var features: Set<Feature> = []
    /// The engine has said that it is stopping.
    var isDraining = false
    /// Where large images go; `nil` when the engine takes no buffers.
    var pool: BufferPool?
  }

  private let path: SocketPath
  /// A fork has the same socket and would take its parent's answers.
  private let owner = CurrentProcess.id
  private let socket: UnixSocket
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

  /// Whether a new call may be made here.
  var isUsable: Bool {
    owner == CurrentProcess.id
      && state.withLock { state in state.lost == nil && !state.isDraining && state.nextStream < .max - 1 }
  }

  /// Where large images go; `nil` when the engine takes no buffers.
  var pool: BufferPool? { state.withLock { state in state.pool } }

  /// Agrees with the engine on what goes beyond plain ttrpc; an engine that knows no Hello is used without.
  func greet(until deadline: MonotonicTime) throws(ExchangeFailure) {
    let features: Set<Feature> = [.buffers, .cancel, .goaway]
    let request = HelloRequest(
      client: "libfaceengine \(EngineVersion.text)", features: features.map(\.rawValue).sorted())
    let frame: [UInt8]
    do throws(Status) {
      frame = try HelloCall.requestFrame(CallHeader(stream: 0), request)
    } catch {
      throw .failed(error)
    }
    let body = try exchange(frame, until: deadline)
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: body.span)
      guard envelope.failure == nil else { return }
      let hello = try HelloCall.response(body.span.extracting(envelope.payload))
      state.withLock { state in
        state.features = hello.features
        if hello.features.contains(.buffers) { state.pool = BufferPool(hello.limits) }
      }
    } catch {
      throw .failed(Status(.internal, "the engine's Hello cannot be read: \(error.message)"))
    }
  }

  /// Sends `frame` under a stream number of its own and returns the data of the response.
  func exchange(_ frame: [UInt8], until deadline: MonotonicTime) throws(ExchangeFailure) -> [UInt8] {
    let (stream, waiter) = try beginSending(until: deadline)
    var frame = frame
    FrameHeader.setStream(stream, in: &frame)
    do throws(ExchangeFailure) {
      try send(frame, until: deadline)
    } catch {
      endSending(stream)
      throw error
    }
    endSending(nil)
    return try wait(for: waiter, stream, until: deadline)
  }

  // MARK: Sending

  /// Sends a frame that is no call.
  /// - Parameter buffer: whose descriptor goes with it.
  func sendControl(
    _ frame: [UInt8], with buffer: OfferedBuffer? = nil, until deadline: MonotonicTime
  ) throws(ExchangeFailure) {
    try takeSending(until: deadline) { _ in }
    defer { endSending(nil) }
    try send(frame, with: buffer, until: deadline)
  }

  private func beginSending(until deadline: MonotonicTime) throws(ExchangeFailure) -> (UInt32, Waiter) {
    try takeSending(until: deadline) { state in
      let stream = state.nextStream
      state.nextStream += 2
      let waiter = Waiter()
      state.waiters[stream] = waiter
      return (stream, waiter)
    }
  }

  /// Waits for the right to send; `endSending` puts it back.
  private func takeSending<Value>(
    until deadline: MonotonicTime, _ begin: (inout State) -> Value
  ) throws(ExchangeFailure) -> Value {
    let begun = try state.wait(for: sendingEnded, until: deadline) {
      (state) throws(ExchangeFailure) -> Value? in
      if let lost = state.lost { throw .unsent(lost) }
      if state.isSending { return nil }
      state.isSending = true
      return begin(&state)
    }
    guard let begun else { throw .failed(Self.late) }
    return begun
  }

  /// - Parameter abandoned: the stream whose request did not leave.
  private func endSending(_ abandoned: UInt32?) {
    state.withLock { state in
      state.isSending = false
      if let abandoned { state.waiters[abandoned] = nil }
    }
    sendingEnded.wakeOne()
  }

  private func send(
    _ frame: [UInt8], with buffer: OfferedBuffer? = nil, until deadline: MonotonicTime
  ) throws(ExchangeFailure) {
    var sent = 0
    while sent < frame.count {
      // The descriptor goes with the first byte.
      let attached = sent == 0 ? buffer : nil
      switch attempt({ () throws(Status) in try write(frame, from: sent, with: attached) }) {
      case .success(.bytes(let count)): sent += count
      case .success(.notNow):
        let ready = attempt { () throws(Status) in try socket.wait(for: .write, until: deadline) }
        if case .success(true) = ready { continue }
        if sent == 0 { throw .failed(Self.late) }
        // Half a frame has left: nothing that follows would be understood.
        lose(Status(.unavailable, "a call ran out of time while it was sent; repeat the call"))
        throw .failed(Self.late)
      case .success(.ended), .failure:
        let gone = Status(.unavailable, "the engine at \(path) is gone; start it again and repeat the call")
        if sent == 0 {
          lose(gone)
          throw .unsent(gone)
        }
        // Perhaps it has said why before it went; who reads will see.
        return
      }
    }
  }

  private func write(
    _ frame: [UInt8], from start: Int, with buffer: OfferedBuffer?
  ) throws(Status) -> Transfer {
    try frame.span.withUnsafeBytes { (bytes) throws(Status) in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      if let buffer { return try socket.write(rest, passing: buffer.memory.descriptor) }
      return try socket.write(rest)
    }
  }

  // MARK: Waiting

  private enum Turn {
    case done([UInt8])
    case read(Reader)
  }

  private func wait(
    for waiter: Waiter, _ stream: UInt32, until deadline: MonotonicTime
  ) throws(ExchangeFailure) -> [UInt8] {
    while true {
      switch try turnOrCancel(of: waiter, stream, until: deadline) {
      case .done(let body): return body
      case .read(var reader):
        let outcome = attempt { () throws(Status) in try reader.read(socket, until: deadline) }
        putBack(reader, outcome)
      }
    }
  }

  private func turnOrCancel(
    of waiter: Waiter, _ stream: UInt32, until deadline: MonotonicTime
  ) throws(ExchangeFailure) -> Turn {
    do throws(ExchangeFailure) {
      return try turn(of: waiter, stream, until: deadline)
    } catch {
      if error.status.code == .deadlineExceeded { cancel(stream) }
      throw error
    }
  }

  /// Tells the engine that nobody waits for a call any more, if that can be done at once.
  private func cancel(_ stream: UInt32) {
    guard state.withLock({ state in state.features.contains(.cancel) }) else { return }
    // Nothing is lost when it does not get through: the answer will find no waiter.
    _ = Result { () throws(ExchangeFailure) in
      try sendControl(ControlFromClient.cancel(stream: stream).frame, until: MonotonicTime.now())
    }
  }

  /// Waits until the answer is there or the reader is free.
  private func turn(
    of waiter: Waiter, _ stream: UInt32, until deadline: MonotonicTime
  ) throws(ExchangeFailure) -> Turn {
    let turn = try state.wait(for: waiter.wake, until: deadline) { (state) throws(ExchangeFailure) -> Turn? in
      waiter.isParked = false
      if let body = waiter.body {
        wakeReader(&state)
        return .done(body)
      }
      if let lost = state.lost {
        state.waiters[stream] = nil
        throw .failed(lost)
      }
      guard MonotonicTime.now() < deadline else {
        state.waiters[stream] = nil
        wakeReader(&state)
        throw .failed(Self.late)
      }
      if let reader = state.reader.take() { return .read(reader) }
      waiter.isParked = true
      return nil
    }
    guard let turn else { throw .failed(Self.late) }
    return turn
  }

  /// Lets another caller read, when nobody does.
  private func wakeReader(_ state: inout State) {
    guard state.reader != nil else { return }
    state.waiters.values.first { $0.isParked }?.wake.wakeOne()
  }

  private func putBack(_ reader: Reader, _ outcome: Result<Reader.Outcome, Status>) {
    state.withLock { state in
      state.reader = reader
      switch outcome {
      case .success(.frames(let frames)):
        for frame in frames {
          if frame.header.type != FrameType.response.rawValue {
            heed(frame, &state)
            continue
          }
          // Nobody waits for the answer to a call that ran out of time.
          guard let waiter = state.waiters.removeValue(forKey: frame.header.stream) else { continue }
          waiter.body = frame.body
          waiter.wake.wakeOne()
        }
      case .success(.nothing): break
      case .success(.ended):
        lose(
          &state,
          Status(
            .unavailable,
            "the engine at \(path) closed the connection before it answered; "
              + "see that it runs and repeat the call"))
      case .failure(let status): lose(&state, status)
      }
    }
  }

  /// What the engine says of the connection itself.
  private func heed(_ frame: Frame, _ state: inout State) {
    guard let type = FrameType(rawValue: frame.header.type) else { return }
    let control = attempt { () throws(Status) in
      try ControlFromEngine(type, stream: frame.header.stream, frame.body.span)
    }
    switch control {
    case .success(.goAway): state.isDraining = true
    case .success(.offerAnswer(let number, let failure?)): state.pool?.refuse(number, failure)
    case .success: break
    case .failure(let status): lose(&state, status)
    }
  }

  // MARK: Losing the engine

  private func lose(_ status: Status) {
    state.withLock { state in lose(&state, status) }
  }

  private func lose(_ state: inout State, _ status: Status) {
    if state.lost == nil { state.lost = status }
    for waiter in state.waiters.values { waiter.wake.wakeOne() }
    sendingEnded.wakeAll()
  }

  private static let late = Status(
    .deadlineExceeded, "the engine did not answer in time; allow more time, or send smaller images")
}

/// A typed `throws` as a value.
private func attempt<Value>(_ body: () throws(Status) -> Value) -> Result<Value, Status> {
  Result(catching: body)
}
