import FaceCore
import Rendering
import TestSupport
import Testing

@Suite struct TextTests {
  private static let ground = RGB(100, 100, 100)

  private func drawn(_ draw: (borrowing Canvas) -> Void) throws -> Picture {
    let canvas = try Canvas(try Picture(200, 160) { _, _ in Self.ground }.bitmap())
    draw(canvas)
    return try canvas.withBitmap { (bitmap) throws(Status) in Picture(bitmap) }
  }

  /// The number of pixels of a part that differ from the ground.
  private func marked(_ picture: Picture, _ xs: Range<Int>, _ ys: Range<Int>) -> Int {
    ys.reduce(0) { sum, y in sum + xs.filter { picture[$0, y] != Self.ground }.count }
  }

  @Test(arguments: Canvas.TextAnchor.allCases)
  func textIsDrawnAtItsAnchor(anchor: Canvas.TextAnchor) throws {
    let picture = try drawn {
      $0.drawText(
        "face", at: Point(x: 100, y: 80), size: 20, anchor: anchor, colour: .white, font: "@cairo:")
    }
    let (left, right) = (marked(picture, 0..<97, 0..<160), marked(picture, 103..<200, 0..<160))
    switch anchor {
    case .left: #expect(left == 0 && right > 50)
    case .middle: #expect(left > 30 && right > 30 && abs(left - right) < (left + right) / 3)
    case .right: #expect(left > 50 && right == 0)
    }
    #expect(marked(picture, 0..<200, 0..<55) == 0 && marked(picture, 0..<200, 92..<160) == 0)
  }

  /// The system's fonts, if it has any, give the same place.
  @Test(arguments: Canvas.TextAnchor.allCases)
  func textInSystemFontsIsDrawnAtItsAnchor(anchor: Canvas.TextAnchor) throws {
    let picture = try drawn {
      $0.drawText(
        "face", at: Point(x: 100, y: 80), size: 20, anchor: anchor, colour: .white, font: "sans-serif")
    }
    let (left, right) = (marked(picture, 0..<97, 0..<160), marked(picture, 103..<200, 0..<160))
    try #require(left + right > 0, "no font was found")
    #expect((left > right) == (anchor == .right) || anchor == .middle)
    #expect(marked(picture, 0..<200, 0..<55) == 0 && marked(picture, 0..<200, 92..<160) == 0)
  }

  /// Scripts that need other fonts are letters, not identical boxes; Arabic letters are joined.
  @Test func everyScriptHasItsFont() throws {
    func width(_ text: String) throws -> Int {
      let picture = try drawn {
        $0.drawText(text, at: Point(x: 5, y: 80), size: 20, colour: .white, font: "sans-serif")
      }
      return marked(picture, 0..<200, 0..<160)
    }
    for pair in [["日", "一"], ["あ", "く"], ["ش", "ا"], ["한", "이"]] {
      #expect(try width(pair[0]) > width(pair[1]), "\(pair)")
    }
    // Apart, the two letters cover more than joined, since each has its end.
    #expect(try width("سس") != width("س\u{200C}س"))
  }
}
