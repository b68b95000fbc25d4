/// Asks the token of a call whether to go on, each time some milliseconds of work were done.
public struct WorkPacer {
  /// Pixels or bytes between two questions.
  public static let step = 1 << 18

  private let token: CancellationToken?
  private var work = 0

  /// - Parameter token: `nil`: never asked.
  public init(_ token: CancellationToken?) { self.token = token }

  /// Throws what the token throws.
  /// - Parameter count: pixels, or bytes, that were worked on since the last call.
  public mutating func add(_ count: Int) throws(Status) {
    work += count
    guard work >= WorkPacer.step else { return }
    work = 0
    try token?.check()
  }

  /// Does `body` for all rows of a picture, some at a time, and asks between them.
  /// - Parameters:
  ///   - width: pixels of a row.
  ///   - body: given rows that begin at an even number.
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
