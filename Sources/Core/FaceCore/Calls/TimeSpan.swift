package import struct Glibc.timespec

/// A length of time in whole nanoseconds.
///
/// Eight bytes, unlike Swift's `Duration` (sixteen, of attoseconds): option tables load it by offset, and
/// messages and C structs have the same number.
public struct TimeSpan: Comparable, Hashable, AdditiveArithmetic, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Nanoseconds of a message or of a C struct; `max` if there are more.
  public init(clamping nanoseconds: UInt64) {
    self.nanoseconds = Int64(clamping: nanoseconds)
  }

  public static let zero = TimeSpan(nanoseconds: 0)
  /// Longer than anything lasts: the value of a limit that does not apply.
  public static let max = TimeSpan(nanoseconds: .max)

  public static func nanoseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count) }
  public static func microseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1000) }
  public static func milliseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1_000_000) }
  public static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1_000_000_000) }

  /// Returns the sum; `max` if it is too large for a number.
  public func saturatingAdd(_ other: TimeSpan) -> TimeSpan {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(other.nanoseconds)
    return overflow ? .max : TimeSpan(nanoseconds: sum)
  }

  /// The length in seconds, for texts and rates.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds + b.nanoseconds)
  }
  public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  public static func * (a: TimeSpan, factor: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds * factor)
  }
  public static func / (a: TimeSpan, divisor: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds / divisor)
  }
  /// How many times `b` fits into `a`.
  public static func / (a: TimeSpan, b: TimeSpan) -> Int64 { a.nanoseconds / b.nanoseconds }
}

extension TimeSpan {
  package init(_ time: timespec) {
    self = .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  package var asTimespec: timespec {
    timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}

extension UInt64 {
  /// Nanoseconds for a message or a C struct; 0 for a negative span.
  public init(clamping span: TimeSpan) { self.init(clamping: span.nanoseconds) }
}
