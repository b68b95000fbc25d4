public import FaceCore

/// In tests, a whole number is a span of so many nanoseconds.
extension TimeSpan: ExpressibleByIntegerLiteral {
  public init(integerLiteral nanoseconds: Int64) { self.init(nanoseconds: nanoseconds) }
}
