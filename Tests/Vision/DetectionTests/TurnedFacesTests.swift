import Detection
import FaceCore
import Testing

@Suite struct TurnedFacesTests {
  private func face(_ x: Float, _ confidence: Float, y: Float = 0, side: Float = 10) -> Face {
    Face(box: Box(x: x, y: y, width: side, height: side), confidence: confidence, points: nil)
  }

  private func merged(_ turned: [Face], _ upright: [Face]) -> [Face] {
    TurnedFaces.merge(turned, into: upright, overlapThreshold: 0.3)
  }

  @Test func facesOfBothSearchesAreReturnedTheMostConfidentFirst() {
    #expect(merged([face(50, 0.7)], [face(0, 0.9), face(20, 0.6)]).map(\.box.x) == [0, 50, 20])
    #expect(merged([], [face(0, 0.7), face(20, 0.7)]).map(\.box.x) == [0, 20])
    #expect(merged([face(0, 0.7)], []).map(\.box.x) == [0])
    #expect(merged([], []).isEmpty)
  }

  @Test func ofOneFaceTheMoreConfidentIsReturned() {
    #expect(merged([face(1, 0.9)], [face(0, 0.8)]) == [face(1, 0.9)])
    #expect(merged([face(1, 0.7)], [face(0, 0.8)]) == [face(0, 0.8)])
    // Turned faces may overlap, and the most confident one counts.
    let turned = [face(1, 0.7), face(2, 0.9), face(40, 0.8), face(41, 0.7)]
    #expect(merged(turned, [face(0, 0.8)]).map(\.box.x) == [2, 40])
  }

  /// A face between two neighbours overlaps both, and is at most one of them.
  @Test func aTurnedFaceDoesNotSuppressANeighbour() {
    let neighbours = [face(0, 0.8), face(8, 0.7)]
    #expect(merged([face(4, 0.9)], neighbours).count == 2)
    #expect(merged([face(5, 0.9)], neighbours).map(\.box.x) == [5, 0])
    // Nor do two that are the same face replace both.
    #expect(merged([face(5, 0.9), face(4.5, 0.85)], neighbours).map(\.box.x) == [5, 0])
    // Faces of the upright search that overlap stay: other thresholds than this one may allow that.
    #expect(merged([], [face(0, 0.8), face(4, 0.7)]).count == 2)
  }
}
