import CPosixShims
import Glibc

/// A moment in nanoseconds since the machine started; never goes backwards. clock_gettime(2), CLOCK_MONOTONIC
public struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Later than every moment: the deadline of something that has none.
  public static let never = MonotonicTime(nanoseconds: .max)

  public static func now() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The moment `nanoseconds` later; `never` when there is no such moment.
  public func advanced(byNanoseconds nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return overflow ? .never : MonotonicTime(nanoseconds: sum)
  }

  public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Milliseconds from now for poll(2) and epoll_wait(2), rounded up so as not to wake early; -1 for `never`.
  package var pollTimeout: Int32 {
    if self == .never { return -1 }
    let left = nanoseconds - MonotonicTime.now().nanoseconds
    if left <= 0 { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }

  var asTimespec: timespec {
    timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
