import FaceCore
import Posix
import Wire

/// One connection and the calls in flight on it.
///
/// The reader belongs to one caller at a time. Whoever waits for an answer and finds the reader free takes it, hands other
/// callers their answers as they come, and puts it back when it has its own.
final class ClientConnection: Sendable {
  private struct State {
    /// Free, or `nil` while a caller reads.
    var reader: Reader?
    var nextStream = Handshake.stream + 2
    var waiters: [UInt32: Waiter] = [:]
    var slots: InFlightLimiter
    /// Why nothing more will come.
    var lost: Status?
    /// The engine has said that it is stopping.
    var isDraining = false
  }

  private let link: FramedSocket
  /// Interrupts the caller that reads.
  private let wakeup: Wakeup
  private let features: Set<Feature>
  let images: ImageTransport
  /// What the engine told of itself; `nil` when it knows no Hello.
  let limits: EngineLimits?
  private let state: Monitor<State>

  /// Connects and agrees with the engine on what goes beyond plain ttrpc.
  init(_ path: SocketPath, _ token: CancellationToken) throws(Status) {
    let link = try FramedSocket(path, until: token.deadline)
    let wakeup = try Wakeup()
    var reader = Reader()
    let hello = try token.interruptible({ link.socket.shutDown() }) { () throws(Status) in
      try Handshake.say(on: link, &reader, or: wakeup, asking: [.buffers, .cancel, .goaway], token)
    }
    self.link = link
    self.wakeup = wakeup
    features = hello?.features ?? []
    limits = hello?.limits
    images = ImageTransport(link: link, hello)
    state = Monitor(State(reader: reader, slots: InFlightLimiter(hello?.limits.callsPerConnection ?? 0)))
  }

  /// Whether a new call may be made here.
  var isUsable: Bool {
    link.isUsable
      && state.withLock { state in state.lost == nil && !state.isDraining && state.nextStream < .max - 1 }
  }

  /// Sends `frame` under a stream number of its own and returns the data of the response.
  /// - Parameter isImmediate: whether the engine answers at once, however many calls it has; others wait for their turn.
  func exchange(
    _ frame: [UInt8], isImmediate: Bool = false, _ token: CancellationToken
  ) throws(ExchangeFailure) -> [UInt8] {
    let waiter = Waiter()
    if !isImmediate { try waitForSlot(waiter, token) }
    let stream: UInt32
    do throws(ExchangeFailure) {
      stream = try link.whileSending(token) { () throws(ExchangeFailure) in try send(frame, waiter, token) }
    } catch {
      leaveSlot(waiter)
      throw error
    }
    return try waitForAnswer(waiter, stream, token)
  }

  /// Numbers are given in the order of sending.
  private func send(
    _ frame: [UInt8], _ waiter: Waiter, _ token: CancellationToken
  ) throws(ExchangeFailure) -> UInt32 {
    let stream = try state.withLock { (state) throws(ExchangeFailure) in
      if let lost = state.lost { throw .unsent(lost) }
      defer { state.nextStream += 2 }
      state.waiters[state.nextStream] = waiter
      state.slots.hand(to: state.nextStream, from: waiter)
      return state.nextStream
    }
    var frame = frame
    FrameHeader.setStream(stream, in: &frame)
    do throws(ExchangeFailure) {
      try link.send(frame, token)
    } catch {
      state.withLock { state in
        state.waiters[stream] = nil
        state.slots.end(stream)
        wakeWhoeverReads(&state)
      }
      throw error
    }
    return stream
  }

  private func leaveSlot(_ waiter: Waiter) {
    state.withLock { state in
      state.slots.leave(waiter)
      wakeWhoeverReads(&state)
    }
  }

  // MARK: Waiting

  private func waitForSlot(_ waiter: Waiter, _ token: CancellationToken) throws(ExchangeFailure) {
    let hasSlot = state.withLock { state in
      state.slots.enter(waiter)
      return waiter.hasSlot
    }
    if hasSlot { return }
    do throws(ExchangeFailure) {
      try wait(as: waiter, token) { (state) throws(ExchangeFailure) in
        if waiter.hasSlot { return () }
        if let lost = state.lost { throw .unsent(lost) }
        return nil
      }
    } catch {
      leaveSlot(waiter)
      throw error
    }
  }

  private func waitForAnswer(
    _ waiter: Waiter, _ stream: UInt32, _ token: CancellationToken
  ) throws(ExchangeFailure) -> [UInt8] {
    do throws(ExchangeFailure) {
      return try wait(as: waiter, token) { (state) throws(ExchangeFailure) in
        if let body = waiter.body { return body }
        if let lost = state.lost { throw .failed(lost) }
        return nil
      }
    } catch {
      state.withLock { state in state.waiters[stream] = nil }
      if error.status == token.failure { cancel(stream) }
      throw error
    }
  }

  /// Tells the engine that nobody waits for a call any more.
  private func cancel(_ stream: UInt32) {
    if features.contains(.cancel) { link.sendUnattended(ControlFromClient.cancel(stream: stream).frame) }
  }

  private enum Turn<Value> {
    case done(Value)
    case read(Reader)
  }

  /// Waits until `outcome` gives one, and reads for everybody while nobody else does.
  private func wait<Value>(
    as waiter: Waiter, _ token: CancellationToken, _ outcome: (inout State) throws(ExchangeFailure) -> Value?
  ) throws(ExchangeFailure) -> Value {
    try token.interruptible({ self.interrupt(waiter) }) { () throws(ExchangeFailure) in
      while true {
        switch try turn(of: waiter, token, outcome) {
        case .done(let value): return value
        case .read(var reader):
          let read = attempt { () throws(Status) in
            try reader.read(link.socket, or: wakeup, until: token.deadline)
          }
          putBack(reader, read)
        }
      }
    }
  }

  /// Waits until there is an outcome or the reader is free.
  private func turn<Value>(
    of waiter: Waiter, _ token: CancellationToken, _ outcome: (inout State) throws(ExchangeFailure) -> Value?
  ) throws(ExchangeFailure) -> Turn<Value> {
    let turn = try state.wait(for: waiter.wake, until: token.deadline) {
      (state) throws(ExchangeFailure) -> Turn<Value>? in
      waiter.isParked = false
      if let value = try outcome(&state) {
        wakeReader(&state)
        return .done(value)
      }
      guard !token.isOver else {
        wakeReader(&state)
        throw .failed(token.failure)
      }
      if let reader = state.reader.take() { return .read(reader) }
      waiter.isParked = true
      return nil
    }
    guard let turn else { throw .failed(token.failure) }
    return turn
  }

  /// Lets a caller that waits, or reads for all, look whether it still should.
  private func interrupt(_ waiter: Waiter) {
    state.withLock { state in
      if waiter.isParked { waiter.wake.wakeOne() } else { wakeWhoeverReads(&state) }
    }
  }

  /// A caller that reads does not see what others have changed.
  private func wakeWhoeverReads(_ state: inout State) {
    if state.reader == nil { wakeup.signal() }
  }

  /// Lets another caller read, when nobody does.
  private func wakeReader(_ state: inout State) {
    guard state.reader != nil else { return }
    let parked = state.waiters.values.first { $0.isParked } ?? state.slots.queue.first { $0.isParked }
    parked?.wake.wakeOne()
  }

  private func putBack(_ reader: Reader, _ outcome: Result<Reader.Outcome, Status>) {
    state.withLock { state in
      state.reader = reader
      switch outcome {
      case .success(.frames(let frames)):
        for frame in frames { take(frame, &state) }
      case .success(.nothing): break
      case .success(.ended):
        lose(
          &state,
          Status(
            .unavailable,
            "the engine at \(link.path) closed the connection before it answered; "
              + "see that it runs and repeat the call"))
      case .failure(let status): lose(&state, status)
      }
    }
  }

  private func take(_ frame: Frame, _ state: inout State) {
    switch FrameType(rawValue: frame.header.type) {
    case .response:
      state.slots.end(frame.header.stream)
      // Nobody waits for the answer to a call that was given up.
      guard let waiter = state.waiters.removeValue(forKey: frame.header.stream) else { return }
      waiter.body = frame.body
      waiter.wake.wakeOne()
    case .data, nil:
      lose(&state, Status(.dataLoss, "the engine sent what nobody asked for; see that it is a FaceEngine"))
    case .some(let type):
      let control = attempt { () throws(Status) in
        try ControlFromEngine(type, stream: frame.header.stream, frame.body.span)
      }
      switch control {
      case .success(.goAway): state.isDraining = true
      case .success(.offerAnswer(let number, let failure?)): images.pool?.refuse(number, failure)
      case .success: break
      case .failure(let status): lose(&state, status)
      }
    }
  }

  private func lose(_ state: inout State, _ status: Status) {
    if state.lost == nil { state.lost = link.fail(status) }
    images.pool?.end(status)
    for waiter in state.waiters.values { waiter.wake.wakeOne() }
    for waiter in state.slots.queue { waiter.wake.wakeOne() }
  }
}
