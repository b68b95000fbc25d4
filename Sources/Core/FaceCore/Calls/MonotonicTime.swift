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
    return MonotonicTime(nanoseconds: TimeSpan(time).nanoseconds)
  }

  /// The moment that is `span` later; `never` if that is too late for a number.
  public static func + (time: MonotonicTime, span: TimeSpan) -> MonotonicTime {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return overflow ? .never : MonotonicTime(nanoseconds: sum)
  }

  /// The time from `earlier` to `later`; the longest one, or the longest back, if it is too long for a number. A peer's
  /// deadline may be that far away.
  public static func - (later: MonotonicTime, earlier: MonotonicTime) -> TimeSpan {
    let (span, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return overflow ? TimeSpan(nanoseconds: later < earlier ? .min : .max) : TimeSpan(nanoseconds: span)
  }

  /// Returns the deadline of something that starts at this moment and may take `span`; `never` for 0.
  public func deadline(after span: TimeSpan) -> MonotonicTime {
    span == .zero ? .never : self + span
  }

  /// Returns the deadline of something that starts now and may take `span`; `never` for 0.
  public static func deadline(after span: TimeSpan) -> MonotonicTime {
    span == .zero ? .never : now() + span
  }

  /// Whether this moment has come. `never` does not come, and needs no clock.
  public var isPast: Bool { self != .never && self <= .now() }

  public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
