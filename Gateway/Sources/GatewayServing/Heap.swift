import CMalloc
import NIOCore
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

  /// Sets whether blocks are overwritten when they are freed. Any thread. M_PERTURB
  package static func overwriteFreed(_ isOn: Bool) { mallopt(M_PERTURB, isOn ? 0x5a : 0) }

  /// Returns freed memory to the system.
  package static func trim() { CurrentProcess.returnFreedMemory() }
}

/// Returns freed memory to the system a second after most of what an account counts was freed, when other requests of
/// the same burst are over. Used on the event loop.
final class HeapTrimmer {
  /// The fewest bytes that are worth it.
  private static let fewest = 8 << 20
  private static let delay = TimeAmount.seconds(1)

  private let loop: any EventLoop
  private var byteCount = 0
  /// The most that was counted since memory was last returned.
  private var peak = 0
  private var isScheduled = false

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  /// - Parameter byteCount: what the account counts now.
  func update(_ byteCount: Int) {
    self.byteCount = byteCount
    peak = max(peak, byteCount)
    guard !isScheduled, peak >= Self.fewest, byteCount <= peak / 4 else { return }
    isScheduled = true
    loop.assumeIsolated().scheduleTask(in: Self.delay) { [self] in
      isScheduled = false
      peak = self.byteCount
      Heap.trim()
    }
  }
}
