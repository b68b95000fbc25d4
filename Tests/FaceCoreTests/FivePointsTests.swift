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
}
