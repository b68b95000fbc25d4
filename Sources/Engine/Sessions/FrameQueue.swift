import FaceCore
import Posix

/// The frames of a session that have had no event yet, in the order of submission; the dropped ones among them, since
/// their events keep that order too.
struct FrameQueue {
  struct Entry {
    let frame: FrameInfo
    /// `nil`: dropped.
    var image: HeldImage?
    /// Must be begun by then.
    let deadline: MonotonicTime
    /// Frames dropped before and with this one, where it was.
    var dropped: UInt64 = 0
  }

  /// Taken from the front by moving `first`, so that a steady stream allocates nothing.
  private var entries: [Entry] = []
  private var first = 0
  private(set) var droppedTotal: UInt64 = 0

  init() {
    entries.reserveCapacity(2 * FrameQueue.compactAt)
  }

  var count: Int { entries.count - first }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
  }

  /// Drops the frame at the end, if one waits there.
  /// - Returns: its image, to be let go of when no lock is held.
  mutating func dropLast() -> HeldImage? {
    guard count > 0, let image = entries[entries.count - 1].image.take() else { return nil }
    droppedTotal += 1
    entries[entries.count - 1].dropped = droppedTotal
    return image
  }

  mutating func popFirst() -> Entry? {
    guard count > 0 else { return nil }
    let entry = entries[first]
    entries[first].image = nil
    first += 1
    if first == entries.count {
      entries.removeAll(keepingCapacity: true)
      first = 0
    } else if first == FrameQueue.compactAt {
      entries.removeFirst(first)
      first = 0
    }
    return entry
  }

  private static let compactAt = 32
}
