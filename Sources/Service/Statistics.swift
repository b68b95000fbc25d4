import FaceCore
import Posix
import Synchronization
import Wire

/// Counts what the engine has done since it was started. Any thread.
///
/// The lock is taken once a call, by the event loop, and else only to be read: no call waits for it.
final class Statistics: Sendable {
  let connectionsTotal = Counter()
  let connectionsRefused = Counter()
  let peersDropped = Counter()
  let receivedBytes = Counter()
  let sentBytes = Counter()
  /// Frames of streams whose place a newer one took.
  let framesDropped = Counter()
  /// Of the models' memory.
  let modelReleases = Counter()
  /// Workers that are at a job now.
  let busyWorkers = Counter()

  private let accounts: UserAccounts
  private let workers: Int
  private let start = MonotonicTime.now()
  private let methods = Monitor<[Method: MethodRecord]>([:])

  /// - Parameter workers: as many jobs as run at a time.
  init(_ accounts: UserAccounts, workers: Int) {
    self.accounts = accounts
    self.workers = workers
  }

  /// Records a call.
  /// - Parameters:
  ///   - failure: `nil` for a call that succeeded.
  ///   - timing: `nil` for a call that was refused before it could wait.
  func record(_ method: Method, failure: StatusCode?, timing: CallTiming?) {
    methods.withLock { records in records[method, default: MethodRecord()].record(failure, timing) }
  }

  /// Records the end of a stream of frames.
  /// - Parameter failure: `nil` for one that came to its proper end.
  func recordEnd(of method: Method, failure: StatusCode?) {
    methods.withLock { records in records[method, default: MethodRecord()].recordEnd(failure ?? .ok) }
  }

  var snapshot: EngineStats {
    let total = accounts.total
    var stats = EngineStats()
    stats.uptime = MonotonicTime.now().nanoseconds - start.nanoseconds
    stats.connections = total.connections
    stats.connectionsTotal = connectionsTotal.value
    stats.connectionsRefused = connectionsRefused.value
    stats.peersDropped = peersDropped.value
    stats.receivedBytes = receivedBytes.value
    stats.sentBytes = sentBytes.value
    stats.mappedBytes = total.mappedBytes
    stats.framesDropped = framesDropped.value
    stats.modelReleases = modelReleases.value
    stats.queuedCalls = total.queuedCalls
    stats.busyWorkers = busyWorkers.value
    stats.workers = workers
    stats.methods = methods.withLock { records in
      Method.allCases.compactMap { method in records[method]?.stats(of: method) }
    }
    return stats
  }
}

/// How long a call waited and ran, in nanoseconds.
struct CallTiming: Sendable, BitwiseCopyable {
  var queue: Int64
  /// `nil` for a call that was refused when its turn came.
  var run: Int64?
}

/// Counts the calls of one method, their failures and times.
struct MethodRecord: Sendable {
  private var calls = 0
  private var failures: [StatusCode: Int] = [:]
  private var queueTime = Histogram()
  private var runTime = Histogram()
  private var ends: [StatusCode: Int] = [:]

  /// - Parameter timing: `nil` for a call that was refused before it could wait.
  mutating func record(_ failure: StatusCode?, _ timing: CallTiming?) {
    calls += 1
    if let failure { failures[failure, default: 0] += 1 }
    guard let timing else { return }
    queueTime.record(timing.queue)
    if let run = timing.run { runTime.record(run) }
  }

  /// A stream has ended.
  mutating func recordEnd(_ code: StatusCode) {
    ends[code, default: 0] += 1
  }

  func stats(of method: Method) -> MethodStats {
    MethodStats(
      method: method.fullName, calls: calls, failures: failures, queueTime: queueTime.summary,
      runTime: runTime.summary, ends: ends)
  }
}

/// A number that any thread may change and read, at the cost of one instruction.
struct Counter: ~Copyable, Sendable {
  private let storage = Atomic(0)

  var value: Int { storage.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) {
    storage.wrappingAdd(amount, ordering: .relaxed)
  }

  func subtract(_ amount: Int = 1) {
    storage.wrappingSubtract(amount, ordering: .relaxed)
  }
}
