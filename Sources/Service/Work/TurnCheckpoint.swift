import FaceCore
import Posix
import Synchronization

/// Ends the work of a turn that nobody waits for any more; asked between the stages of the work.
final class TurnCheckpoint: Checkpoint, Sendable {
  private let deadline: MonotonicTime
  private let isWithdrawn = Atomic(false)

  /// - Parameter deadline: when its caller stops waiting.
  init(deadline: MonotonicTime) {
    self.deadline = deadline
  }

  /// From any thread.
  func withdraw() {
    isWithdrawn.store(true, ordering: .relaxed)
  }

  func check() throws(Status) {
    // Nobody hears of it: who withdrew the call was answered then, or is gone.
    if isWithdrawn.load(ordering: .relaxed) { throw Status(.cancelled, "the call was withdrawn") }
    guard deadline == .never || MonotonicTime.now() < deadline else {
      throw Status(
        .deadlineExceeded, "the call's time ran out while it ran; allow more, or set a max side")
    }
  }
}
