import Posix

/// How much of the memory that a user may share with the engine each stream of a client takes, so that all of them have
/// some. Another share is that of calls.
final class MemoryShares: Sendable {
  private let streams = Monitor(0)

  func enter() { streams.withLock { count in count += 1 } }
  func leave() { streams.withLock { count in count -= 1 } }

  /// Bytes of one share of `total`.
  func share(of total: Int) -> Int { total / (streams.withLock { count in count } + 1) }
}
