import FaceCore
import Posix
import Synchronization

/// Counts the threads that are searching with an engine. The child of a fork refuses an engine that was in
/// use at the time of the fork: its locks and memory belong to threads that the child does not have. Source:
/// fork(2).
final class EngineUse: Sendable {
  private let process = Atomic(CurrentProcess.id)
  private let running = Atomic(0)

  /// Runs `search` between `begin` and `end`.
  func during<Value>(_ search: () throws(Status) -> Value) throws(Status) -> Value {
    try begin()
    defer { end() }
    return try search()
  }

  func end() {
    running.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Marks the start of a search, which `end` must follow. Throws `failedPrecondition` in a child that was
  /// forked while the engine was in use.
  func begin() throws(Status) {
    let current = CurrentProcess.id
    // Another thread of the child may have set both already.
    if process.load(ordering: .sequentiallyConsistent) != current {
      guard
        running.load(ordering: .sequentiallyConsistent) == 0
          || process.load(ordering: .sequentiallyConsistent) == current
      else {
        throw Status(
          .failedPrecondition,
          "this process was forked while the engine was searching; load the model again in this process"
        )
      }
      process.store(current, ordering: .sequentiallyConsistent)
    }
    running.add(1, ordering: .sequentiallyConsistent)
  }
}
