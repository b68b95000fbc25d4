/// Checks the cancellation token of a call after every few milliseconds of work.
public struct WorkPacer {
  /// Pixels or bytes between two checks.
  public static let step = 1 << 18

  private let token: CancellationToken?
  private var work = 0

  /// - Parameter token: `nil`: no checks.
  public init(_ token: CancellationToken?) { self.token = token }

  /// Throws what the token throws.
  /// - Parameter count: pixels, or bytes, that were worked on since the last call.
  public mutating func add(_ count: Int) throws(Status) {
    work += count
    guard work >= WorkPacer.step else { return }
    work = 0
    try token?.check()
  }

  /// Runs `body` for all rows of a picture, some at a time, and checks the token in between.
  /// - Parameters:
  ///   - width: pixels of a row.
  ///   - body: receives ranges of rows that begin at an even number.
  public static func forRows(
    _ height: Int, width: Int, _ token: CancellationToken?, _ body: (Range<Int>) throws(Status) -> Void
  ) throws(Status) {
    let rows = max(2, step / max(1, width) & ~1)
    var row = 0
    while row < height {
      if row > 0 { try token?.check() }
      let end = min(height, row + rows)
      try body(row..<end)
      row = end
    }
  }
}
