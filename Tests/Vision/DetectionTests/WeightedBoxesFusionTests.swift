import Detection
import FaceCore
import TestSupport
import Testing

@Suite struct WeightedBoxesFusionTests {
  private func face(_ x: Float, _ confidence: Float, side: Float = 20, points: Bool = true) -> Face {
    let point = Point(x: x + 5, y: 5)
    return Face(
      box: Box(x: x, y: 0, width: side, height: side), confidence: confidence,
      points: points
        ? FivePoints(leftEye: point, rightEye: point, noseTip: point, mouthLeft: point, mouthRight: point)
        : nil)
  }

  private func fuse(_ passes: [[Face]], weights: [Float]? = nil) -> [Face] {
    WeightedBoxesFusion.fuse(
      passes.enumerated().map { .init(faces: $1, weight: weights?[$0] ?? 1) }
    ).sorted { $0.box.x < $1.box.x }
  }

  @Test func overlappingFacesAreFusedToTheirMean() throws {
    let faces = fuse([[face(0, 0.9)], [face(4, 0.3)]])
    #expect(faces.count == 1)
    #expect(abs(faces[0].box.x - 1) < 1e-4 && faces[0].box.width == 20)
    #expect(abs(faces[0].confidence - 0.6) < 1e-6)
    #expect(abs(try #require(faces[0].points).noseTip.x - 6) < 1e-4)
  }

  @Test func faceThatOnlySomePassesSeeIsLessConfident() {
    let faces = fuse([[face(0, 0.8), face(100, 0.8)], [face(0, 0.8)], [face(0, 0.8)]], weights: [1, 2, 1])
    #expect(faces.map(\.box.x) == [0, 100])
    #expect(abs(faces[0].confidence - 0.8) < 1e-6 && abs(faces[1].confidence - 0.2) < 1e-6)
  }

  @Test func aPassCountsOnceForAFace() {
    let faces = fuse([[face(0, 0.8), face(2, 0.6)], []])
    #expect(faces.count == 1 && faces[0].confidence == 0.4 && faces[0].box.x == 0)
  }

  @Test func pointsAreTheMeanOfFacesWithPoints() throws {
    let faces = fuse([[face(0, 0.9, points: false)], [face(4, 0.9)]])
    #expect(try #require(faces.first?.points).noseTip.x == 9)
    #expect(fuse([[face(0, 0.9, points: false)]]).first?.points == nil)
  }

  /// A face grows through the sizes that two passes see well: each pass takes it for a little larger or
  /// smaller than the other does, and at no size does a pass that has found it count as having seen none.
  @Test(arguments: [(Float(0.93), Float(1.07)), (1.07, 0.93), (1, 1)])
  func confidenceIsSteadyAcrossTheSizesOfPasses(near: Float, far: Float) {
    for side in stride(from: Float(5), through: 900, by: 1) {
      let faces = WeightedBoxesFusion.fuse([
        .init(faces: [face(0, 0.9, side: side * near)], weight: 1, sizes: FaceSizes(0...213)),
        .init(faces: [face(0, 0.8, side: side * far)], weight: 1, sizes: FaceSizes(32...(.infinity))),
      ])
      #expect(faces.count == 1)
      #expect(faces.allSatisfy { (0.799...0.901).contains($0.confidence) }, "\(side) pixels")
    }
  }

  @Test func passAbstainsBeyondItsFaceSizes() {
    let sizes = FaceSizes(20...200)
    #expect([20, 100, 200].map(sizes.share) == [1, 1, 1])
    #expect([0, 13, 301, .infinity].map(sizes.share) == [0, 0, 0, 0])
    #expect(abs(sizes.share(of: 20 / Float(1.5).squareRoot()) - 0.5) < 1e-4)
    #expect(abs(sizes.share(of: 200 * Float(1.5).squareRoot()) - 0.5) < 1e-4)
    for (side, confidence) in [(Float(100), Float(0.4)), (301, 0.8)] {
      let found = WeightedBoxesFusion.fuse([
        .init(faces: [], weight: 1, sizes: sizes), .init(faces: [face(0, 0.8, side: side)], weight: 1),
      ])
      #expect(found.map(\.confidence) == [confidence])
    }
    // A face that only such a pass has found is dropped, too.
    #expect(
      WeightedBoxesFusion.fuse([.init(faces: [face(0, 0.8, side: 301)], weight: 1, sizes: sizes)]).isEmpty)
  }

  @Test func fusionWithoutFacesIsEmpty() {
    #expect(fuse([]).isEmpty && fuse([[], []]).isEmpty)
    #expect(fuse([[face(0, 0)]]).map(\.confidence) == [0])
  }

  /// Every face is in exactly one group, led by its most confident face: the same rule in other words.
  @Test func theGroupsAreThoseOfTheNaiveReference() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<50 {
      let passes = (0..<3).map { _ in
        (0..<12).map { _ in
          face(Float.random(in: 0...200, using: &generator), Float.random(in: 0...1, using: &generator))
        }
      }
      var left = passes.enumerated().flatMap { pass, faces in faces.map { (pass, $0) } }
      var expected: [Float] = []
      while let first = left.max(by: { $0.1.confidence < $1.1.confidence }) {
        let group = left.filter { $0.1.box.intersectionOverUnion(first.1.box) >= 0.5 }
        let best = Dictionary(grouping: group, by: \.0).mapValues { $0.map(\.1.confidence).max() ?? 0 }
        expected.append(best.values.reduce(0, +) / 3)
        left.removeAll { $0.1.box.intersectionOverUnion(first.1.box) >= 0.5 }
      }
      let found = fuse(passes).map(\.confidence).sorted()
      #expect(found.count == expected.count)
      for (one, other) in zip(found, expected.sorted()) { #expect(abs(one - other) < 1e-5) }
    }
  }
}
