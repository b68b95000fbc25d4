import CMalloc
import Posix

/// How this process uses malloc. mallopt(3)
package enum Heap {
  /// Larger blocks are mapped, and thus returned to the system as soon as they are freed.
  private static let mapped: Int32 = 2 << 20
  /// The freed memory that is kept for the next requests, which otherwise spend more time on page faults than on
  /// anything else.
  private static let kept: Int32 = 8 << 20

  /// Sets the limits of what is kept. Called before other threads are started.
  package static func configure() {
    CurrentProcess.shareFreeMemory()
    mallopt(M_MMAP_THRESHOLD, mapped)
    mallopt(M_TRIM_THRESHOLD, kept)
  }

  /// Returns freed memory to the system.
  package static func trim() { CurrentProcess.returnFreedMemory() }
}
