/// The counters of an engine since its start, as it passes them on to the process that replaces it.
package struct EngineCounters: Equatable, Sendable {
  package var uptime: TimeSpan = .zero
  package var connectionsTotal = 0
  package var connectionsRefused = 0
  package var peersDropped = 0
  package var receivedBytes = 0
  package var sentBytes = 0
  package var framesDropped = 0
  package var modelReleases = 0
  /// The number of the next connection in the access log.
  package var nextConnection: UInt64 = 0
  /// The methods' counters by full name, including methods of other versions of the engine.
  package var methods: [String: MethodCounters] = [:]

  package init() {}

  /// Adds what another process counted before or after this one.
  package mutating func add(_ other: EngineCounters) {
    uptime = uptime.saturatingAdd(other.uptime)
    connectionsTotal &+= other.connectionsTotal
    connectionsRefused &+= other.connectionsRefused
    peersDropped &+= other.peersDropped
    receivedBytes &+= other.receivedBytes
    sentBytes &+= other.sentBytes
    framesDropped &+= other.framesDropped
    modelReleases &+= other.modelReleases
    nextConnection = max(nextConnection, other.nextConnection)
    for (name, counters) in other.methods { methods[name, default: MethodCounters()].add(counters) }
  }
}

/// The calls of one method, their failures and times.
package struct MethodCounters: Equatable, Sendable {
  package var calls = 0
  package var failures: [StatusCode: Int] = [:]
  package var queueTime = Histogram()
  package var runTime = Histogram()
  package var ends: [StatusCode: Int] = [:]
  package var queueBuckets = DurationBuckets()
  package var runBuckets = DurationBuckets()

  package init() {}

  /// Records how long a call waited.
  package mutating func recordQueueTime(_ duration: TimeSpan) {
    queueTime.record(duration)
    queueBuckets.record(duration)
  }

  /// Records how long a call ran.
  package mutating func recordRunTime(_ duration: TimeSpan) {
    runTime.record(duration)
    runBuckets.record(duration)
  }

  package mutating func add(_ other: MethodCounters) {
    calls &+= other.calls
    failures.merge(other.failures) { $0 &+ $1 }
    ends.merge(other.ends) { $0 &+ $1 }
    queueTime.add(other.queueTime)
    runTime.add(other.runTime)
    queueBuckets.add(other.queueBuckets)
    runBuckets.add(other.runBuckets)
  }

  package func stats(of method: String) -> MethodStats {
    MethodStats(
      method: method, calls: calls, failures: failures, queueTime: queueTime.summary,
      runTime: runTime.summary, ends: ends, queueBuckets: queueBuckets, runBuckets: runBuckets)
  }
}
