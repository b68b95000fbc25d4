import Engine
import FaceCore
import TestSupport
import Testing

/// Two photos in turn before the camera, each with its eyes where the other's are: what a check makes of it. Ids do not tell
/// the two apart, so that nothing counts any more once there was nobody.
@Suite(.needsRealModel, .needsAnalysisModels) struct AbsentFaceTests {
  private static let side = 420
  private let checker: any FrameChecker
  private let unsmiling: Picture
  private let smiling: Picture
  private let nobody = Picture(side, side) { _, _ in RGB(90, 90, 90) }

  init() throws {
    var options = CheckOptions()
    (options.usesTimestamps, options.startDelay, options.actions) = (true, 0, [.smile])
    (options.minFace, options.maxFace, options.maxOffset, options.maxOtherFace) = (0, 2, 1, 1)
    (options.maxYaw, options.maxPitch, options.maxRoll, options.minEyesOpen) = (90, 90, 90, 0)
    (options.minBrightness, options.maxBrightness, options.minSharpness, options.maxMotion) = (0, 1, 0, 10)
    options.tipTime = 0
    checker = try Engine(modelFolder: RealModel.folder).makeChecker(
      options, TrackingOptions(), maxPictureBytes: nil)
    // So that there are 81 pixels from eye to eye in both.
    let photo = Photo.bilinear(try Photo.picture("astronaut.png"), to: PixelSize(width: 879, height: 879))
    smiling = Self.view(photo, eyes: (384, 176))
    unsmiling = Self.view(try Photo.picture("grace_hopper.jpg"), eyes: (268, 194))
  }

  /// - Parameter eyes: the middle between them in the photo.
  private static func view(_ photo: Picture, eyes: (x: Int, y: Int)) -> Picture {
    Picture(side, side) { x, y in photo[max(x + eyes.x - 210, 0), max(y + eyes.y - 190, 0)] }
  }

  /// What is said of the last of as many frames, one each tenth of a second.
  private func show(_ picture: Picture, _ frames: ClosedRange<UInt64>) throws -> (
    report: CheckReport, ids: [UInt64?]
  ) {
    var last: (CheckReport, [UInt64?])?
    for number in frames {
      let answer = try picture.withView(.bgra) { view throws(Status) in
        try checker.process(
          ImageInput(.pixels(view)), FrameInfo(number: number, timestamp: number * 100_000_000, attempt: 1),
          options: DetectionOptions())
      }
      last = (answer.report, answer.result.faces.map { $0.track?.id })
    }
    return try #require(last)
  }

  /// What the check cannot see, and says so: one who does not smile, then at once one who does.
  @Test func whoTakesThePlaceAtOnceKeepsTheId() throws {
    #expect(try show(unsmiling, 1...4).ids == [1])
    let (report, ids) = try show(smiling, 5...7)
    #expect(ids == [1] && report.state == .checking && report.actionsDone == 1)
  }

  @Test func afterAnAbsenceTheSameIdCountsForNothing() throws {
    _ = try show(unsmiling, 1...4)
    _ = try show(smiling, 5...7)
    #expect(try show(nobody, 8...8).report.actionsDone == 1)
    #expect(try show(nobody, 9...11).report.actionsDone == 0)
    let back = try show(smiling, 12...20)
    #expect(back.ids == [1] && back.report.state == .checking)
    // Who comes with a smile has to rest first.
    #expect(back.report.actionsDone == 0 && back.report.progress == 0 && back.report.tip == .lookStraight)
  }
}
