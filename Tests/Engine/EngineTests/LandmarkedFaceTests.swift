import Engine
import FaceCore
import Imaging
import TestSupport
import Testing

/// The engine's tracker for outputs beyond boxes: between two searches the dense points alone follow a face.
@Suite(.needsRealModel, .needsAnalysisModels) final class LandmarkedFaceTests: PhotoSuite {
  /// A camera that moves, turns and comes nearer, by a few pixels a frame.
  private func frame(_ number: Int) -> Picture {
    let (turn, scale) = (Double(number) * 0.8, 1 - 0.008 * Double(number))
    return Photo.view(of: photo, PixelSize(width: 360, height: 300), turned: turn, scale: scale) {
      (x: $0 + 40 + 3 * Double(number), y: $1 + 2 * Double(number))
    }
  }

  private func tracker(interval: Int, maxMissedFrames: Int = 2) throws -> any FrameTracker {
    var options = TrackingOptions()
    options.detectionInterval = interval
    options.maxMissedFrames = maxMissedFrames
    return try engine.makeTracker(options)
  }

  private static func options(_ outputs: FaceOutputs) -> DetectionOptions {
    adjusted(DetectionOptions()) { $0.outputs = outputs }
  }

  /// - Returns: the faces, those that left, and the stages that ran.
  private func process(
    _ tracker: any FrameTracker, _ picture: Picture, _ outputs: FaceOutputs = .landmarks
  ) throws -> (faces: [Face], left: [UInt64], stages: Set<StageClock.Stage>) {
    let clock = StageClock.ticking()
    let (result, left) = try tracker.track(picture, Self.options(outputs)) { $0.clock = clock }
    return (result.faces, left, Set(clock.takeTimes().keys))
  }

  @Test func trackedPointsAgreeWithASearch() throws {
    let tracker = try tracker(interval: 100)
    for number in 0..<20 {
      let picture = frame(number)
      let (faces, left, stages) = try process(tracker, picture)
      #expect(faces.count == 1 && left.isEmpty)
      // The detector's network ran in the first frame only.
      #expect(stages.contains(.network) == (number == 0))
      let face = try #require(faces.first)
      #expect(face.track == Track(id: 1, frameCount: UInt32(number + 1)))
      #expect(face.confidence >= 0.5 && face.confidence <= 1)
      let searched = try engine.detect(picture, Self.options(.landmarks))
      let expected = try #require(searched.faces.first)
      let eyes = try #require(expected.points).eyeDistance
      #expect(face.box.intersectionOverUnion(expected.box) > 0.75, "frame \(number)")
      let distance = try #require(face.landmarks).meanDistance(to: try #require(expected.landmarks))
      #expect(distance < 0.03 * eyes, "frame \(number): \(distance / eyes)")
      let five = try #require(face.points).meanDistance(to: try #require(expected.points))
      #expect(five < 0.05 * eyes, "frame \(number): \(five / eyes)")
    }
  }

  @Test func detectorRunsOncePerInterval() throws {
    let tracker = try tracker(interval: 4)
    let searches = try (0..<12).map { try process(tracker, frame($0)).stages.contains(.network) }
    #expect(searches == (0..<12).map { $0 % 4 == 0 })
  }

  /// If the points of the previous frame are known, the mesh network finds those of a searched frame in one
  /// run, otherwise in two; the points are the same either way.
  @Test func searchReusesThePointsOfThePreviousFrame() throws {
    let tracker = try tracker(interval: 1)
    for number in 0..<6 {
      let picture = frame(number)
      let face = try #require(try process(tracker, picture).faces.first)
      let searched = try engine.detect(picture, Self.options(.landmarks))
      let expected = try #require(searched.faces.first)
      let found = try #require(face.landmarks)
      #expect(face.box == expected.box && face.points == FivePoints(found))
      // The crop is another one, so the last digits differ; those of the first frame come from the same two
      // runs.
      #expect((found.points == expected.landmarks?.points) == (number == 0))
      let eyes = try #require(expected.points).eyeDistance
      #expect(found.meanDistance(to: try #require(expected.landmarks)) < 0.03 * eyes, "frame \(number)")
    }
  }

  /// Points are kept for the next frame, and are in the result only if they are requested.
  @Test func onlyRequestedOutputsAreReturned() throws {
    let tracker = try tracker(interval: 100)
    for number in 0..<4 {
      let (faces, _, stages) = try process(tracker, frame(number), .pose)
      #expect(stages.contains(.network) == (number == 0))
      let face = try #require(faces.first)
      #expect(face.pose != nil && face.landmarks == nil && face.quality == nil)
    }
    // No output is requested: the detector looks where the face is expected.
    let (faces, _, stages) = try process(tracker, frame(4), [])
    #expect(stages.contains(.network) && !stages.contains(.points))
    #expect(faces.map { $0.track?.id } == [1] && faces[0].pose == nil)
  }

  enum Empty: CaseIterable, Sendable { case black, slope, flag }

  /// Once the face is gone, the mesh network must not go on finding one.
  @Test(arguments: Empty.allCases) func aFaceThatVanishesIsMissedAtOnceAndLeavesInTime(_ empty: Empty) throws {
    let tracker = try tracker(interval: 5)
    for number in 0..<3 { #expect(try process(tracker, frame(number), .all).faces.count == 1) }
    let noFace = Picture(360, 300) { x, y in
      switch empty {
      case .black: RGB(0, 0, 0)
      case .slope: RGB(UInt8(x / 2), UInt8(y / 2), 90)
      // A part of the photo beside the face.
      case .flag: photo[x / 3, 250 + y / 2]
      }
    }
    var left: [[UInt64]] = []
    for _ in 0..<4 {
      let answer = try process(tracker, noFace, .all)
      #expect(answer.faces.isEmpty)
      left.append(answer.left)
    }
    #expect(left == [[], [], [1], []])
    // The same face again gets a new id, found by the next search of a whole frame.
    let found = try (0..<5).map { _ in try process(tracker, frame(0), .all).faces.map { $0.track?.id } }
    #expect(found.last == [2])
  }

  @Test func aChangeOfSizeKeepsTheIdAndThePoints() throws {
    let tracker = try tracker(interval: 100)
    for side in [512, 512, 256, 256, 640, 300, 300] {
      let picture = Photo.bilinear(photo, to: PixelSize(width: side, height: side))
      let (faces, left, _) = try process(tracker, picture)
      #expect(left.isEmpty && faces.map { $0.track?.id } == [1], "\(side)")
      // The nose's tip is where it is in the photo, 512 pixels wide.
      let nose = try #require(faces.first?.landmarks).points[Landmarks.noseTip]
      let scale = 512 / Float(side)
      #expect(abs(nose.x * scale - 220) < 6 && abs(nose.y * scale - 122) < 6, "\(side)")
    }
  }

  /// Two people side by side both move; then one of them is covered.
  @Test func twoFacesKeepTheirOwnPoints() throws {
    let other = try Photo.picture("grace_hopper.jpg")
    func pair(_ number: Int, bothSeen: Bool) -> Picture {
      Picture(480, 320) { x, y in
        if x < 220 { return photo[x + 110 + 2 * number, y + number] }
        guard bothSeen else { return RGB(60, 60, 60) }
        return other[x - 220 + 140 - 2 * number, y + 80 + number]
      }
    }
    let tracker = try tracker(interval: 8)
    for number in 0..<12 {
      let (faces, left, _) = try process(tracker, pair(number, bothSeen: true))
      #expect(left.isEmpty && faces.count == 2)
      let byPlace = faces.sorted { $0.box.x < $1.box.x }
      if number > 0 { #expect(Set(faces.compactMap { $0.track?.id }) == [1, 2]) }
      for (face, side) in zip(byPlace, [Float(0)...220, 220...480]) {
        #expect(side.contains(try #require(face.landmarks).points[Landmarks.noseTip].x))
      }
    }
    let before = try process(tracker, pair(12, bothSeen: true)).faces.sorted { $0.box.x < $1.box.x }
    var left: [UInt64] = []
    for number in 13..<18 {
      let answer = try process(tracker, pair(number, bothSeen: false))
      #expect(answer.faces.map { $0.track?.id } == [before[0].track?.id])
      left += answer.left
    }
    #expect(left == [try #require(before[1].track).id])
  }
}

/// How often an engine decodes a file, measured by a clock that advances by one each time it is read.
@Suite(.needsRealModel, .needsAnalysisModels) struct SingleDecodeTests {
  /// One tick for the header and one for the pixels, whatever is requested and however the picture is
  /// searched.
  @Test(arguments: ["astronaut.png", "grace_hopper.jpg"], [FaceOutputs(), .landmarks, .all])
  func aFileIsDecodedOnce(name: String, outputs: FaceOutputs) throws {
    let engine = try Engine.yunet()
    var options = DetectionOptions()
    options.outputs = outputs
    let tracker = try engine.makeTracker(TrackingOptions())
    let clock = StageClock.ticking()
    try Fixture.photo(name).borrowed { file throws(Status) in
      var image = ImageInput(.encoded(file))
      image.clock = clock
      for accuracy in Accuracy.allCases {
        options.accuracy = accuracy
        #expect(try engine.detect(image, options: options).faces.count == 1)
        #expect(clock.takeTimes()[.decode] == 2, "\(accuracy)")
      }
      options.accuracy = .balanced
      for _ in 0..<3 {
        #expect(try tracker.trackFaces(image, options: options).result.faces.count == 1)
        #expect(clock.takeTimes()[.decode] == 2)
      }
    }
  }

  /// A small face would show more detail at a larger scale than the search needed.
  @Test func aSmallFaceThatIsFollowedIsDecodedOnce() throws {
    let photo = Photo.bilinear(try Photo.picture("astronaut.png"), to: PixelSize(width: 100, height: 100))
    let scene = Picture(1920, 1080) { x, y in
      (900..<1000).contains(x) && (500..<600).contains(y) ? photo[x - 900, y - 500] : RGB(90, 100, 110)
    }
    let file = try scene.withView(.bgra) { view throws(Status) in
      try JPEGEncoder.encode(UprightImage(ImageInput(.pixels(view))).whole(), maxBytes: 1 << 22)
    }
    let tracker = try Engine.yunet(precision: .float).tracker()
    let clock = StageClock.ticking()
    let options = adjusted(DetectionOptions()) { ($0.maxSide, $0.minConfidence) = (960, 0.4) }
    try file.borrowed { file throws(Status) in
      var image = ImageInput(.encoded(file))
      image.clock = clock
      for frame in 0..<3 {
        let faces = try tracker.trackFaces(image, options: options).result.faces
        // So small a face may be missed between two searches.
        #expect(faces.contains { $0.track?.id == 1 && $0.box.height < 25 } || frame > 0)
        #expect(clock.takeTimes()[.decode] == 2)
      }
    }
  }
}

extension Landmarks {
  fileprivate func meanDistance(to other: Landmarks) -> Float {
    zip(points, other.points).reduce(0) { $0 + $1.0.point.distance(to: $1.1.point) } / Float(points.count)
  }
}

extension FivePoints {
  private var all: [Point] { [leftEye, rightEye, noseTip, mouthLeft, mouthRight] }

  fileprivate var eyeDistance: Float { leftEye.distance(to: rightEye) }

  fileprivate func meanDistance(to other: FivePoints) -> Float {
    zip(all, other.all).reduce(0) { $0 + $1.0.distance(to: $1.1) } / 5
  }
}
