import Synchronization

/// Whether the gateway is stopping: calls are finished, and no more are taken.
final class DrainState: Sendable {
  private let state = Atomic(false)

  var isDraining: Bool { state.load(ordering: .acquiring) }

  func begin() { state.store(true, ordering: .releasing) }
}
