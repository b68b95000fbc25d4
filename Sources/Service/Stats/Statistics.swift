import FaceCore
import Posix
import Wire

/// What the engine has done since it was started. Any thread may add to it.
///
/// The lock is taken once a call, by the event loop, and else only to be read: nobody waits for it.
final class Statistics: Sendable {
  let connections = Counter()
  let connectionsTotal = Counter()
  let connectionsRefused = Counter()
  let peersDropped = Counter()
  let receivedBytes = Counter()
  let sentBytes = Counter()
  /// Bytes of shared memory mapped now.
  let mappedBytes = Counter()
  /// Frames of streams whose place a newer one took.
  let framesDropped = Counter()

  private let start = MonotonicTime.now()
  private let methods = Monitor<[Method: MethodRecord]>([:])

  /// - Parameters:
  ///   - failure: `nil` for a call that succeeded.
  ///   - timing: `nil` for a call that was refused before it could wait.
  func add(_ method: Method, failure: StatusCode?, timing: CallTiming?) {
    methods.withLock { records in records[method, default: MethodRecord()].add(failure, timing) }
  }

  /// A stream of frames has ended.
  /// - Parameter failure: `nil` for one that came to its proper end.
  func addEnd(_ method: Method, failure: StatusCode?) {
    methods.withLock { records in records[method, default: MethodRecord()].addEnd(failure ?? .ok) }
  }

  var snapshot: EngineStats {
    var stats = EngineStats()
    stats.uptime = MonotonicTime.now().nanoseconds - start.nanoseconds
    stats.connections = connections.value
    stats.connectionsTotal = connectionsTotal.value
    stats.connectionsRefused = connectionsRefused.value
    stats.peersDropped = peersDropped.value
    stats.receivedBytes = receivedBytes.value
    stats.sentBytes = sentBytes.value
    stats.mappedBytes = mappedBytes.value
    stats.framesDropped = framesDropped.value
    stats.methods = methods.withLock { records in
      Method.allCases.compactMap { method in records[method]?.stats(of: method) }
    }
    return stats
  }
}
