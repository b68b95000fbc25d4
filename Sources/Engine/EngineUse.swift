import FaceCore
import Posix
import Synchronization

/// How many threads search with an engine at this moment, by which the child of a fork knows one that it got in the middle
/// of a search: with locks and memory of threads that it does not have. fork(2)
final class EngineUse: Sendable {
  private let process = Atomic(CurrentProcess.id)
  private let running = Atomic(0)

  /// Throws `failedPrecondition` in a child that was forked while the engine was in use.
  func during<Value>(_ search: () throws(Status) -> Value) throws(Status) -> Value {
    try begin()
    defer { running.subtract(1, ordering: .sequentiallyConsistent) }
    return try search()
  }

  private func begin() throws(Status) {
    let current = CurrentProcess.id
    // A sibling that was first has set both.
    if process.load(ordering: .sequentiallyConsistent) != current {
      guard
        running.load(ordering: .sequentiallyConsistent) == 0
          || process.load(ordering: .sequentiallyConsistent) == current
      else {
        throw Status(
          .failedPrecondition,
          "this process was forked while the engine was searching, and got half of it; load the model again here"
        )
      }
      process.store(current, ordering: .sequentiallyConsistent)
    }
    running.add(1, ordering: .sequentiallyConsistent)
  }
}
