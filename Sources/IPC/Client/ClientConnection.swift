import FaceCore
import Posix
import Wire

/// A connection and the calls in flight on it.
///
/// One caller at a time holds the reader. A waiting caller that finds the reader free takes it, passes on the
/// answers for other callers, and puts it back when it has its own.
final class ClientConnection: Sendable {
  private struct State {
    /// The reader; `nil` while a caller reads.
    var reader: FrameReader?
    var nextStream = Handshake.stream + 2
    var waiters: [UInt32: Waiter] = [:]
    var limiter: InFlightLimiter
    /// Why the connection was lost; no more answers come.
    var lost: Status?
    /// Whether the engine is stopping.
    var isDraining = false
  }

  private let socket: FramedSocket
  /// Interrupts the caller that reads.
  private let wakeup: Wakeup
  private let features: Set<Feature>
  let images: ImageTransport
  /// The engine's limits; `nil` if it does not know Hello.
  let limits: EngineLimits?
  private let state: Monitor<State>

  /// Agrees with the engine on the connection's features.
  init(_ socket: FramedSocket, _ token: CancellationToken) throws(Status) {
    let wakeup = try Wakeup()
    var reader = FrameReader()
    let outcome = try token.interruptible({ socket.unixSocket.shutDown() }) { () throws(Status) in
      try Handshake.perform(
        on: socket, &reader, or: wakeup, requesting: [.buffers, .cancel, .goaway], token)
    }
    self.socket = socket
    self.wakeup = wakeup
    let hello = outcome.hello
    features = hello?.features ?? []
    limits = hello?.limits
    images = ImageTransport(socket, hello)
    state = Monitor(
      State(
        reader: reader, limiter: InFlightLimiter(hello?.limits.callsPerConnection ?? 0),
        isDraining: outcome.isDraining))
  }

  /// Whether a new call may be made here.
  var isUsable: Bool {
    socket.isUsable
      && state.withLock { state in state.lost == nil && !state.isDraining && state.nextStream < .max - 1 }
  }

  /// Sends `frame` under a new stream number and returns the data of the response.
  /// - Parameter isImmediate: whether the engine answers at once, however many calls it has; other calls wait
  ///   for a slot.
  func exchange(
    _ frame: [UInt8], isImmediate: Bool = false, _ token: CancellationToken
  ) throws(ExchangeFailure) -> [UInt8] {
    let waiter = Waiter()
    let stream: UInt32
    do throws(ExchangeFailure) {
      if !isImmediate { try waitForSlot(waiter, token) }
      stream = try socket.whileSending(token) { () throws(ExchangeFailure) in try send(frame, waiter, token) }
    } catch {
      state.withLock { state in
        state.limiter.remove(waiter)
        wakeActiveReader(&state)
      }
      throw error
    }
    return try waitForAnswer(waiter, stream, token)
  }

  /// Sends a frame. Stream numbers are assigned in the order of sending.
  private func send(
    _ frame: [UInt8], _ waiter: Waiter, _ token: CancellationToken
  ) throws(ExchangeFailure) -> UInt32 {
    let stream = try state.withLock { (state) throws(ExchangeFailure) in
      if let lost = state.lost { throw .unsent(lost) }
      if state.isDraining { throw .unsent(draining) }
      defer { state.nextStream += 2 }
      state.waiters[state.nextStream] = waiter
      state.limiter.transfer(to: state.nextStream, from: waiter)
      return state.nextStream
    }
    var frame = frame
    FrameHeader.setStream(stream, in: &frame)
    do throws(ExchangeFailure) {
      try socket.send(frame, token)
    } catch {
      state.withLock { state in
        state.waiters[stream] = nil
        state.limiter.release(stream)
        wakeActiveReader(&state)
      }
      throw error
    }
    return stream
  }

  // MARK: Waiting

  private func waitForSlot(_ waiter: Waiter, _ token: CancellationToken) throws(ExchangeFailure) {
    let hasSlot = state.withLock { state in
      state.limiter.enqueue(waiter)
      return waiter.hasSlot
    }
    if hasSlot { return }
    try wait(as: waiter, token) { (state) throws(ExchangeFailure) in
      if waiter.hasSlot { return () }
      if let lost = state.lost { throw .unsent(lost) }
      if state.isDraining { throw .unsent(draining) }
      return nil
    }
  }

  private var draining: Status {
    Status(.unavailable, "the engine at \(socket.path) is stopping; repeat the call when it runs again")
  }

  private func waitForAnswer(
    _ waiter: Waiter, _ stream: UInt32, _ token: CancellationToken
  ) throws(ExchangeFailure) -> [UInt8] {
    do throws(ExchangeFailure) {
      return try wait(as: waiter, token) { (state) throws(ExchangeFailure) in
        if let body = waiter.body { return body }
        if waiter.isRefused { throw .unsent(draining) }
        if let lost = state.lost { throw .failed(lost) }
        return nil
      }
    } catch {
      state.withLock { state in state.waiters[stream] = nil }
      if error.status == token.failure { cancel(stream) }
      throw error
    }
  }

  /// Cancels a call in the engine if no caller waits for it any more.
  private func cancel(_ stream: UInt32) {
    if features.contains(.cancel) { socket.sendQueued(ControlFromClient.cancel(stream: stream).frame) }
  }

  private enum Step<Value> {
    case done(Value)
    case read(FrameReader)
  }

  /// Waits until `outcome` returns a value, and reads for all callers while no other caller does.
  private func wait<Value>(
    as waiter: Waiter, _ token: CancellationToken, _ outcome: (inout State) throws(ExchangeFailure) -> Value?
  ) throws(ExchangeFailure) -> Value {
    try token.interruptible({ self.interrupt(waiter) }) { () throws(ExchangeFailure) in
      while true {
        switch try nextStep(of: waiter, token, outcome) {
        case .done(let value): return value
        case .read(var reader):
          let read = attempt { () throws(Status) in
            try reader.read(socket.unixSocket, or: wakeup, until: token.deadline)
          }
          state.withLock { state in
            state.reader = reader
            handle(read, &state)
          }
        }
      }
    }
  }

  /// Waits until there is an outcome or the reader is free.
  private func nextStep<Value>(
    of waiter: Waiter, _ token: CancellationToken, _ outcome: (inout State) throws(ExchangeFailure) -> Value?
  ) throws(ExchangeFailure) -> Step<Value> {
    let step = try state.wait(for: waiter.wake, until: token.deadline) {
      (state) throws(ExchangeFailure) -> Step<Value>? in
      waiter.isParked = false
      do throws(ExchangeFailure) {
        if let value = try outcome(&state) {
          wakeNextReader(&state)
          return .done(value)
        }
      } catch {
        wakeNextReader(&state)
        throw error
      }
      guard !token.isOver else {
        wakeNextReader(&state)
        throw .failed(token.failure)
      }
      if let reader = state.reader.take() { return .read(reader) }
      waiter.isParked = true
      return nil
    }
    guard let step else { throw .failed(token.failure) }
    return step
  }

  /// Makes a waiting or reading caller check its token again.
  private func interrupt(_ waiter: Waiter) {
    state.withLock { state in
      if waiter.isParked { waiter.wake.wakeOne() } else { wakeActiveReader(&state) }
    }
  }

  /// Interrupts the reading caller, so that it notices changes made by others.
  private func wakeActiveReader(_ state: inout State) {
    if state.reader == nil { wakeup.signal() }
  }

  /// Lets another caller read if none does.
  private func wakeNextReader(_ state: inout State) {
    guard state.reader != nil else { return }
    let parked = state.waiters.values.first { $0.isParked } ?? state.limiter.queue.first { $0.isParked }
    parked?.wake.wakeOne()
  }

  // MARK: Receiving

  private func handle(_ outcome: Result<FrameReader.Outcome, Status>, _ state: inout State) {
    switch outcome {
    case .success(.frames(let frames)):
      for frame in frames { handle(frame, &state) }
    case .success(.nothing): break
    case .success(.ended):
      lose(
        &state,
        Status(
          .unavailable,
          "the engine at \(socket.path) closed the connection before it answered; "
            + "check that it runs, and repeat the call"))
    case .failure(let status): lose(&state, status)
    }
  }

  private func handle(_ frame: Frame, _ state: inout State) {
    switch FrameType(rawValue: frame.header.type) {
    case .response:
      state.limiter.release(frame.header.stream)
      // The call was given up: no caller waits for its answer.
      guard let waiter = state.waiters.removeValue(forKey: frame.header.stream) else { return }
      waiter.body = frame.body
      waiter.wake.wakeOne()
    case .data, nil:
      lose(
        &state,
        Status(
          .dataLoss, "the engine sent a frame that answers no call; check that a FaceEngine listens there"))
    case .some(let type):
      let control = attempt { () throws(Status) in
        try ControlFromEngine(type, stream: frame.header.stream, frame.body.span)
      }
      switch control {
      case .success(.goAway(let lastStream)): drain(&state, after: lastStream)
      case .success(.registration(let number, let failure?)): images.pool?.refuse(number, failure)
      case .success: break
      case .failure(let status): lose(&state, status)
      }
    }
  }

  /// Handles GOAWAY: the engine serves no call above `lastStream`, and those may be made elsewhere.
  private func drain(_ state: inout State, after lastStream: UInt32) {
    state.isDraining = true
    for (stream, waiter) in state.waiters where stream > lastStream {
      state.waiters[stream] = nil
      state.limiter.release(stream)
      waiter.isRefused = true
      waiter.wake.wakeOne()
    }
    for waiter in state.limiter.queue { waiter.wake.wakeOne() }
  }

  private func lose(_ state: inout State, _ status: Status) {
    if state.lost == nil { state.lost = socket.fail(status) }
    images.pool?.close(status)
    for waiter in state.waiters.values { waiter.wake.wakeOne() }
    for waiter in state.limiter.queue { waiter.wake.wakeOne() }
  }
}
