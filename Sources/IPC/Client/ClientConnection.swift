import FaceCore
import Posix
import Wire

/// A connection and the calls in flight on it: does what `CallTable` decides.
///
/// One caller at a time holds the reader. A waiting caller that finds the reader free takes it, passes on the
/// answers for other callers, and puts it back when it has its own.
final class ClientConnection: Sendable {
  private struct State {
    var calls: CallTable
    /// The reader; `nil` while a caller reads.
    var reader: FrameReader?
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
    let draining = Status(
      .unavailable, "the engine at \(socket.path) is stopping; repeat the call when it runs again")
    let calls = CallTable(
      slotCount: hello?.limits.callsPerConnection ?? 0, isDraining: outcome.isDraining, draining: draining)
    state = Monitor(State(calls: calls, reader: reader))
  }

  /// Whether a new call may be made here.
  var isUsable: Bool { socket.isUsable && state.withLock { state in state.calls.isUsable } }

  /// Sends `frame` under a new stream number and returns the data of the response.
  /// - Parameter isImmediate: whether the engine answers at once, however many calls it has; other calls wait
  ///   for a slot.
  func exchange(
    _ frame: [UInt8], isImmediate: Bool = false, _ token: CancellationToken
  ) throws(ExchangeFailure) -> [UInt8] {
    let call = PendingCall(deadline: token.deadline)
    withState { state in state.calls.add(call, isImmediate: isImmediate) }
    let wake: @Sendable () -> Void = { self.withState { state in state.calls.wake(call) } }
    return try token.interruptible(wake) { () throws(ExchangeFailure) in
      while true {
        switch nextStep(of: call, token) {
        case .send: try send(frame, call, token)
        case .read: read(token)
        case .wait: break
        case .finish(let body): return body
        case .fail(let failure, let stream):
          if let stream { cancel(stream) }
          throw failure
        }
      }
    }
  }

  /// Waits until there is something to do for a call, or its deadline passes.
  private func nextStep(of call: PendingCall, _ token: CancellationToken) -> CallTable.Step {
    state.wait(for: call.wake, until: token.deadline) { state in
      let step = state.calls.step(of: call, at: .now(), isCancelled: token.isCancelled)
      wakeThreads(&state)
      return step == .wait ? nil : step
    } ?? .wait
  }

  private func withState<Value, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try state.withLock { (state) throws(Failure) in
      defer { wakeThreads(&state) }
      return try body(&state)
    }
  }

  private func wakeThreads(_ state: inout State) {
    let wakes = state.calls.takeWakes()
    for call in wakes.calls { call.wake.wakeOne() }
    if wakes.interruptsReader { wakeup.signal() }
  }

  // MARK: Sending

  private func send(
    _ frame: [UInt8], _ call: PendingCall, _ token: CancellationToken
  ) throws(ExchangeFailure) {
    do throws(ExchangeFailure) {
      _ = try socket.send(token) { () throws(ExchangeFailure) in
        var frame = frame
        let stream = try withState { (state) throws(ExchangeFailure) in try state.calls.assignStream(to: call)
        }
        FrameHeader.setStream(stream, in: &frame)
        return frame
      }
    } catch {
      withState { state in state.calls.withdraw(call) }
      throw error
    }
  }

  /// Cancels a call in the engine if no caller waits for it any more.
  private func cancel(_ stream: UInt32) {
    if features.contains(.cancel) { socket.sendQueued(ControlFromClient.cancel(stream: stream).frame) }
  }

  // MARK: Receiving

  /// Reads for all callers.
  private func read(_ token: CancellationToken) {
    guard var reader = state.withLock({ state in state.reader.take() }) else { return }
    let outcome = attempt { () throws(Status) in
      try reader.read(socket.unixSocket, or: wakeup, until: token.deadline)
    }
    withState { state in
      state.reader = reader
      state.calls.stopReading()
      do throws(Status) {
        switch try outcome.get() {
        case .frames(let frames): for frame in frames { try receive(frame, &state) }
        case .nothing: break
        case .ended:
          throw Status(
            .unavailable,
            "the engine at \(socket.path) closed the connection before it answered; "
              + "check that it runs, and repeat the call")
        }
      } catch {
        state.calls.lose(socket.fail(error))
        images.pool?.close(error)
      }
    }
  }

  private func receive(_ frame: Frame, _ state: inout State) throws(Status) {
    guard let (buffer, failure) = try state.calls.receive(frame) else { return }
    images.pool?.refuse(buffer, failure)
  }
}
