package import FaceCore
import Posix
import Synchronization
import Wire

/// Counts what the engine has done since its start. Safe to use from any thread.
///
/// The event loop takes the lock a few times per call, and other threads only to read: no call waits for it.
package final class Statistics: Sendable {
  private struct State {
    /// All but the methods'.
    var own = EngineCounters()
    var methods: [Method: MethodCounters] = [:]
    /// The counters of the engine whose place this one took.
    var inherited = EngineCounters()
  }

  package let busyWorkers = Counter()
  /// The number of workers that can run a job.
  let workers = Counter()

  private let accounts: UserAccounts
  private let decoders: (any FileDecoders)?
  private let countAbandonedDecodings: @Sendable () -> Int
  private let now: @Sendable () -> MonotonicTime
  private let start: MonotonicTime
  private let state = Monitor(State())

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

  func count(_ body: (inout EngineCounters) -> Void) { state.withLock { body(&$0.own) } }

  /// Records a call.
  /// - Parameters:
  ///   - failure: the error; `nil` for a call that succeeded.
  ///   - timing: the times; `nil` for a call that was refused before it could wait.
  func record(_ method: Method, failure: StatusCode?, timing: CallTiming?) {
    state.withLock { state in
      var counters = state.methods.removeValue(forKey: method) ?? MethodCounters()
      counters.calls += 1
      if let failure { counters.failures[failure, default: 0] += 1 }
      if let timing { counters.recordQueueTime(timing.queue) }
      if let run = timing?.run { counters.recordRunTime(run) }
      state.methods[method] = counters
    }
  }

  /// Records the end of a stream of frames.
  /// - Parameter failure: the error; `nil` for a normal end.
  func recordEnd(of method: Method, failure: StatusCode?) {
    state.withLock { $0.methods[method, default: MethodCounters()].ends[failure ?? .ok, default: 0] += 1 }
  }

  /// The time that all calls have run.
  var runTime: TimeSpan {
    state.withLock { $0.methods.values.reduce(.zero) { $0 + $1.runBuckets.sum } }
  }

  /// Sets the counters of the engine whose place this one took; called again with its final ones.
  package func inherit(_ counters: EngineCounters) { state.withLock { $0.inherited = counters } }

  /// The counters of this engine and of those before it.
  package var counters: EngineCounters {
    let state = state.withLock { $0 }
    var counters = state.own
    counters.uptime = now() - start
    for (method, own) in state.methods { counters.methods[method.fullName] = own }
    counters.add(state.inherited)
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
