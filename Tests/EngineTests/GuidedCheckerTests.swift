import Engine
import FaceCore
import TestSupport
import Testing

/// The check's end as an engine's stream has it: with a picture that has to fit into a message.
@Suite(.needsRealModel, .needsAnalysisModels) struct GuidedCheckerTests {
  private let engine: Engine
  private let photo: Picture

  init() throws {
    engine = try Engine(modelFolder: RealModel.folder)
    photo = try Photo.picture("astronaut.png")
  }

  /// Of as many frames of the photo as a check without demands needs.
  private func events(maxPictureBytes: Int) throws -> [CheckEvent] {
    var options = CheckOptions()
    (options.usesTimestamps, options.startDelay, options.hold) = (true, 0, 0)
    (options.minFace, options.maxFace, options.maxOffset, options.maxOtherFace) = (0, 2, 1, 1)
    (options.maxYaw, options.maxPitch, options.maxRoll, options.minEyesOpen) = (90, 90, 90, 0)
    (options.minBrightness, options.maxBrightness, options.minSharpness, options.maxMotion) = (0, 1, 0, 10)
    let (width, height) = (Float(photo.size.width), Float(photo.size.height))
    options.mask = Circle(center: Point(x: width / 2, y: height / 2), radius: width)
    let checker = try engine.makeChecker(options, TrackingOptions(), maxPictureBytes: maxPictureBytes)
    var events: [CheckEvent] = []
    for number in 1...6 as ClosedRange<UInt64> {
      let report = try photo.withView(.bgra) { view throws(Status) in
        try checker.process(
          ImageInput(.pixels(view)), FrameInfo(number: number, timestamp: number * 100_000_000, attempt: 1),
          options: DetectionOptions()
        ).report
      }
      events += report.events
    }
    return events
  }

  private func ends(_ events: [CheckEvent]) -> [CheckEvent] {
    events.filter { event in
      switch event {
      case .result, .failed: true
      default: false
      }
    }
  }

  @Test func itEndsWithOnePicture() throws {
    let ends = ends(try events(maxPictureBytes: 1 << 20))
    guard case .result(let result) = try #require(ends.first) else { throw Status(.internal, "no result") }
    #expect(ends.count == 1 && result.picture.bytes.count <= 3 << 18 && result.crop.bytes.count <= 1 << 18)
    #expect(result.picture.size == photo.size && result.picture.form == .jpeg)
  }

  /// Else whoever waits for the end would wait for ever.
  @Test func aPictureThatDoesNotFitIsAnEnd() throws {
    let events = try events(maxPictureBytes: 400)
    guard case .failed(let failure) = try #require(ends(events).first) else {
      throw Status(.internal, "no failure")
    }
    #expect(ends(events).count == 1 && failure.code == "no_picture")
    #expect(failure.message.contains("use a smaller one"))
    #expect(events.contains(.status(.finish)))
  }
}
