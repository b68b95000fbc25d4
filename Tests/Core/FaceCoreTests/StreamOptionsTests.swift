import FaceCore
import TestSupport
import Testing

@Suite struct StreamOptionsTests {
  private func failure(_ change: (inout StreamOptions) -> Void) -> Status? {
    TestSupport.failure { () throws(Status) in try adjusted(StreamOptions(), change).validate() }
  }

  @Test func theDefaultsAreValid() {
    #expect(failure { _ in } == nil)
    #expect(failure { ($0.tracking, $0.check) = (TrackingOptions(), CheckOptions()) } == nil)
  }

  @Test(arguments: [
    (0, true), (TrackingOptions.missedFramesOfChecks, true), (10_000, true), (10_001, false), (-1, false),
    (.max, false), (.min, false),
  ])
  func missedFramesHaveALimit(frames: Int, isValid: Bool) {
    let status = failure { $0.tracking = adjusted(TrackingOptions()) { $0.maxMissedFrames = frames } }
    #expect((status == nil) == isValid)
    if let status {
      #expect(status.code == .invalidArgument)
      #expect(status.message == "max_missed_frames is \(frames); give 0 to 10000")
    }
  }

  @Test func optionsOfEveryKindAreValidated() {
    let wrong: [(String, (inout StreamOptions) -> Void)] = [
      ("min_confidence", { $0.detection.minConfidence = .nan }),
      ("detection_interval", { $0.tracking = adjusted(TrackingOptions()) { $0.detectionInterval = 0 } }),
      ("hysteresis", { $0.check = adjusted(CheckOptions()) { $0.hysteresis = 1 } }),
      ("frame timeout", { $0.frameTimeout = .nanoseconds(-1) }),
    ]
    for (name, change) in wrong {
      let status = failure(change)
      #expect(status?.code == .invalidArgument)
      #expect(status?.message.contains(name) == true)
    }
  }
}
