import Engine
import FaceCore
import TestSupport
import Testing

/// Faces that the caller of a session provides, and frames that are answered without a search.
@Suite(.needsRealModel) final class FollowedFaceTests: PhotoSuite {
  /// A camera that moves over the photo.
  private func frame(_ number: Int) -> Picture {
    Picture(360, 300) { x, y in photo[min(x + 30 + 3 * number, 511), min(y + 2 * number, 511)] }
  }

  private func tracker(_ change: (inout TrackingOptions) -> Void) throws -> any FrameTracker {
    try engine.tracker { options in
      options.maxMissedFrames = 2
      change(&options)
    }
  }

  private func process(
    _ tracker: any FrameTracker, _ picture: Picture, _ outputs: FaceOutputs = [], milliseconds: UInt64 = 0,
    following boxes: [Box] = []
  ) throws -> (faces: [Face], left: [UInt64], stages: Set<StageClock.Stage>) {
    var info = FrameInfo(number: 1, timestamp: milliseconds * 1_000_000)
    info.followed = boxes.enumerated().map {
      FollowedFace(id: FollowedFace.firstID + UInt64($0.offset), box: $0.element)
    }
    let options = adjusted(DetectionOptions()) { $0.outputs = outputs }
    let clock = StageClock.ticking()
    let (result, left) = try tracker.track(picture, options, .bgra, info) { $0.clock = clock }
    return (result.faces, left, Set(clock.takeTimes().keys))
  }

  private func detected(_ picture: Picture) throws -> Box {
    let result = try engine.detect(picture)
    return try #require(result.faces.first).box
  }

  private func moved(_ box: Box, _ x: Float, _ y: Float) -> Box {
    Box(x: box.x + x, y: box.y + y, width: box.width, height: box.height)
  }

  @Test(arguments: [[], FaceOutputs.pose]) func aGivenFaceIsFollowed(_ outputs: FaceOutputs) throws {
    let tracker = try tracker { $0.isFollowedOnly = true }
    // No face is given yet, so none is searched for.
    let before = try process(tracker, frame(0), outputs)
    #expect(before.faces.isEmpty && !before.stages.contains(.network))
    // The box is slightly off, as if drawn by hand.
    let drawn = moved(try detected(frame(0)), 8, -6)
    for number in 0..<16 {
      let found = try process(tracker, frame(number), outputs, following: number == 0 ? [drawn] : [])
      let face = try #require(found.faces.first)
      #expect(found.faces.count == 1 && found.left.isEmpty)
      #expect(face.track == Track(id: FollowedFace.firstID, frameCount: UInt32(number + 1)))
      #expect(face.box.intersectionOverUnion(try detected(frame(number))) > 0.7, "frame \(number)")
      #expect(face.confidence > 0.5)
      #expect((face.pose != nil) == outputs.contains(.pose))
    }
    // The face is gone: missed in two frames, and left with the third.
    let empty = Picture(360, 300) { _, _ in RGB(90, 90, 90) }
    for number in 0..<4 {
      let found = try process(tracker, empty, outputs)
      #expect(found.faces.isEmpty)
      #expect(found.left == (number == 2 ? [FollowedFace.firstID] : []))
    }
  }

  /// An object that no detector takes for a face is followed by its pixels, with a low confidence.
  @Test func objectThatTheDetectorMissesIsFollowedByItsPixels() throws {
    let tracker = try tracker { $0.isFollowedOnly = true }
    // The model of the shuttle.
    let start = Box(x: 230, y: 40, width: 60, height: 100)
    for number in 0..<12 {
      let found = try process(tracker, frame(number), following: number == 0 ? [start] : [])
      let face = try #require(found.faces.first, "frame \(number)")
      let expected = moved(start, -3 * Float(number), -2 * Float(number))
      #expect(face.box.intersectionOverUnion(expected) > 0.8, "frame \(number): \(face.box)")
      #expect(number == 0 ? face.confidence == 1 : face.confidence > 0 && face.confidence <= 0.5)
      #expect(face.track?.id == FollowedFace.firstID)
    }
    // Another part of the photo takes its place.
    let other = Picture(360, 300) { x, y in photo[min(x, 511), 511 - y] }
    var left: [UInt64] = []
    for _ in 0..<4 {
      let found = try process(tracker, other)
      #expect(found.faces.isEmpty)
      left += found.left
    }
    #expect(left == [FollowedFace.firstID])
  }

  @Test func trackedFaceThatIsGivenContinuesUnderTheNewId() throws {
    let tracker = try tracker { $0.detectionInterval = 5 }
    #expect(try process(tracker, frame(0)).faces.map { $0.track?.id } == [1])
    #expect(try process(tracker, frame(1)).faces.map { $0.track?.id } == [1])
    let box = try detected(frame(2))
    let given = try process(tracker, frame(2), following: [box])
    #expect(given.faces.map(\.track) == [Track(id: FollowedFace.firstID, frameCount: 3)])
    #expect(given.left == [1])
    #expect(given.faces.first.map { $0.confidence < 1 && $0.points != nil } == true)
    for number in 3..<9 {
      let found = try process(tracker, frame(number))
      #expect(found.faces.map { $0.track?.id } == [FollowedFace.firstID] && found.left.isEmpty)
    }
  }

  /// Other faces are found as usual beside a given one.
  @Test func otherFacesAreFoundBesideAGivenOne() throws {
    let tracker = try tracker { $0.detectionInterval = 1 }
    let found = try process(tracker, frame(0), following: [Box(x: 230, y: 40, width: 60, height: 100)])
    #expect(Set(found.faces.map { $0.track?.id }) == [1, FollowedFace.firstID])
    #expect(Set(try process(tracker, frame(1)).faces.map { $0.track?.id }) == [1, FollowedFace.firstID])
  }

  /// A frame may fail at any point: its caller has been told that its faces are not followed.
  @Test func failedFrameStartsToFollowNoFace() throws {
    let box = try detected(frame(0))
    var info = FrameInfo(number: 1, timestamp: 0)
    info.followed = [FollowedFace(id: FollowedFace.firstID, box: box)]
    let options = adjusted(DetectionOptions()) { $0.outputs = .pose }
    var failures = 0
    while true {
      let tracker = try tracker { $0.isFollowedOnly = true }
      // Each round cancels one stage change later, until the cancel comes too late.
      let canceller = Canceller()
      var changes = 0
      let clock = StageClock {
        changes += 1
        if changes > failures { canceller.cancel() }
        return .nanoseconds(Int64(changes))
      }
      let outcome = Result {
        try tracker.track(frame(0), options, .bgra, info) { image in
          (image.clock, image.cancellation) = (clock, CancellationToken(canceller: canceller))
        }
      }
      if case .success = outcome { break }
      let next = try process(tracker, frame(1))
      #expect(next.faces.isEmpty && next.left.isEmpty, "cancelled with change \(failures)")
      failures += 1
    }
    #expect(failures > 3)
  }

  @Test func aBoxBesideThePictureLeavesAtOnce() throws {
    let tracker = try tracker { _ in }
    let found = try process(tracker, frame(0), following: [Box(x: 400, y: 10, width: 50, height: 50)])
    #expect(found.left == [FollowedFace.firstID] && found.faces.map { $0.track?.id } == [1])
  }

  // MARK: Rate of analysis

  @Test(arguments: [[], FaceOutputs.pose]) func framesBetweenAnalysesUseTheTrack(_ outputs: FaceOutputs)
    throws
  {
    let tracker = try tracker { $0.analysisRate = 5 }
    for number in 0..<20 {
      let picture = frame(number)
      let found = try process(tracker, picture, outputs, milliseconds: 1000 + 40 * UInt64(number))
      let face = try #require(found.faces.first)
      #expect(face.isPredicted == (number % 5 != 0), "frame \(number)")
      // The picture's contents are not looked at.
      #expect(found.stages.isEmpty == face.isPredicted, "frame \(number): \(found.stages)")
      #expect(face.track == Track(id: 1, frameCount: UInt32(number / 5 + 1)))
      #expect((face.pose != nil) == (outputs.contains(.pose) && !face.isPredicted))
      // The movement is known from the second search on.
      if number >= 5 {
        #expect(face.box.intersectionOverUnion(try detected(picture)) > 0.7, "frame \(number)")
      }
    }
    // The rate does not apply to a given face, a new size or a failed frame.
    let given = try process(
      tracker, frame(20), milliseconds: 1840, following: [Box(x: 9, y: 9, width: 50, height: 50)])
    #expect(given.faces.allSatisfy { !$0.isPredicted })
    let larger = Picture(400, 300) { x, y in photo[x, y] }
    #expect(try process(tracker, larger, milliseconds: 1880).faces.allSatisfy { !$0.isPredicted })
    #expect(try process(tracker, larger, milliseconds: 1920).faces.contains { $0.isPredicted })
  }

  @Test func analysisRateWithoutTimestampsUsesTheClock() throws {
    let tracker = try tracker { $0.analysisRate = 0.001 }
    #expect(try process(tracker, frame(0)).faces.map(\.isPredicted) == [false])
    for number in 1..<4 {
      #expect(try process(tracker, frame(number)).faces.map(\.isPredicted) == [true])
    }
  }

  @Test func guidedCheckRefusesAnalysisRateAndFollowedOnly() throws {
    for change: (inout TrackingOptions) -> Void in [{ $0.analysisRate = 5 }, { $0.isFollowedOnly = true }] {
      var options = TrackingOptions()
      change(&options)
      #expect(throws: Status.self) {
        try engine.makeChecker(CheckOptions(), options, maxPictureBytes: nil)
      }
    }
  }
}
