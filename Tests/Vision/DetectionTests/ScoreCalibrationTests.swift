import Detection
import TestSupport
import Testing

@Suite struct ScoreCalibrationTests {
  @Test func calibrationIsMonotonicAndInvertible() {
    let calibration = ScoreCalibration(slope: 1.2, offset: 0.7)
    var last: Float = -1
    for step in 1...99 {
      let score = Float(step) / 100
      let calibrated = calibration.calibrated(score)
      #expect(calibrated > last && calibrated < 1)
      #expect(abs(calibration.raw(calibrated) - score) < 1e-4)
      last = calibrated
    }
    #expect(ScoreCalibration.none.calibrated(0.3) == 0.3 && ScoreCalibration.none.raw(1) == 1)
    #expect((0...1).contains(calibration.calibrated(0)) && (0...1).contains(calibration.calibrated(1)))
  }

  @Test func aSizePriorIsTakenFromTheLogitOfSmallFaces() {
    let prior = SizePrior(side: 40, logitPerHalving: 0.5)
    for score in [Float(0), 0.2, 1] {
      for side in [Float(40), 41, 1000, .infinity] { #expect(prior.applied(to: score, side: side) == score) }
    }
    // Logits of 0.5 and 1 less than that of a half.
    #expect(abs(prior.applied(to: 0.5, side: 20) - 0.3775) < 1e-4)
    #expect(abs(prior.applied(to: 0.5, side: 10) - 0.2689) < 1e-4)
    for side in [Float(0), 1, 20] { #expect((0...1).contains(prior.applied(to: 1, side: side))) }
    #expect(SizePrior.none.applied(to: 0.5, side: 1) == 0.5)
  }

  /// What is seen of a small face counts less on both sides of the default threshold.
  @Test func aSizePriorDoubtsBothWays() {
    let prior = SizePrior(side: 40, logitPerHalving: 0, doubtPerHalving: 0.5)
    for side in [Float(5), 20, 40] { #expect(abs(prior.applied(to: 0.6, side: side) - 0.6) < 1e-5) }
    // Logits 1.7918 above that of 0.6, and 1.2528 below: divided by 1.5, and multiplied.
    #expect(abs(prior.applied(to: 0.9, side: 20) - 0.8320) < 1e-3)
    #expect(abs(prior.applied(to: 0.3, side: 20) - 0.1864) < 1e-3)
  }

  /// The order of faces of one size stays, and a face that grows gets no sudden confidence.
  @Test(arguments: [(Float(0.5), Float(0)), (0.1, 0.6)])
  func aSizePriorIsContinuousAndKeepsTheOrder(logit: Float, doubt: Float) {
    let prior = SizePrior(side: 40, logitPerHalving: logit, doubtPerHalving: doubt)
    for score in stride(from: Float(0.05), to: 0.95, by: 0.1) {
      var last = prior.applied(to: score, side: 5)
      for side in stride(from: Float(5.1), through: 60, by: 0.1) {
        let confidence = prior.applied(to: score, side: side)
        #expect(confidence >= last && confidence - last < 0.005)
        #expect(prior.applied(to: score + 0.01, side: side) > confidence)
        last = confidence
      }
    }
  }
}
