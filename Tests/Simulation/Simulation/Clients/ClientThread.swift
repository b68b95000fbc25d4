import Client
import FaceCore
import Posix
import Wire

/// A thread of the client, which does what is decided one step after the other.
class ClientThread {
  unowned let simulation: ClientSimulation
  let number: Int
  private(set) var version = 0
  /// What it waits for; `nil` while it runs.
  private(set) var waitsFor: AnyObject?
  /// The end of the call, and whether it was cancelled.
  var deadline = MonotonicTime.never
  var isCancelled = false
  var end: ClientEnd?
  private var sending: Sending?

  private struct Sending {
    var turn: SendTurn
    var deadline: MonotonicTime
    var hasTurn = false
    let make: () throws(ExchangeFailure) -> [UInt8]
    let began: () -> Void
    let done: (Result<Bool, ExchangeFailure>) throws(Finding) -> Void
  }

  init(_ simulation: ClientSimulation, number: Int) {
    (self.simulation, self.number) = (simulation, number)
    run()
  }

  var random: SeededRandom {
    get { simulation.random }
    set { simulation.random = newValue }
  }

  var hasSending: Bool { sending != nil }
  var hasTurn: Bool { sending?.hasTurn == true }
  /// Whether it will see that the turn is free.
  var isTakingTurn: Bool { hasSending && waitsFor == nil }
  /// Whether the end of its call has not come to it.
  var isOverdue: Bool {
    guard let waitsFor, deadline < simulation.now || isCancelled else { return false }
    return !(hasTurn && waitsFor === end?.wire)
  }
  var failure: Status? {
    isCancelled ? Canceller.status : deadline <= simulation.now ? .unanswered : nil
  }

  // MARK: Running

  /// Takes the next step soon.
  func run(after pause: TimeSpan? = nil) {
    waitsFor = nil
    let slow: TimeSpan = random.isLucky(oneIn: 50) ? .milliseconds(2) : .microseconds(5)
    plan(simulation.now + (pause ?? random.span(from: .nanoseconds(100), to: slow)))
  }

  /// Waits until woken, or for a time; at times, a thread wakes for no reason.
  func wait(for condition: AnyObject, until time: MonotonicTime) {
    waitsFor = condition
    let chance = simulation.now + .milliseconds(1)
    plan(random.isLucky(oneIn: 40) ? min(time, chance) : time)
  }

  /// Waits for bytes until the end of the call.
  func waitToRead(_ wire: StandInWire) {
    if wire.isReadable || failure != nil { run() } else { wait(for: wire, until: deadline) }
  }

  private func plan(_ time: MonotonicTime) {
    version += 1
    if time != .never { simulation.add(.thread(number, version), after: time - simulation.now) }
  }

  final func act() throws(Finding) {
    waitsFor = nil
    if sending != nil { try send() } else { try proceed() }
  }

  func proceed() throws(Finding) {}

  // MARK: Sending

  /// Sends a frame as `FramedSocket` does.
  func send(
    _ make: @escaping () throws(ExchangeFailure) -> [UInt8], began: @escaping () -> Void = {},
    done: @escaping (Result<Bool, ExchangeFailure>) throws(Finding) -> Void
  ) {
    sending = Sending(
      turn: SendTurn(gone: ClientEnd.gone), deadline: deadline, make: make, began: began, done: done)
    run()
  }

  /// Sends CANCEL.
  func sendQueued(_ frame: [UInt8], done: @escaping () throws(Finding) -> Void) throws(Finding) {
    guard let end, let turn = SendTurn(queuing: frame, in: &end.queue, gone: ClientEnd.gone) else {
      return try done()
    }
    sending = Sending(
      turn: turn, deadline: simulation.now + .milliseconds(10), make: { () throws(ExchangeFailure) in frame },
      began: {}, done: { (_) throws(Finding) in try done() })
    sending?.hasTurn = true
    run()
  }

  private func send() throws(Finding) {
    guard var now = sending, let end else { return }
    let failure = now.deadline == deadline ? failure : now.deadline <= simulation.now ? .unanswered : nil
    let step = now.turn.next(&end.queue, end: failure)
    defer { if sending != nil { sending = now } }
    switch step {
    case .awaitTurn: return wait(for: end.turns, until: now.deadline)
    case .makeFrame:
      now.hasTurn = true
      now.turn.made(Result(catching: now.make))
      run()
    case .write(let isStart):
      now.hasTurn = true
      let transfer = end.wire.write(now.turn.rest)
      if isStart, case .bytes = transfer { now.began() }
      now.turn.wrote(transfer, &end.queue)
      run()
    case .awaitRoom:
      if end.wire.hasRoom { return run() }
      wait(for: end.wire, until: min(now.deadline, simulation.now + .milliseconds(100)))
    case .done(let outcome):
      sending = nil
      simulation.wakeOne(end.turns)
      run()
      try now.done(outcome)
    }
  }
}
