import FaceCore
import GatewayCoding
import NIOCore

/// A call or a stream that needs room on a connection to the engine.
protocol EngineWork: AnyObject {
  /// The time limit in nanoseconds; 0 for none.
  var timeout: Int64 { get set }

  /// Begins on `connection`, where a place was reserved.
  func begin(on connection: EngineConnection)

  /// Fails, since there will be no place.
  func fail(_ failure: CallFailure)
}

/// Looks whether there is a place for a stream, and leaves it to others.
final class PlaceCheck: EngineWork {
  var timeout = FaceCalls.patience
  private let completion: (CallFailure?) -> Void

  /// - Parameter completion: called once, with the reason if there is none.
  init(_ completion: @escaping (CallFailure?) -> Void) {
    self.completion = completion
  }

  func begin(on connection: EngineConnection) {
    connection.release(.streams)
    completion(nil)
  }

  func fail(_ failure: CallFailure) { completion(failure) }
}

/// The connections to the engine for one purpose, opened on demand, and the calls that wait for a place on
/// them. Used on one event loop.
final class EnginePool {
  enum Use {
    case calls, streams
  }

  /// What becomes of work without room.
  private enum State {
    /// There are as many connections as are needed, or as there may be.
    case settled
    case connecting(ConnectionAttempt)
    /// The engine answers nothing: work fails at once.
    case refusing(CallFailure)
  }

  private struct Waiting {
    let work: any EngineWork
    let arrival: NIODeadline
    let isMoved: Bool
    /// Ends the wait at the deadline.
    let timer: Scheduled<Void>?
  }

  private static let maxWaiting = 512
  private static let overduePatience = 8

  var lostLast: () -> Void = {}
  /// Called when an attempt to connect succeeds after one that failed, or fails after one that succeeded.
  var reachableChanged: (Bool) -> Void = { _ in }

  let sharing: ImageSharing

  private let connect: EngineLink.Connect
  let loop: any EventLoop
  private let use: Use
  private let most: Int
  /// All connections, also those that take no more calls and answer what they have.
  private var connections: [EngineConnection] = []
  private var state = State.settled
  private var isReachable = true {
    didSet { if isReachable != oldValue { reachableChanged(isReachable) } }
  }
  private var waiting: [Waiting] = []
  private var overdueTicks = 0

  init(
    loop: any EventLoop, use: Use, most: Int, sharing: ImageSharing, _ connect: @escaping EngineLink.Connect
  ) {
    self.sharing = sharing
    self.connect = connect
    self.loop = loop
    self.use = use
    self.most = most
  }

  var waitingCount: Int { waiting.count }

  /// Begins `work` as soon as there is room, in the order of arrival.
  ///
  /// - Parameter isMoved: whether it had a place already. Then it comes before all that had none, however much waits.
  func start(_ work: any EngineWork, isMoved: Bool = false) {
    if case .refusing(let failure) = state { return work.fail(failure) }
    if waiting.isEmpty, let connection = reserve() { return work.begin(on: connection) }
    guard isMoved || waiting.count < Self.maxWaiting else {
      return work.fail(
        CallFailure(
          .resourceExhausted,
          "\(waiting.count) calls wait for the engine, which is the limit; try again later",
          .limit("gateway_waiting_calls")))
    }
    var timer: Scheduled<Void>?
    if work.timeout > 0 {
      timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(work.timeout)) { [weak self, weak work] in
        guard let work else { return }
        self?.cancel(work)
        work.fail(Self.late)
      }
    }
    let index = isMoved ? waiting.firstIndex { !$0.isMoved } : nil
    waiting.insert(
      Waiting(work: work, arrival: loop.now, isMoved: isMoved, timer: timer), at: index ?? waiting.endIndex)
    connectIfNeeded()
  }

  func cancel(_ work: any EngineWork) {
    guard let index = waiting.firstIndex(where: { $0.work === work }) else { return }
    waiting.remove(at: index).timer?.cancel()
  }

  static var late: CallFailure {
    CallFailure(.deadlineExceeded, "the call's deadline passed before the engine had room for it")
  }

  // MARK: Room

  /// Reserves a place on a connection.
  ///
  /// - Parameter isFull: whether no more connections can be made.
  private func reserve(isFull: Bool = false) -> EngineConnection? {
    switch use {
    case .calls: return connections.first { $0.reserveCall() }
    case .streams:
      // One without streams or, if no more connections may be made, the one with the fewest.
      guard let least = open.min(by: { $0.streamCount < $1.streamCount }) else { return nil }
      guard least.streamCount == 0 || isFull || open.count >= most else { return nil }
      if least.reserveStream() { return least }
      return connections.first { $0.reserveStream() }
    }
  }

  /// Begins waiting calls after a place has become free.
  func roomFreed() {
    if !waiting.isEmpty { beginWaiting() }
  }

  private func beginWaiting(isFull: Bool = false) {
    while !waiting.isEmpty, let connection = reserve(isFull: isFull) {
      let next = waiting.removeFirst()
      next.timer?.cancel()
      if next.work.timeout > 0 {
        // The time spent waiting is subtracted.
        next.work.timeout -= (loop.now - next.arrival).nanoseconds
        if next.work.timeout <= 0 {
          connection.release(use)
          next.work.fail(Self.late)
          continue
        }
      }
      next.work.begin(on: connection)
    }
    // Otherwise with the next tick.
    if !isFull { connectIfNeeded() }
  }

  // MARK: Connections

  /// The connections that take calls.
  private var open: [EngineConnection] { connections.filter(\.isOpen) }

  private func connectIfNeeded() {
    guard case .settled = state, !waiting.isEmpty, open.count < most else { return }
    let attempt = ConnectionAttempt(pool: self) { [weak self] attempt, result in
      self?.ended(attempt, result)
    }
    state = .connecting(attempt)
    attempt.begin(connect)
  }

  private func ended(_ attempt: ConnectionAttempt, _ result: Result<EngineConnection, CallFailure>) {
    guard case .connecting(let current) = state, current === attempt else { return }
    state = .settled
    isReachable = attempt.isReached
    switch result {
    case .success(let connection):
      connections.append(connection)
      assert(open.count <= most, "there are more connections than may be")
      beginWaiting()
    case .failure(let failure):
      if open.isEmpty { failWaiting(failure) } else { beginWaiting(isFull: true) }
    }
  }

  private func failWaiting(_ failure: CallFailure) {
    let all = waiting
    waiting = []
    for each in all {
      each.timer?.cancel()
      each.work.fail(failure)
    }
  }

  /// A connection takes no more calls.
  func retired() {
    if open.isEmpty { lostLast() }
    beginWaiting()
  }

  func lost(_ connection: EngineConnection) {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
    connections.remove(at: index)
    retired()
  }

  // MARK: An engine that does not answer

  var isRefusing: Bool { if case .refusing = state { true } else { false } }

  /// Fails everything that waits for the engine or is with it, and all that comes until `accept`.
  func refuse(_ failure: CallFailure) {
    let last = state
    state = .refusing(failure)
    if case .connecting(let attempt) = last { attempt.giveUp(failure) }
    failWaiting(failure)
    end(failure)
  }

  func accept() {
    if isRefusing { state = .settled }
  }

  func end(_ failure: CallFailure) {
    for connection in connections { connection.end(failure) }
  }

  // MARK: Time

  /// Ends what has had its time. Called again and again.
  func tick(_ now: NIODeadline) {
    if case .connecting(let attempt) = state { attempt.tick() }
    for connection in connections { connection.tick(now) }
    connectIfNeeded()
    overdueTicks = isOverdue(now) ? overdueTicks + 1 : 0
  }

  /// Whether something should have ended and has not, which is this program's fault: the engine cannot cause it.
  private func isOverdue(_ now: NIODeadline) -> Bool {
    let isLate = waiting.contains { $0.work.timeout > 0 && now - $0.arrival > .nanoseconds($0.work.timeout) }
    switch state {
    case .settled: return isLate || !waiting.isEmpty && open.isEmpty
    case .connecting(let attempt): return isLate || attempt.isOverdue
    case .refusing: return !waiting.isEmpty
    }
  }

  /// Whether the pool serves nobody any more, although it could: only another process helps.
  var isStuck: Bool { overdueTicks > Self.overduePatience }
}
