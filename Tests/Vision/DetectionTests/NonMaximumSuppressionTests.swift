import Detection
import FaceCore
import TestSupport
import Testing

@Suite struct NonMaximumSuppressionTests {
  /// A kept face has the mean box and points of the candidates that are nearly the same.
  @Test func keptFacesAreMeansOfTheirNeighbours() throws {
    func face(_ x: Float, _ confidence: Float, hasPoints: Bool = true) -> Face {
      let point = Point(x: x + 5, y: 5)
      return Face(
        box: Box(x: x, y: 0, width: 100, height: 100), confidence: confidence,
        points: hasPoints
          ? FivePoints(leftEye: point, rightEye: point, noseTip: point, mouthLeft: point, mouthRight: point)
          : nil)
    }
    // Overlaps with the first: 0.82, 0.67 and, suppressed only, 0.54.
    let found = NonMaximumSuppression.applyWithMeans(
      [face(0, 0.8), face(10, 0.4), face(20, 0.4, hasPoints: false), face(30, 0.7), face(500, 0.3)],
      overlapThreshold: 0.45)
    #expect(found.map(\.confidence) == [0.8, 0.3])
    #expect(abs(found[0].box.x - 7.5) < 1e-3 && abs(found[0].box.width - 100) < 1e-3)
    #expect(abs(try #require(found[0].points).noseTip.x - (5 + 10 / 3.0)) < 1e-3)
    #expect(found[1] == face(500, 0.3))
  }

  /// The definition, in whole numbers so that nothing is rounded: take the most confident face left, remove
  /// what overlaps it by more than `tenths`, again until none is left.
  private func reference(_ faces: [Face], tenths: Int, limit: Int) -> [Face] {
    var left = faces
    var kept: [Face] = []
    while let best = left.map(\.confidence).max(),
      let index = left.firstIndex(where: { $0.confidence == best })
    {
      let face = left.remove(at: index)
      kept.append(face)
      left.removeAll { overlaps($0.box, face.box, moreThan: tenths) }
    }
    return limit == 0 ? kept : Array(kept.prefix(limit))
  }

  private func overlaps(_ first: Box, _ second: Box, moreThan tenths: Int) -> Bool {
    func shared(_ a: Float, _ aSide: Float, _ b: Float, _ bSide: Float) -> Int {
      max(0, Int(min(a + aSide, b + bSide)) - Int(max(a, b)))
    }
    let both =
      shared(first.x, first.width, second.x, second.width)
      * shared(first.y, first.height, second.y, second.height)
    let either = Int(first.area) + Int(second.area) - both
    return both * 10 > tenths * either
  }

  /// Whole boxes in a small area, and few confidences, so that overlaps at the threshold and ties are common.
  private func faces(_ count: Int, _ generator: inout SeededGenerator) -> [Face] {
    (0..<count).map { _ in
      func side(_ range: ClosedRange<Int>) -> Float { Float(Int.random(in: range, using: &generator)) }
      return Face(
        box: Box(x: side(-5...25), y: side(-5...25), width: side(1...12), height: side(1...12)),
        confidence: side(1...20) / 20, points: nil)
    }
  }

  @Test(arguments: 0...10)
  func suppressionAgreesWithTheDefinition(tenths: Int) {
    var generator = SeededGenerator(seed: UInt64(40 + tenths))
    for round in 0..<40 {
      let faces = faces(round * 3, &generator)
      for limit in [0, 1, 5, 1000] {
        let kept = NonMaximumSuppression.apply(faces, overlapThreshold: Float(tenths) / 10, limit: limit)
        #expect(kept == reference(faces, tenths: tenths, limit: limit))
      }
    }
  }

  @Test func onlyTheMostConfidentCandidatesAreConsidered() {
    let count = NonMaximumSuppression.maxCandidates + 10
    let apart = (0..<count).map { index in
      Face(
        box: Box(x: Float(index * 3), y: 0, width: 2, height: 2), confidence: Float(index) / Float(count),
        points: nil)
    }
    let kept = NonMaximumSuppression.apply(apart, overlapThreshold: 0.3, limit: 0)
    #expect(kept == Array(apart.reversed().prefix(NonMaximumSuppression.maxCandidates)))
  }
}
