import FaceCore
import TestSupport
import Testing

@Suite struct OrientationTests {
  /// The visual side at which the stored first row and first column are.
  /// Source: CIPA DC-008 (Exif 2.32), 4.6.4.A "Orientation", whose sentences these are.
  private enum Side { case top, bottom, left, right }

  private static let definition: [(value: UInt8, firstRow: Side, firstColumn: Side)] = [
    (1, .top, .left), (2, .top, .right), (3, .bottom, .right), (4, .bottom, .left),
    (5, .left, .top), (6, .right, .top), (7, .right, .bottom), (8, .left, .bottom),
  ]

  private static let stored = PixelSize(width: 5, height: 3)

  @Test func everyStoredPixelStandsWhereExifSays() throws {
    for (value, firstRow, firstColumn) in Self.definition {
      let orientation = try #require(Orientation(rawValue: value))
      let upright = orientation.uprightSize(of: Self.stored)
      for y in 0..<Self.stored.height {
        for x in 0..<Self.stored.width {
          var expected = (x: -1, y: -1)
          Self.place(y, from: firstRow, in: upright, &expected)
          Self.place(x, from: firstColumn, in: upright, &expected)
          #expect(
            orientation.upright(x: x, y: y, stored: Self.stored) == expected, "\(orientation) \(x) \(y)")
        }
      }
    }
  }

  @Test func theValuesAreThoseOfExif() {
    #expect(Orientation.allCases.map(\.rawValue) == Array(1...8))
    #expect(Orientation(rawValue: 0) == nil)
    #expect(Orientation(rawValue: 9) == nil)
  }

  /// Counts `steps` from a side inwards.
  private static func place(
    _ steps: Int, from side: Side, in size: PixelSize, _ position: inout (x: Int, y: Int)
  ) {
    switch side {
    case .top: position.y = steps
    case .bottom: position.y = size.height - 1 - steps
    case .left: position.x = steps
    case .right: position.x = size.width - 1 - steps
    }
  }
}
