import CMalloc
import NIOCore
import Posix
import Synchronization

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

  package static func trim() { CurrentProcess.returnFreedMemory() }
}

/// Has memory overwritten when it is freed, so that no other block has parts of a person's picture in it: while there
/// is one of these, and a little longer, until the last frames are freed, too. Any thread. M_PERTURB
package final class FreedMemoryEraser: Sendable {
  private static let count = Mutex(0)
  private static let delay = Duration.seconds(2)

  package init() { Self.add(1) }

  deinit {
    Task {
      try? await Task.sleep(for: Self.delay)
      Self.add(-1)
    }
  }

  private static func add(_ change: Int) {
    count.withLock { count in
      count += change
      mallopt(M_PERTURB, count > 0 ? 0x5a : 0)
    }
  }
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
