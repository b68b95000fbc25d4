import Synchronization

/// The phase of the gateway's shutdown.
package final class DrainState: Sendable {
  private enum Phase: UInt8, AtomicRepresentable {
    case serving
    /// Health reports NOT_SERVING, so that load balancers choose other machines; calls are still accepted.
    case lameDuck
    /// Calls are finished, and no more are accepted.
    case draining
  }

  private let phase = Atomic(Phase.serving)

  package init() {}

  /// Whether the gateway was told to stop.
  package var isStopping: Bool { phase.load(ordering: .acquiring) != .serving }

  /// Whether no more calls are accepted.
  package var isDraining: Bool { phase.load(ordering: .acquiring) == .draining }

  /// A gateway that drains continues to do so.
  package func announce() {
    _ = phase.compareExchange(expected: .serving, desired: .lameDuck, ordering: .acquiringAndReleasing)
  }

  package func begin() { phase.store(.draining, ordering: .releasing) }
}
