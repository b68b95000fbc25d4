import var Glibc.CLOCK_MONOTONIC
import func Glibc.clock_gettime
import struct Glibc.timespec

/// A moment in nanoseconds since the machine started; never goes backwards. clock_gettime(2), CLOCK_MONOTONIC
public struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// A moment later than all others: the deadline of something without a limit.
  public static let never = MonotonicTime(nanoseconds: .max)

  public static func now() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Returns the moment `nanoseconds` later; `never` if that is too large.
  public func advanced(byNanoseconds nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return overflow ? .never : MonotonicTime(nanoseconds: sum)
  }

  /// Returns the deadline of something that starts at this moment and may take `nanoseconds`; `never` for 0.
  public func deadline(after nanoseconds: Int64) -> MonotonicTime {
    nanoseconds == 0 ? .never : advanced(byNanoseconds: nanoseconds)
  }

  /// Returns the deadline of something that starts now and may take `nanoseconds`; `never` for 0.
  public static func deadline(after nanoseconds: Int64) -> MonotonicTime {
    nanoseconds == 0 ? .never : now().advanced(byNanoseconds: nanoseconds)
  }

  /// Whether this moment has come. `never` does not come, and needs no clock.
  public var isPast: Bool { self != .never && self <= .now() }

  public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
