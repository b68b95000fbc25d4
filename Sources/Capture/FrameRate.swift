/// Frames a second, as a fraction: 30000/1001 is none that a decimal number gives.
public struct FrameRate: Equatable, Sendable {
  public let numerator: UInt32
  public let denominator: UInt32

  /// `nil` where one of them is 0.
  public init?(_ numerator: UInt32, _ denominator: UInt32 = 1) {
    guard numerator > 0, denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Nanoseconds from the first frame to the one of this index, counted from 0; the largest number there is where that is
  /// beyond it.
  public func time(ofFrame index: UInt64) -> UInt64 {
    let (ticks, overflow) = index.multipliedReportingOverflow(by: UInt64(denominator))
    guard !overflow else { return .max }
    let nanoseconds = ticks.multipliedFullWidth(by: 1_000_000_000)
    guard nanoseconds.high < numerator else { return .max }
    return UInt64(numerator).dividingFullWidth(nanoseconds).quotient
  }
}
