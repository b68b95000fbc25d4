import Synchronization

/// How far the gateway is on its way to its end.
final class DrainState: Sendable {
  private enum Phase: UInt8, AtomicRepresentable {
    case serving
    /// Health says NOT_SERVING, so that balancers choose other machines; calls are still taken.
    case lameDuck
    /// Calls are finished, and no more are taken.
    case draining
  }

  private let phase = Atomic(Phase.serving)

  /// Whether the gateway was told to stop.
  var isStopping: Bool { phase.load(ordering: .acquiring) != .serving }

  /// Whether no more calls are taken.
  var isDraining: Bool { phase.load(ordering: .acquiring) == .draining }

  func announce() { phase.store(.lameDuck, ordering: .releasing) }

  func begin() { phase.store(.draining, ordering: .releasing) }
}
