import Detection
import Testing

@Suite struct RollSearchTests {
  private func difference(_ one: Float?, _ other: Float) throws -> Float {
    (try #require(one) - other).remainder(dividingBy: 360).magnitude
  }

  @Test func meanIsThatOfDirections() throws {
    #expect(try difference(MeanRoll([(170, 1), (-170, 1)]).degrees, 180) < 1e-3)
    #expect(try difference(MeanRoll([(0, 3), (90, 0)]).degrees, 0) < 1e-3)
    #expect(MeanRoll([(10, 2), (20, 3)]).weight == 5)
  }

  /// Confidences of a small face with a roll of −135°, which looks like others at 0° and 90°, too.
  @Test func rollOfAFaceIsThatOfTheBestAngleAndThoseBesideIt() throws {
    let seen: [(angle: Float, confidence: Float)] = [
      (-135, 0.917), (-90, 0.808), (-45, 0.384), (0, 0.775), (45, 0.417), (90, 0.637), (135, 0.387),
      (180, 0.476),
    ]
    #expect(try difference(MeanRoll.ofFace(seen), -135) < 20)
    #expect(try difference(MeanRoll.ofFace([(135, 0.8), (180, 0.9), (-135, 0.8)]), 180) < 1e-3)
    #expect(try difference(MeanRoll.ofFace([(-45, 0), (0, 0.9), (45, 0.9)]), 22.5) < 1e-3)
    #expect(MeanRoll.ofFace([]) == nil)
  }

  /// One that lies beside two that stand: the mean of all would be the roll of none.
  @Test func rollOfMostHeadsIsThatOfTheHeaviestGroup() throws {
    #expect(try difference(MeanRoll.ofMost([(0, 1), (90, 1), (4, 1)]), 2) < 1e-3)
    #expect(try difference(MeanRoll.ofMost([(0, 1), (180, 1.5)]), 180) < 1e-3)
    #expect(try difference(MeanRoll.ofMost([(0, 1), (180, 1)]), 0) < 1e-3)
    #expect(try difference(MeanRoll.ofMost([(170, 1), (-170, 1), (0, 1.5)]), 180) < 1e-3)
    #expect(MeanRoll.ofMost([]) == nil)
  }
}
