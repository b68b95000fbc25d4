import FaceCore
import GatewayCoding
import NIOCore
import NIOPosix

/// A call or a stream that needs room on a connection to the engine.
protocol EngineWork: AnyObject {
  /// The time limit in nanoseconds; 0 for none.
  var timeout: Int64 { get set }

  /// Begins on `connection`, where a place was reserved.
  func begin(on connection: EngineConnection)

  /// Fails, since there will be no place.
  func fail(_ failure: CallFailure)
}

/// The connections to the engine for one purpose, opened on demand, and the calls that wait for a place on
/// them. Used on one event loop.
final class EnginePool {
  enum Use {
    case calls, streams
  }

  private struct Waiting {
    let work: any EngineWork
    let arrival: NIODeadline
    /// Ends the wait at the deadline.
    let timer: Scheduled<Void>?
  }

  private static let maxWaiting = 512

  /// Called when no connection is left.
  var lostLast: () -> Void = {}
  /// Called when an attempt to connect succeeds after one that failed, or fails after one that succeeded.
  var reachableChanged: (Bool) -> Void = { _ in }

  let sharing: ImageSharing

  private let path: String
  private let loop: any EventLoop
  private let use: Use
  private let most: Int
  private var connections: [EngineConnection] = []
  private var isConnecting = false
  private var isReachable = true {
    didSet { if isReachable != oldValue { reachableChanged(isReachable) } }
  }
  private var waiting: [Waiting] = []

  init(path: String, loop: any EventLoop, use: Use, most: Int, sharing: ImageSharing) {
    self.sharing = sharing
    self.path = path
    self.loop = loop
    self.use = use
    self.most = most
  }

  var waitingCount: Int { waiting.count }

  /// Begins `work` as soon as there is room, in the order of arrival.
  func start(_ work: any EngineWork) {
    if waiting.isEmpty, let connection = reserve() { return work.begin(on: connection) }
    guard waiting.count < Self.maxWaiting else {
      return work.fail(
        CallFailure(
          .resourceExhausted, "\(waiting.count) calls wait for the engine, as many as may; try again later",
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
    waiting.append(Waiting(work: work, arrival: .now(), timer: timer))
    connectIfNeeded()
  }

  /// Removes a waiting call.
  func cancel(_ work: any EngineWork) {
    guard let index = waiting.firstIndex(where: { $0.work === work }) else { return }
    waiting.remove(at: index).timer?.cancel()
  }

  static var late: CallFailure {
    CallFailure(.deadlineExceeded, "the time was over before the engine had room for the call")
  }

  // MARK: Room

  /// Reserves a place on a connection.
  private func reserve() -> EngineConnection? {
    switch use {
    case .calls: return connections.first { $0.reserveCall() }
    case .streams:
      // One without streams or, if no more connections may be made, the one with the fewest.
      guard let least = connections.min(by: { $0.streamCount < $1.streamCount }) else { return nil }
      guard least.streamCount == 0 || connections.count >= most else { return nil }
      if least.reserveStream() { return least }
      return connections.first { $0.reserveStream() }
    }
  }

  /// Begins waiting calls after a place has become free.
  func roomFreed() {
    if !waiting.isEmpty { beginWaiting() }
  }

  private func beginWaiting() {
    while !waiting.isEmpty, let connection = reserve() {
      let next = waiting.removeFirst()
      next.timer?.cancel()
      if next.work.timeout > 0 {
        // The time spent waiting is subtracted.
        next.work.timeout -= (NIODeadline.now() - next.arrival).nanoseconds
        if next.work.timeout <= 0 {
          connection.release(use)
          next.work.fail(Self.late)
          continue
        }
      }
      next.work.begin(on: connection)
    }
    connectIfNeeded()
  }

  /// Fails the calls whose time is over, if the engine does not.
  func sweep(_ now: NIODeadline, isStuck: Bool) {
    for connection in connections { connection.sweep(now, isStuck: isStuck) }
    for each in waiting { (each.work as? EngineCall)?.sweep(now, isStuck: isStuck) }
  }

  // MARK: Connections

  private func connectIfNeeded() {
    guard !waiting.isEmpty, !isConnecting, connections.count < most else { return }
    isConnecting = true
    ClientBootstrap(group: loop)
      .connectTimeout(.seconds(5))
      .connect(unixDomainSocketPath: path)
      .assumeIsolated().whenComplete { result in
        switch result {
        case .success(let channel):
          self.isReachable = true
          self.greet(channel)
        case .failure:
          self.isReachable = false
          self.connected(.failure(.unreachable))
        }
      }
  }

  private func greet(_ channel: any Channel) {
    let connection = EngineConnection(channel, pool: self)
    // Ends a connection whose peer accepts it and sends nothing.
    let timer = loop.assumeIsolated().scheduleTask(in: .seconds(10)) { connection.end() }
    connection.start { failure in
      timer.cancel()
      self.connected(failure.map { .failure($0) } ?? .success(connection))
    }
  }

  private func connected(_ result: Result<EngineConnection, CallFailure>) {
    isConnecting = false
    switch result {
    case .success(let connection):
      connections.append(connection)
      beginWaiting()
    case .failure(let failure):
      // Other connections will have room.
      guard connections.isEmpty else { return }
      let all = waiting
      waiting = []
      for each in all {
        each.timer?.cancel()
        each.work.fail(failure)
      }
    }
  }

  /// Removes a connection that takes no more calls.
  func lost(_ connection: EngineConnection) {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
    connections.remove(at: index)
    if connections.isEmpty { lostLast() }
    beginWaiting()
  }
}
