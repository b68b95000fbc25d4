import FaceCore
import Rendering
import TestSupport
import Testing

@Suite struct TextTests {
  /// The system's fonts, if it has any, give the same place as Cairo's own.
  @Test(arguments: Canvas.TextAnchor.allCases, ["@cairo:", "sans-serif"])
  func textIsDrawnAtItsAnchor(anchor: Canvas.TextAnchor, font: String) throws {
    let picture = try Drawing.of {
      $0.drawText("face", at: Point(x: 100, y: 80), size: 20, anchor: anchor, colour: .white, font: font)
    }
    let (left, right) = (picture.marked(0..<97), picture.marked(103..<200))
    try #require(left + right > 0, "no font was found")
    #expect((left > right) == (anchor == .right) || anchor == .middle)
    #expect(picture.marked(nil, 0..<55) == 0 && picture.marked(nil, 92..<160) == 0)
    guard font == "@cairo:" else { return }
    switch anchor {
    case .left: #expect(left == 0 && right > 50)
    case .middle: #expect(left > 30 && right > 30 && abs(left - right) < (left + right) / 3)
    case .right: #expect(left > 50 && right == 0)
    }
  }

  /// Scripts that need other fonts are letters, not identical boxes; Arabic letters are joined.
  @Test func everyScriptHasItsFont() throws {
    func width(_ text: String) throws -> Int {
      try Drawing.of {
        $0.drawText(text, at: Point(x: 5, y: 80), size: 20, colour: .white, font: "sans-serif")
      }.marked()
    }
    for pair in [["日", "一"], ["あ", "く"], ["ش", "ا"], ["한", "이"]] {
      #expect(try width(pair[0]) > width(pair[1]), "\(pair)")
    }
    // Apart, the two letters cover more than joined, since each has its end.
    #expect(try width("سس") != width("س\u{200C}س"))
  }
}
