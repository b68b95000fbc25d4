package import FaceCore
package import NIOCore

/// Measures whether a client takes what waits for it, or sends what it announced: all of it, or a least number of bytes
/// in each period.
package struct TransferRate {
  /// Bytes a second below which a connection is dead.
  package static let least = 1 << 10
  private static let maxPeriod = TimeAmount.seconds(30)

  private let least: Int
  private var start: (time: NIODeadline, byteCount: Int)?

  /// - Parameter least: bytes a second.
  package init(least: Int = Self.least) { self.least = least }

  package static func period(_ timeout: TimeAmount) -> TimeAmount { min(timeout, maxPeriod) }

  /// Returns `false` after a period in which the client moved too little. Called every second.
  ///
  /// - Parameters:
  ///   - byteCount: the bytes that were moved since the start.
  ///   - isAwaited: whether the client is to move more.
  package mutating func suffices(
    _ now: NIODeadline, _ byteCount: Int, isAwaited: Bool = true, in period: TimeAmount
  ) -> Bool {
    guard isAwaited else {
      start = nil
      return true
    }
    guard let start else {
      self.start = (now, byteCount)
      return true
    }
    guard now - start.time >= period else { return true }
    self.start = (now, byteCount)
    return byteCount - start.byteCount >= least * Int(period.nanoseconds / 1_000_000) / 1000
  }
}

extension Status {
  /// The error of a request, or of a message, that arrives too slowly.
  package static func slow(_ time: TimeAmount) -> Status {
    Status(
      .deadlineExceeded,
      "less than \(TransferRate.least) bytes a second arrived for \(time.nanoseconds / 1_000_000_000) s (--request-timeout); send it again"
    )
  }
}
