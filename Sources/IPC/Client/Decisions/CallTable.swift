package import FaceCore
import Posix
package import Wire

/// A call on a connection, and the thread that makes it. Used only under the connection's lock.
package final class PendingCall: @unchecked Sendable {
  package enum Stage: Equatable {
    /// Waits until another call is answered.
    case queued
    /// May be sent. A call that the engine answers at once takes no slot.
    case ready(hasSlot: Bool)
    case sent(UInt32)
    case answered([UInt8])
    /// The engine has said that it does not serve the call.
    case refused
  }

  let wake = Condition()
  package fileprivate(set) var stage = Stage.ready(hasSlot: false)
  let deadline: MonotonicTime

  package init(deadline: MonotonicTime) {
    self.deadline = deadline
  }

  /// The reason to end the call early, if there is one.
  func end(at now: MonotonicTime, isCancelled: Bool) -> Status? {
    isCancelled ? Canceller.status : now >= deadline && deadline != .never ? .unanswered : nil
  }
}

/// Decides about the calls on one connection, without thread, clock and socket: who has a slot, who reads for
/// all, whose answer a frame is, and what the end of the engine means for each call.
///
/// The engine limits the calls in flight; further ones wait for a slot in the order of their arrival. A slot
/// becomes free when the engine answers, even if no thread waits for that answer any more. One caller at a
/// time reads; when it leaves, another that waits takes its place.
package struct CallTable: Sendable {
  /// What the thread of a call does next.
  package enum Step: Equatable {
    /// Send the call: see `assignStream`.
    case send
    case finish([UInt8])
    /// - Parameter cancelling: the call that the engine is to cancel.
    case fail(ExchangeFailure, cancelling: UInt32?)
    /// Read until the call's deadline or an interruption, then call `stopReading`.
    case read
    /// Wait until woken, or until the call's deadline.
    case wait
  }

  /// The threads to wake.
  package struct Wakes {
    package fileprivate(set) var calls: [PendingCall] = []
    /// Whether to interrupt the caller that reads.
    package fileprivate(set) var interruptsReader = false
  }

  private var nextStream = Handshake.stream + 2
  /// The unanswered calls in the order of their numbers.
  private var sent: [(stream: UInt32, call: PendingCall)] = []
  private var freeSlots: Int
  private var slots: Set<UInt32> = []
  private var queue: [PendingCall] = []
  private var reader: PendingCall?
  /// The calls whose threads wait, in the order in which they began to.
  private var parked: [PendingCall] = []
  /// Why no more answers come.
  private var lost: Status?
  /// Whether the engine is stopping, and what that means for a call.
  private var isDraining: Bool
  private let draining: Status
  private var wakes = Wakes()

  /// - Parameters:
  ///   - slotCount: the calls that may be in flight; 0 for no limit.
  ///   - draining: the failure of a call that a stopping engine does not serve.
  package init(slotCount: Int, isDraining: Bool, draining: Status) {
    freeSlots = slotCount == 0 ? .max : slotCount
    (self.isDraining, self.draining) = (isDraining, draining)
  }

  /// Whether a new call may be made here.
  package var isUsable: Bool { lost == nil && !isDraining && nextStream < .max - 1 }

  package mutating func takeWakes() -> Wakes {
    defer { wakes = Wakes() }
    return wakes
  }

  /// Makes the thread of `call` take its next step.
  package mutating func wake(_ call: PendingCall) {
    if call === reader { wakes.interruptsReader = true } else { wakes.calls.append(call) }
  }

  // MARK: Making calls

  /// Adds a call.
  /// - Parameter isImmediate: whether the engine answers it at once, however many calls it has.
  package mutating func add(_ call: PendingCall, isImmediate: Bool) {
    guard !isImmediate else { return }
    call.stage = .queued
    queue.append(call)
    assignSlots()
  }

  private mutating func assignSlots() {
    while freeSlots > 0, !queue.isEmpty {
      freeSlots -= 1
      let next = queue.removeFirst()
      next.stage = .ready(hasSlot: true)
      wake(next)
    }
  }

  private mutating func release(_ stream: UInt32) {
    guard slots.remove(stream) != nil else { return }
    freeSlots += 1
    assignSlots()
  }

  package mutating func step(of call: PendingCall, at now: MonotonicTime, isCancelled: Bool) -> Step {
    parked.removeAll { $0 === call }
    guard let step = outcome(of: call) ?? end(of: call, at: now, isCancelled) ?? beginning(of: call) else {
      if reader == nil {
        reader = call
        return .read
      }
      parked.append(call)
      return .wait
    }
    if reader == nil, let next = parked.first { wake(next) }
    return step
  }

  private mutating func outcome(of call: PendingCall) -> Step? {
    switch call.stage {
    case .ready: return nil
    case .answered(let body): return .finish(body)
    case .refused: return .fail(.unsent(draining), cancelling: nil)
    case .queued:
      guard let reason = lost ?? (isDraining ? draining : nil) else { return nil }
      withdraw(call)
      return .fail(.unsent(reason), cancelling: nil)
    case .sent:
      guard let lost else { return nil }
      sent.removeAll { $0.call === call }
      return .fail(.failed(lost), cancelling: nil)
    }
  }

  private mutating func end(of call: PendingCall, at now: MonotonicTime, _ isCancelled: Bool) -> Step? {
    guard let reason = call.end(at: now, isCancelled: isCancelled) else { return nil }
    guard case .sent(let stream) = call.stage else {
      withdraw(call)
      return .fail(.failed(reason), cancelling: nil)
    }
    // Its slot becomes free with its answer, for which nobody waits.
    sent.removeAll { $0.call === call }
    return .fail(.failed(reason), cancelling: stream)
  }

  private func beginning(of call: PendingCall) -> Step? {
    if case .ready = call.stage { .send } else { nil }
  }

  /// The stream number for a call that is about to be sent. Numbers ascend in the order of sending, so no other
  /// call is sent before this one.
  package mutating func assignStream(to call: PendingCall) throws(ExchangeFailure) -> UInt32 {
    if let lost { throw .unsent(lost) }
    if isDraining { throw .unsent(draining) }
    defer { nextStream += 2 }
    if call.stage == .ready(hasSlot: true) { slots.insert(nextStream) }
    call.stage = .sent(nextStream)
    sent.append((nextStream, call))
    return nextStream
  }

  /// Removes a call that was not sent, not even a part of it.
  package mutating func withdraw(_ call: PendingCall) {
    switch call.stage {
    case .queued: queue.removeAll { $0 === call }
    case .ready(hasSlot: true):
      freeSlots += 1
      assignSlots()
    case .sent(let stream):
      sent.removeAll { $0.call === call }
      release(stream)
    case .ready, .answered, .refused: break
    }
  }

  // MARK: Receiving

  /// The caller that has read hands in what it has read, then takes its next step.
  package mutating func stopReading() { reader = nil }

  /// Handles a frame of the engine.
  ///
  /// Throws if no engine sends that frame; the connection is lost then.
  /// - Returns: a buffer that the engine has refused, and why.
  package mutating func receive(_ frame: Frame) throws(Status) -> (buffer: UInt32, failure: Status)? {
    let stream = frame.header.stream
    switch FrameType(rawValue: frame.header.type) {
    case .response:
      release(stream)
      // No caller waits for the answer of a call that was given up.
      guard let index = sent.firstIndex(where: { $0.stream == stream }) else { return nil }
      let call = sent.remove(at: index).call
      call.stage = .answered(frame.body)
      wake(call)
    case .data, nil:
      throw Status(
        .dataLoss, "the engine sent a frame that answers no call; check that a FaceEngine listens there")
    case .some(let type):
      switch try ControlFromEngine(type, stream: stream, frame.body.span) {
      case .goAway(let lastStream): drain(after: lastStream)
      case .registration(let number, let failure?): return (number, failure)
      case .ping, .pong, .credit, .registration: break
      }
    }
    return nil
  }

  /// Handles GOAWAY: the engine serves no call above `lastStream`, and those may be made elsewhere.
  private mutating func drain(after lastStream: UInt32) {
    isDraining = true
    while let last = sent.last, last.stream > lastStream {
      sent.removeLast()
      last.call.stage = .refused
      release(last.stream)
      wake(last.call)
    }
    for call in queue { wake(call) }
  }

  /// No more answers come.
  package mutating func lose(_ reason: Status) {
    if lost == nil { lost = reason }
    for (_, call) in sent { wake(call) }
    for call in queue { wake(call) }
  }
}
