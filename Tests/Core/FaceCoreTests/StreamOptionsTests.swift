import FaceCore
import Testing

@Suite struct StreamOptionsTests {
  private func failure(_ change: (inout StreamOptions) -> Void) -> Status? {
    var options = StreamOptions()
    change(&options)
    do throws(Status) {
      try options.validate()
      return nil
    } catch {
      return error
    }
  }

  @Test func theDefaultsAreValid() {
    #expect(failure { _ in } == nil)
    #expect(
      failure { options in
        options.tracking = TrackingOptions()
        options.check = CheckOptions()
      } == nil)
  }

  @Test(arguments: [
    (0, true), (TrackingOptions.missedFramesOfChecks, true), (10_000, true), (10_001, false), (-1, false),
    (.max, false), (.min, false),
  ])
  func missedFramesHaveALimit(frames: Int, isValid: Bool) {
    let status = failure { options in
      var tracking = TrackingOptions()
      tracking.maxMissedFrames = frames
      options.tracking = tracking
    }
    #expect((status == nil) == isValid)
    if let status {
      #expect(status.code == .invalidArgument)
      #expect(status.message == "maximum of missed frames is \(frames); give 0 to 10000")
    }
  }

  @Test func optionsOfEveryKindAreValidated() {
    let wrong: [(String, (inout StreamOptions) -> Void)] = [
      ("confidence", { $0.detection.minConfidence = .nan }),
      (
        "detection interval",
        { options in
          options.tracking = TrackingOptions()
          options.tracking?.detectionInterval = 0
        }
      ),
      (
        "hysteresis",
        { options in
          options.check = CheckOptions()
          options.check?.hysteresis = 1
        }
      ),
      ("frame timeout", { $0.frameTimeout = .nanoseconds(-1) }),
    ]
    for (name, change) in wrong {
      let status = failure(change)
      #expect(status?.code == .invalidArgument)
      #expect(status?.message.contains(name) == true)
    }
  }
}
