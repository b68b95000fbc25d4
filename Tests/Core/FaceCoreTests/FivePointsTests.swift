import FaceCore
import Testing

@Suite struct FivePointsTests {
  @Test func mappingMovesEveryPointAndKeepsItsName() {
    let points = FivePoints(
      leftEye: Point(x: 1, y: 10), rightEye: Point(x: 2, y: 20), noseTip: Point(x: 3, y: 30),
      mouthLeft: Point(x: 4, y: 40), mouthRight: Point(x: 5, y: 50))
    let moved = points.map { Point(x: $0.y, y: -$0.x) }
    #expect(moved.leftEye == Point(x: 10, y: -1))
    #expect(moved.rightEye == Point(x: 20, y: -2))
    #expect(moved.noseTip == Point(x: 30, y: -3))
    #expect(moved.mouthLeft == Point(x: 40, y: -4))
    #expect(moved.mouthRight == Point(x: 50, y: -5))
  }

  @Test func fivePointsAreDerivedFromTheMesh() throws {
    let points = (0..<Landmarks.count).map { Point3D(x: Float($0), y: Float(2 * $0), z: 0) }
    let five = try #require(FivePoints(Landmarks(points: points, confidence: 1)))
    #expect(five.leftEye == Point(x: (263 + 362) / 2.0, y: 263 + 362))
    #expect(five.rightEye == Point(x: (33 + 133) / 2.0, y: 33 + 133))
    #expect(five.noseTip == Point(x: 4, y: 8))
    #expect(five.mouthLeft == Point(x: 291, y: 582) && five.mouthRight == Point(x: 61, y: 122))
    #expect(FivePoints(Landmarks(points: [], confidence: 1)) == nil)
  }
}
