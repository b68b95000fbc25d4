import FaceCore
import Posix
import Wire

/// One connection and the calls in flight on it.
///
/// The reader belongs to one caller at a time. Whoever waits for an answer and finds the reader free takes it, hands other
/// callers their answers as they come, and puts it back when it has its own.
final class ClientConnection: Sendable {
  private final class Waiter: @unchecked Sendable {
    // Touched only under the monitor's lock.
    let wake = Condition()
    var body: [UInt8]?
    var isParked = false
  }

  private struct State {
    /// Free, or `nil` while a caller reads.
    var reader: Reader?
    var nextStream = Greeting.stream + 2
    var waiters: [UInt32: Waiter] = [:]
    /// Why nothing more will come.
    var lost: Status?
    /// The engine has said that it is stopping.
    var isDraining = false
  }

  private let link: Link
  /// Interrupts the caller that reads.
  private let wakeup: Wakeup
  private let features: Set<Feature>
  let images: ImageCarrier
  /// What the engine told of itself; `nil` when it knows no Hello.
  let limits: EngineLimits?
  private let state: Monitor<State>

  /// Connects and agrees with the engine on what goes beyond plain ttrpc.
  init(_ path: SocketPath, _ bounds: CallBounds) throws(Status) {
    let link = try Link(path, until: bounds.deadline)
    let wakeup = try Wakeup()
    var reader = Reader()
    let hello = try bounds.interruptible({ link.socket.shutDown() }) { () throws(Status) in
      try Greeting.say(on: link, &reader, or: wakeup, asking: [.buffers, .cancel, .goaway], bounds)
    }
    self.link = link
    self.wakeup = wakeup
    features = hello?.features ?? []
    limits = hello?.limits
    images = ImageCarrier(link: link, hello)
    state = Monitor(State(reader: reader))
  }

  /// Whether a new call may be made here.
  var isUsable: Bool {
    link.isUsable
      && state.withLock { state in state.lost == nil && !state.isDraining && state.nextStream < .max - 1 }
  }

  /// Sends `frame` under a stream number of its own and returns the data of the response.
  func exchange(_ frame: [UInt8], _ bounds: CallBounds) throws(ExchangeFailure) -> [UInt8] {
    let (stream, waiter) = try link.whileSending(bounds) { () throws(ExchangeFailure) in
      try send(frame, bounds)
    }
    return try bounds.interruptible({ self.interrupt(waiter) }) { () throws(ExchangeFailure) in
      try wait(for: waiter, stream, bounds)
    }
  }

  /// Numbers are given in the order of sending.
  private func send(
    _ frame: [UInt8], _ bounds: CallBounds
  ) throws(ExchangeFailure) -> (UInt32, Waiter) {
    let waiter = Waiter()
    let stream = try state.withLock { (state) throws(ExchangeFailure) in
      if let lost = state.lost { throw .unsent(lost) }
      defer { state.nextStream += 2 }
      state.waiters[state.nextStream] = waiter
      return state.nextStream
    }
    var frame = frame
    FrameHeader.setStream(stream, in: &frame)
    do throws(ExchangeFailure) {
      try link.send(frame, bounds)
    } catch {
      state.withLock { state in state.waiters[stream] = nil }
      throw error
    }
    return (stream, waiter)
  }

  /// Lets a caller that waits, or reads for all, look whether it still should.
  private func interrupt(_ waiter: Waiter) {
    state.withLock { state in
      if waiter.isParked { waiter.wake.wakeOne() } else if state.reader == nil { wakeup.signal() }
    }
  }

  // MARK: Waiting

  private enum Turn {
    case done([UInt8])
    case read(Reader)
  }

  private func wait(
    for waiter: Waiter, _ stream: UInt32, _ bounds: CallBounds
  ) throws(ExchangeFailure) -> [UInt8] {
    while true {
      switch try turnOrCancel(of: waiter, stream, bounds) {
      case .done(let body): return body
      case .read(var reader):
        let outcome = attempt { () throws(Status) in
          try reader.read(link.socket, or: wakeup, until: bounds.deadline)
        }
        putBack(reader, outcome)
      }
    }
  }

  private func turnOrCancel(
    of waiter: Waiter, _ stream: UInt32, _ bounds: CallBounds
  ) throws(ExchangeFailure) -> Turn {
    do throws(ExchangeFailure) {
      return try turn(of: waiter, stream, bounds)
    } catch {
      if error.status == bounds.failure { cancel(stream) }
      throw error
    }
  }

  /// Tells the engine that nobody waits for a call any more.
  private func cancel(_ stream: UInt32) {
    if features.contains(.cancel) { link.sendUnattended(ControlFromClient.cancel(stream: stream).frame) }
  }

  /// Waits until the answer is there or the reader is free.
  private func turn(
    of waiter: Waiter, _ stream: UInt32, _ bounds: CallBounds
  ) throws(ExchangeFailure) -> Turn {
    let turn = try state.wait(for: waiter.wake, until: bounds.deadline) {
      (state) throws(ExchangeFailure) -> Turn? in
      waiter.isParked = false
      if let body = waiter.body {
        wakeReader(&state)
        return .done(body)
      }
      if let lost = state.lost {
        state.waiters[stream] = nil
        throw .failed(lost)
      }
      guard !bounds.isCancelled, MonotonicTime.now() < bounds.deadline else {
        state.waiters[stream] = nil
        wakeReader(&state)
        throw .failed(bounds.failure)
      }
      if let reader = state.reader.take() { return .read(reader) }
      waiter.isParked = true
      return nil
    }
    guard let turn else { throw .failed(bounds.failure) }
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
  }
}
