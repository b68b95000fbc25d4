import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

@Suite struct FaceStyleTests {
  private static let box = Box(x: 20, y: 10, width: 50, height: 60)
  private static let points = FivePoints(
    leftEye: Point(x: 55, y: 30), rightEye: Point(x: 35, y: 30), noseTip: Point(x: 45, y: 42),
    mouthLeft: Point(x: 54, y: 56), mouthRight: Point(x: 36, y: 56))

  private func drawn(_ faces: [Face]) throws -> Picture {
    var style = FaceStyle()
    style.boxColour = Colour(red: 1, green: 0, blue: 0)
    style.pointColour = Colour(red: 0, green: 0, blue: 1)
    let canvas = try Canvas(try Picture(100, 80) { _, _ in RGB(0, 0, 0) }.bitmap())
    canvas.draw(faces, style: style)
    return try canvas.png().borrowed { file throws(Status) in
      let decoded = try ImageDecoder.decode(file)
      return Picture(decoded.bitmap)
    }
  }

  private func count(_ colour: RGB, in picture: Picture) -> Int {
    (0..<80).reduce(0) { sum, y in sum + (0..<100).filter { picture[$0, y] == colour }.count }
  }

  @Test func aFaceIsItsBoxAndItsFivePoints() throws {
    let picture = try drawn([Face(box: Self.box, confidence: 1, points: Self.points)])
    for (x, y) in [(45, 10), (45, 70), (20, 40), (70, 40)] { #expect(picture[x, y] == RGB(255, 0, 0)) }
    for (x, y) in [(55, 30), (35, 30), (45, 42), (54, 56), (36, 56)] {
      #expect(picture[x, y] == RGB(0, 0, 255))
    }
    // Five discs of diameter 8: π·16 pixels each, the rim excepted.
    let area = 5 * Float.pi * 16
    #expect((area * 0.6...area).contains(Float(count(RGB(0, 0, 255), in: picture))))
  }

  @Test func aFaceWithoutPointsIsItsBox() throws {
    let picture = try drawn([Face(box: Self.box, confidence: 1, points: nil)])
    #expect(count(RGB(0, 0, 255), in: picture) == 0)
    #expect(picture[45, 10] == RGB(255, 0, 0))
  }

  @Test func everyFaceIsDrawn() throws {
    let other = Box(x: 80, y: 20, width: 10, height: 10)
    let picture = try drawn([Self.box, other].map { Face(box: $0, confidence: 1, points: nil) })
    #expect(picture[45, 10] == RGB(255, 0, 0) && picture[85, 20] == RGB(255, 0, 0))
    #expect(count(RGB(255, 0, 0), in: try drawn([])) == 0)
  }
}
