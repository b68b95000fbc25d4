package import FaceCore
import Posix
import Synchronization
import Wire

/// Counts what the engine has done since its start. Safe to use from any thread.
///
/// The event loop takes the lock once per call, and other threads only to read: no call waits for it.
package final class Statistics: Sendable {
  let connectionsTotal = Counter()
  let connectionsRefused = Counter()
  let peersDropped = Counter()
  let receivedBytes = Counter()
  let sentBytes = Counter()
  /// Frames of streams that were replaced by newer ones.
  let framesDropped = Counter()
  /// How often the models' memory was released.
  let modelReleases = Counter()
  /// The number of workers that are running a job.
  package let busyWorkers = Counter()
  /// The number of workers that can run a job.
  let workers = Counter()

  private let accounts: UserAccounts
  private let decoders: (any FileDecoders)?
  private let countAbandonedDecodings: @Sendable () -> Int
  private let now: @Sendable () -> MonotonicTime
  private let start: MonotonicTime
  /// The counters of the engine whose place this one took.
  private let inherited = Monitor(EngineCounters())
  private let methods = Monitor<[Method: MethodRecord]>([:])

  package init(
    _ accounts: UserAccounts, decoders: (any FileDecoders)? = nil,
    countAbandonedDecodings: @escaping @Sendable () -> Int = { 0 },
    now: @escaping @Sendable () -> MonotonicTime = { .now() }
  ) {
    self.accounts = accounts
    self.decoders = decoders
    self.countAbandonedDecodings = countAbandonedDecodings
    self.now = now
    start = now()
  }

  /// Records a call.
  /// - Parameters:
  ///   - failure: the error; `nil` for a call that succeeded.
  ///   - timing: the times; `nil` for a call that was refused before it could wait.
  func record(_ method: Method, failure: StatusCode?, timing: CallTiming?) {
    methods.withLock { records in records[method, default: MethodRecord()].record(failure, timing) }
  }

  /// Records the end of a stream of frames.
  /// - Parameter failure: the error; `nil` for a normal end.
  func recordEnd(of method: Method, failure: StatusCode?) {
    methods.withLock { records in records[method, default: MethodRecord()].recordEnd(failure ?? .ok) }
  }

  /// The time that all calls have run.
  var runTime: TimeSpan {
    methods.withLock { records in
      records.values.reduce(.zero) { $0 + $1.counters.runBuckets.sum }
    }
  }

  /// Sets the counters of the engine whose place this one took; called again with its final ones.
  package func inherit(_ counters: EngineCounters) { inherited.withLock { $0 = counters } }

  /// The counters of this engine and of those before it.
  package var counters: EngineCounters {
    var counters = EngineCounters()
    counters.uptime = now() - start
    counters.connectionsTotal = connectionsTotal.value
    counters.connectionsRefused = connectionsRefused.value
    counters.peersDropped = peersDropped.value
    counters.receivedBytes = receivedBytes.value
    counters.sentBytes = sentBytes.value
    counters.framesDropped = framesDropped.value
    counters.modelReleases = modelReleases.value
    counters.methods = methods.withLock { records in
      Dictionary(uniqueKeysWithValues: records.map { ($0.fullName, $1.counters) })
    }
    counters.add(inherited.withLock { $0 })
    return counters
  }

  var snapshot: EngineStats {
    let total = accounts.total
    let counters = counters
    var stats = EngineStats()
    stats.uptime = counters.uptime
    stats.connections = total.connections
    stats.connectionsTotal = counters.connectionsTotal
    stats.connectionsRefused = counters.connectionsRefused
    stats.peersDropped = counters.peersDropped
    stats.receivedBytes = counters.receivedBytes
    stats.sentBytes = counters.sentBytes
    stats.mappedBytes = total.mappedBytes
    stats.framesDropped = counters.framesDropped
    stats.modelReleases = counters.modelReleases
    stats.queuedCalls = total.queuedCalls
    stats.busyWorkers = busyWorkers.value
    stats.workers = workers.value
    stats.decoders = decoders?.counts ?? DecoderCounts()
    stats.abandonedDecodings = countAbandonedDecodings()
    let known = Method.allCases.map(\.fullName)
    // Methods known only to an engine of another version come last.
    let names = known + Set(counters.methods.keys).subtracting(known).sorted()
    stats.methods = names.compactMap { name in counters.methods[name]?.stats(of: name) }
    return stats
  }
}

/// The times that a call waited and ran.
struct CallTiming: Sendable, BitwiseCopyable {
  var queue: TimeSpan
  /// The running time; `nil` for a call that was refused when its turn came.
  var run: TimeSpan?
}

/// Counts the calls of one method with their failures and times.
struct MethodRecord: Sendable {
  private(set) var counters = MethodCounters()

  /// - Parameter timing: the times; `nil` for a call that was refused before it could wait.
  mutating func record(_ failure: StatusCode?, _ timing: CallTiming?) {
    counters.calls += 1
    if let failure { counters.failures[failure, default: 0] += 1 }
    guard let timing else { return }
    counters.recordQueueTime(timing.queue)
    if let run = timing.run { counters.recordRunTime(run) }
  }

  /// Records the end of a stream.
  mutating func recordEnd(_ code: StatusCode) {
    counters.ends[code, default: 0] += 1
  }
}

/// A counter that any thread may change and read, at the cost of one instruction.
package struct Counter: ~Copyable, Sendable {
  private let storage = Atomic(0)

  var value: Int { storage.load(ordering: .relaxed) }

  package func add(_ amount: Int = 1) {
    storage.wrappingAdd(amount, ordering: .relaxed)
  }

  package func subtract(_ amount: Int = 1) {
    storage.wrappingSubtract(amount, ordering: .relaxed)
  }
}
