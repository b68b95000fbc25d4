import FaceCore
import Testing

@Suite struct FivePointsTests {
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
