import FaceCore
import Testing
import Tracking

/// Identities in synthetic scenes.
@Suite struct FaceAssociatorTests {
  @Test func idsBeginAtOneMostConfidentFirst() throws {
    var script = try Script()
    let faces = [
      Script.face(100, 100, confidence: 0.7), Script.face(300, 100), Script.face(500, 100, confidence: 0.8),
    ]
    #expect(script.frame(faces) == [3, 1, 2])
    let update = script.tracker.update(faces, imageSize: script.size, minConfidence: 0.6) { _ in nil }
    #expect(update.faces.map(\.confidence) == [0.9, 0.8, 0.7])
    #expect(update.faces.map { $0.track?.frameCount } == [2, 2, 2])
    #expect(update.left.isEmpty)
  }

  @Test func aFaceGetsItsIdWithItsThirdHit() throws {
    var script = try Script(minHits: TrackingOptions().minHits)
    let face = Script.face(200, 200)
    for _ in 0..<2 {
      let update = script.tracker.update([face], imageSize: script.size, minConfidence: 0.6) { _ in nil }
      // The face is returned, as it would be without tracking.
      #expect(update.faces == [face] && update.numbers == [1] && update.left.isEmpty)
    }
    let update = script.tracker.update([face], imageSize: script.size, minConfidence: 0.6) { _ in nil }
    #expect(update.faces.map(\.track) == [Track(id: 1, frameCount: 3)] && update.numbers == [1])
  }

  /// A head from behind is taken for a face now and then, and missed in between.
  @Test func faceFoundOnlyNowAndThenGetsNoId() throws {
    var script = try Script(minHits: 3)
    for frame in 0..<40 {
      let seen = frame % 5 < 2 ? [Script.face(200, 200, confidence: 0.85)] : []
      #expect(script.frame(seen + [Script.face(400, 200)]).dropLast() == seen.map { _ in 0 })
    }
    #expect(script.left.isEmpty)
    // The face beside it has the first id.
    #expect(script.frame([Script.face(400, 200)]) == [1])
  }

  /// A low score is neither evidence for a face nor against it.
  @Test func aLowScoreIsNoHitAndNoMiss() throws {
    var script = try Script(minHits: 2)
    let (high, low) = (Script.face(200, 200), Script.face(200, 200, confidence: 0.4))
    #expect([high, low, low].map { script.frame([$0]) } == [[0], [0], [0]])
    let update = script.tracker.update([low], imageSize: script.size, minConfidence: 0.6) { _ in nil }
    #expect(update.faces.isEmpty && update.numbers.isEmpty)
    #expect(script.frame([high]) == [1])
  }

  @Test func failedFrameEndsTracksWithoutAnId() throws {
    var script = try Script(minHits: 2)
    #expect(script.frame([Script.face(200, 200)]) == [0])
    #expect(script.tracker.skip().isEmpty && script.tracker.expectedBoxes(imageSize: script.size).isEmpty)
    #expect([0, 1].map { _ in script.frame([Script.face(200, 200)]) } == [[0], [1]])
  }

  /// Another network confirms the face: it gets its id at once, and only once.
  @Test func aFaceThatIsConfirmedHasAnIdAtOnce() throws {
    var script = try Script(minHits: 10)
    let update = script.tracker.update(
      [Script.face(200, 200), Script.face(400, 200, confidence: 0.8)], imageSize: script.size,
      minConfidence: 0.6
    ) { _ in nil }
    #expect(script.tracker.confirm(update.numbers[1], aligned: { nil }) == Track(id: 1, frameCount: 1))
    #expect(script.tracker.confirm(update.numbers[1], aligned: { nil }) == Track(id: 1, frameCount: 1))
    #expect(script.tracker.confirm(77, aligned: { nil }) == nil)
    #expect(script.frame([Script.face(200, 200), Script.face(400, 200)]) == [0, 1])
  }

  @Test func aFaceThatStandsStillOrShakesKeepsItsId() throws {
    var script = try Script()
    for frame in 0..<100 {
      let shake = Float(frame % 3) * 2 - 2
      #expect(script.frame([Script.face(200 + shake, 200 - shake, 60 + shake)]) == [1])
    }
  }

  /// A face that moves by half a box per frame: consecutive boxes hardly overlap.
  @Test func aFastFaceKeepsItsId() throws {
    var script = try Script()
    for frame in 0..<20 { #expect(script.frame([Script.face(20 + 30 * Float(frame), 200)]) == [1]) }
  }

  /// One person walks to the right, one to the left; while they overlap, only the nearer one is seen.
  @Test(arguments: [Float(4), 8, 15])
  func identitiesHoldThroughACrossing(speed: Float) throws {
    var script = try Script(maxMissedFrames: 30)
    var frame = 0
    while true {
      let near = 100 + speed * Float(frame)
      let far = 500 - speed * Float(frame)
      if near > 540 { break }
      var faces = [Script.face(near, 200, 66)]
      if abs(near - far) > 50 { faces.append(Script.face(far, 205, 54)) }
      let ids = script.frame(faces)
      #expect(ids == [1, 2].prefix(ids.count).map { $0 }, "frame \(frame)")
      frame += 1
    }
    #expect(script.left.isEmpty)
  }

  /// Both are visible in every frame: two boxes of equal size pass each other at full overlap.
  @Test func facesThatPassThroughEachOtherKeepTheirIds() throws {
    var script = try Script()
    for frame in 0..<40 {
      let step = Float(frame) * 10
      #expect(
        script.frame([Script.face(100 + step, 200), Script.face(500 - step, 220)]) == [1, 2], "frame \(frame)"
      )
    }
  }

  @Test func aShortOcclusionIsBridgedAndALongOneIsNot() throws {
    for (hidden, id) in [(1, UInt64(1)), (5, 1), (6, 2), (20, 2)] {
      var script = try Script(maxMissedFrames: 5)
      for frame in 0..<10 { _ = script.frame([Script.face(100 + 4 * Float(frame), 200)]) }
      for _ in 0..<hidden { #expect(script.frame([]) == []) }
      #expect(script.frame([Script.face(100 + 4 * Float(10 + hidden), 200)]) == [id], "hidden \(hidden)")
      #expect(script.left == (id == 1 ? [] : [1]))
    }
  }

  @Test func aFaceOfLowScoreKeepsItsIdAndGetsNone() throws {
    var script = try Script()
    #expect(script.frame([Script.face(200, 200, confidence: 0.4)]) == [0])
    #expect(script.frame([Script.face(200, 200, confidence: 0.7)]) == [1])
    for _ in 0..<20 { #expect(script.frame([Script.face(200, 200, confidence: 0.3)]) == [1]) }
    #expect(script.left.isEmpty)
  }

  /// A face found again with a low score after it was missed: too little evidence for its identity.
  @Test func aFaceOfLowScoreDoesNotBringBackALostOne() throws {
    var script = try Script()
    _ = script.frame([Script.face(200, 200)])
    _ = script.frame([])
    #expect(script.frame([Script.face(200, 200, confidence: 0.3)]) == [0])
    #expect(script.frame([Script.face(200, 200)]) == [1])
  }

  /// Another person near the place of the previous one, of unknown appearance: further away, or of another
  /// size.
  @Test(arguments: [
    Script.face(200 + 75, 200), Script.face(200, 200 - 90), Script.face(200, 200, 125),
    Script.face(200, 200, 30),
  ])
  func distantOrDifferentlySizedFaceHasAnotherId(other: Face) throws {
    var script = try Script()
    for _ in 0..<10 { #expect(script.frame([Script.face(200, 200)]) == [1]) }
    #expect(script.frame([other]) == [2])
    for _ in 0..<4 { #expect(script.frame([other]) == [2]) }
    #expect(script.left.isEmpty)
    #expect(script.frame([other]) == [2])
    #expect(script.left == [1])
  }

  @Test func aFaceThatLeavesIsReportedOnceAndComesBackWithANewId() throws {
    var script = try Script(maxMissedFrames: 3)
    _ = script.frame([Script.face(100, 100), Script.face(300, 100), Script.face(500, 100)])
    for _ in 0..<3 { #expect(script.frame([Script.face(300, 100)]) == [2]) }
    #expect(script.left.isEmpty)
    _ = script.frame([Script.face(300, 100)])
    #expect(script.left == [1, 3])
    let faces = [Script.face(100, 100), Script.face(300, 100)]
    #expect(script.frame(faces) == [4, 2])
    for _ in 0..<10 { _ = script.frame(faces) }
    #expect(script.left == [1, 3])
  }

  @Test func withNoMissedFramesAllowedAFaceLeavesAtOnce() throws {
    var script = try Script(maxMissedFrames: 0)
    #expect(script.frame([Script.face(100, 100)]) == [1])
    #expect(script.frame([]) == [])
    #expect(script.left == [1])
  }

  @Test func aFrameThatFailedCountsAsMissed() throws {
    var script = try Script(maxMissedFrames: 1)
    _ = script.frame([Script.face(100, 100)])
    #expect(script.tracker.skip() == [])
    #expect(script.tracker.skip() == [1])
    #expect(script.tracker.skip() == [])
  }

  /// The same scene in fewer pixels, and then from a camera turned upright: the middle of the picture stays
  /// in place.
  @Test func idsSurviveAChangeOfResolutionAndOrientation() throws {
    var script = try Script()
    let faces = [Script.face(250, 200), Script.face(400, 260, 50)]
    for _ in 0..<5 { #expect(script.frame(faces) == [1, 2]) }
    for size in [
      PixelSize(width: 320, height: 240), PixelSize(width: 1920, height: 1440),
      PixelSize(width: 480, height: 640),
      PixelSize(width: 960, height: 1280), PixelSize(width: 640, height: 360),
      PixelSize(width: 640, height: 480),
    ] {
      let scale = Float(size.longSide) / 640
      script.size = size
      let moved = [(Float(250), Float(200), Float(60)), (400, 260, 50)].map { x, y, side in
        Script.face(
          (x - 320) * scale + Float(size.width) / 2, (y - 240) * scale + Float(size.height) / 2, side * scale)
      }
      for _ in 0..<3 { #expect(script.frame(moved) == [1, 2], "\(size)") }
    }
    #expect(script.left.isEmpty)
  }

  @Test func expectedBoxFollowsTheMovement() throws {
    var script = try Script()
    for frame in 0..<20 { _ = script.frame([Script.face(100 + 10 * Float(frame), 200)]) }
    let boxes = script.tracker.expectedBoxes(imageSize: script.size)
    #expect(boxes.count == 1)
    let next = Script.face(300, 200).box
    #expect(boxes[0].box.intersectionOverUnion(next) > 0.85)
    _ = script.frame([])
    #expect(script.tracker.expectedBoxes(imageSize: script.size).isEmpty)
  }

  @Test func aCrowdKeepsItsIds() throws {
    var script = try Script()
    func crowd(_ frame: Int) -> [Face] {
      (0..<300).map { index in
        Script.face(
          Float(index % 20) * 32 + Float(frame * (index % 3 - 1)), Float(index / 20) * 32 + Float(frame % 2),
          20,
          confidence: 0.99 - Float(index) * 0.001)
      }
    }
    let ids = script.frame(crowd(0))
    #expect(Set(ids).count == 300)
    for frame in 1..<6 { #expect(script.frame(crowd(frame)) == ids) }
  }

  /// The person changes from one frame to the next, or after frames without a face.
  @Test(arguments: [0, 1, 5]) func anotherPersonInTheSamePlaceHasAnotherId(emptyFrames: Int) throws {
    var script = try Script()
    let face = Script.face(200, 200)
    for _ in 0..<10 { #expect(script.frame([face]) { _ in Script.appearance(of: 1) } == [1]) }
    for _ in 0..<emptyFrames { _ = script.frame([]) }
    for _ in 0..<3 { #expect(script.frame([face]) { _ in Script.appearance(of: 2) } == [2]) }
    // The first track has not been removed yet.
    #expect(script.frame([face]) { _ in Script.appearance(of: 1) } == (emptyFrames == 5 ? [3] : [1]))
  }

  @Test func facesThatChangePlacesBetweenFramesKeepTheirIds() throws {
    var script = try Script()
    let faces = [Script.face(200, 200), Script.face(240, 200)]
    for frame in 0..<20 {
      let isSwapped = frame / 5 % 2 == 1
      let ids = script.frame(faces) { box in Script.appearance(of: (box.center.x < 220) != isSwapped ? 1 : 2)
      }
      #expect(ids == (isSwapped ? [2, 1] : [1, 2]), "frame \(frame)")
    }
  }

  /// A larger box has another appearance; a box as large as the previous one has the same again.
  @Test func aBoxOfAnotherSizeIsNoOtherPerson() throws {
    var script = try Script()
    for frame in 0..<20 {
      let side: Float = frame % 3 == 2 ? 84 : 60
      let ids = script.frame([Script.face(200, 200, side)]) { box in
        Script.appearance(of: abs(box.width - 60) < 1 ? 1 : 2)
      }
      // The first frame with the larger box and each one after it have another size to compare with.
      #expect(ids == [1], "frame \(frame)")
    }
  }

  @Test func unknownAppearanceKeepsTheId() throws {
    var script = try Script()
    func frame(_ appearance: FaceAppearance?) -> [UInt64] {
      script.frame([Script.face(200, 200)]) { _ in appearance }
    }
    for number in 0..<12 { #expect(frame(number % 2 == 0 ? Script.appearance(of: 1) : nil) == [1]) }
    // The previous appearance is kept over such frames.
    #expect(frame(nil) == [1])
    #expect(frame(Script.appearance(of: 2)) == [2])
  }

  /// The second appearance, of a box of another size, fails: the frame then has no effect.
  @Test func failedAppearanceLeavesTheTrackerUnchanged() throws {
    var (script, other) = (try Script(), try Script())
    func move(_ script: inout Script) {
      for frame in 0..<6 {
        _ = script.frame([Script.face(200 + 10 * Float(frame), 200)]) { _ in Script.appearance(of: 1) }
      }
    }
    move(&script)
    move(&other)
    let lost = Status(.invalidArgument, "no picture")
    let face = Script.face(520, 400, 160)
    let size = PixelSize(width: 1280, height: 960)
    var calls = 0
    for _ in 0..<20 {
      #expect(throws: lost) {
        try script.tracker.update(
          [face], imageSize: size, minConfidence: 0.6,
          appearance: { (box: Box) throws(Status) -> FaceAppearance? in
            calls += 1
            guard box == face.box else { throw lost }
            return Script.appearance(of: 2)
          }, aligned: { (_: Face) throws(Status) -> AlignedAppearance? in nil })
      }
    }
    #expect(calls == 40)
    let (boxes, expected) = (
      script.tracker.expectedBoxes(imageSize: script.size), other.tracker.expectedBoxes(imageSize: other.size)
    )
    #expect(boxes.map(\.number) == expected.map(\.number) && boxes.map(\.box) == expected.map(\.box))
    let next = [Script.face(260, 200)]
    #expect(
      script.frame(next) { _ in Script.appearance(of: 1) }
        == other.frame(next) { _ in Script.appearance(of: 1) })
  }
}
