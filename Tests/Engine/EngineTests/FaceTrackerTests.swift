import Engine
import FaceCore
import Synchronization
import TestSupport
import Testing

/// A detector that finds scripted faces, and records its options.
private final class ToldDetector: FaceDetector {
  let answers: Mutex<[Result<[Face], Status>]>
  let asked = Mutex<[DetectionOptions]>([])

  init(_ answers: [Result<[Face], Status>]) {
    self.answers = Mutex(answers)
  }

  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    asked.withLock { $0.append(options) }
    let answer = answers.withLock { $0.removeFirst() }
    return DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: try answer.get())
  }
}

@Suite struct FaceTrackerTests {
  private static func face(_ x: Float, _ confidence: Float = 0.9) -> Face {
    Face(box: Box(x: x, y: 100, width: 50, height: 60), confidence: confidence, points: nil)
  }

  private func follow(
    _ answers: [Result<[Face], Status>], maxMissedFrames: Int = 1,
    _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> ([Result<(ids: [UInt64], left: [UInt64]), Status>], ToldDetector) {
    let tracking = adjusted(TrackingOptions()) { ($0.maxMissedFrames, $0.minHits) = (maxMissedFrames, 1) }
    var options = DetectionOptions()
    change(&options)
    let detector = ToldDetector(answers)
    let follower = try FaceTracker(detector, tracking)
    let picture = [UInt8](repeating: 0, count: 32 * 32)
    let frames = answers.map { _ in
      Result { () throws(Status) in
        let (result, left) = try picture.withView(.gray, size: PixelSize(width: 32, height: 32)) {
          view throws(Status) in try follower.trackFaces(ImageInput(.pixels(view)), options: options)
        }
        return (ids: result.faces.compactMap { $0.track?.id }, left: left)
      }
    }
    return (frames, detector)
  }

  @Test func facesOfLowScoreKeepAnIdButGetNone() throws {
    let (frames, detector) = try follow([
      .success([Self.face(100), Self.face(300, 0.4)]), .success([Self.face(102, 0.35), Self.face(300, 0.7)]),
    ])
    #expect(try frames.map { try $0.get().ids } == [[1], [2, 1]])
    #expect(detector.asked.withLock { $0 }.map(\.minConfidence) == [0.3, 0.3])
  }

  @Test func aFaceThatLeftInAFrameThatFailedIsReportedWithTheNext() throws {
    let lost = Status(.invalidArgument, "no picture")
    let (frames, _) = try follow([
      .success([Self.face(100)]), .failure(lost), .failure(lost), .success([Self.face(100)]), .success([]),
    ])
    #expect(try frames[0].get().ids == [1])
    for frame in frames[1...2] { #expect(throws: lost) { try frame.get() } }
    #expect(try frames[3].get() == ([2], [1]))
    #expect(try frames[4].get() == ([], []))
  }

  @Test func faceBeyondTheMaximumKeepsItsId() throws {
    let faces = [Self.face(100, 0.9), Self.face(300, 0.8), Self.face(500, 0.7)]
    let (frames, detector) = try follow(Array(repeating: .success(faces), count: 4)) { $0.maxFaces = 2 }
    for frame in frames { #expect(try frame.get() == ([1, 2], [])) }
    #expect(detector.asked.withLock { $0 }.allSatisfy { $0.maxFaces == 0 })
  }
}

/// The engine's tracker, which between two full searches looks only where faces are expected.
@Suite(.needsRealModel) struct EngineTrackerTests {
  /// A camera that moves over the photo; each frame has its own size.
  private func frames(_ count: Int) throws -> [Picture] {
    let photo = try Photo.picture("astronaut.png")
    return (0..<count).map { frame in
      Picture(360, 300) { x, y in photo[min(x + 30 + 4 * frame, 511), min(y + 2 * frame, 511)] }
    }
  }

  private func process(_ tracker: any FrameTracker, _ picture: Picture, _ format: PixelFormat = .bgra) throws
    -> (result: DetectionResult, left: [UInt64])
  {
    try tracker.track(picture, DetectionOptions(), format)
  }

  @Test(arguments: [1, 5, 100], [PixelFormat.bgra, .gray])
  func aFaceKeepsItsIdAndItsPlaceBetweenSearches(interval: Int, format: PixelFormat) throws {
    let engine = try Engine.yunet()
    let tracker = try engine.tracker { $0.detectionInterval = interval }
    for (number, frame) in try frames(20).enumerated() {
      let (result, left) = try process(tracker, frame, format)
      #expect(left.isEmpty && result.faces.count == 1)
      let face = try #require(result.faces.first)
      #expect(face.track == Track(id: 1, frameCount: UInt32(number + 1)))
      let reference = try engine.detect(frame, DetectionOptions(), format)
      let expected = try #require(reference.faces.first)
      #expect(face.box.intersectionOverUnion(expected.box) > 0.7)
      // The confidence is that of this frame, not of the last search.
      #expect(face.confidence > 0.7 && face.confidence <= 1)
      let eye = try #require(face.points).leftEye
      let expectedEye = try #require(expected.points).leftEye
      #expect(abs(eye.x - expectedEye.x) < 8 && abs(eye.y - expectedEye.y) < 8)
    }
  }

  /// All frames are alike: nothing moves, whichever way a frame is searched.
  @Test(arguments: [1, 3, 10]) func onAStillPictureNothingMoves(interval: Int) throws {
    let tracker = try Engine.yunet().tracker { $0.detectionInterval = interval }
    let frame = try frames(1)[0]
    let first = try #require(try process(tracker, frame).result.faces.first)
    for _ in 0..<12 {
      let face = try #require(try process(tracker, frame).result.faces.first)
      #expect(face.box == first.box && face.points == first.points)
    }
  }

  /// A camera adds noise to each frame: boxes move by less than a hundredth of their size.
  @Test(arguments: [3, 10]) func onAStillPictureWithNoiseHardlyAnythingMoves(interval: Int) throws {
    let tracker = try Engine.yunet().tracker { $0.detectionInterval = interval }
    let picture = try frames(1)[0]
    var random = SeededGenerator(seed: 5)
    var boxes: [Box] = []
    for _ in 0..<25 {
      let noisy = Picture(picture.size.width, picture.size.height) { x, y in
        let pixel = picture[x, y]
        func level(_ value: UInt8) -> UInt8 {
          // The sum of four has a standard deviation of 3.
          let noise = (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -2.6...2.6, using: &random) }
          return UInt8(min(max(Double(value) + noise, 0), 255).rounded())
        }
        return RGB(level(pixel.red), level(pixel.green), level(pixel.blue))
      }
      let face = try #require(try process(tracker, noisy).result.faces.first)
      boxes.append(face.box)
    }
    func range(_ value: (Box) -> Float) -> Float {
      let values = boxes.map(value)
      return (values.max() ?? .infinity) - (values.min() ?? 0)
    }
    let side = boxes[0].height
    let moved = [range { $0.center.x }, range { $0.center.y }, range(\.width), range(\.height)]
    #expect(moved.allSatisfy { $0 < 0.01 * side }, "\(moved) of \(side)")
  }

  /// A face that moves by more than a few hundredths of its box per frame is where a search of that frame
  /// finds it.
  @Test func movingFaceIsNotSmoothed() throws {
    let engine = try Engine.yunet()
    let tracker = try engine.tracker { $0.detectionInterval = 1 }
    for frame in try frames(10) {
      let face = try #require(try process(tracker, frame).result.faces.first)
      let searched = try engine.detect(frame)
      #expect(face.box == searched.faces.first?.box)
    }
  }

  /// A face that has stood still is followed from the first frame of its movement.
  @Test func aFaceThatBeginsToMoveIsFollowedAtOnce() throws {
    let tracker = try Engine.yunet().tracker()
    let photo = try Photo.picture("astronaut.png")
    var start: Float?
    for frame in 0..<24 {
      let shift = max(0, frame - 8)
      let picture = Picture(360, 300) { x, y in photo[min(x + 30 + shift, 511), y] }
      let face = try #require(try process(tracker, picture).result.faces.first)
      let middle = face.box.center.x + Float(shift)
      start = start ?? middle
      #expect(abs(middle - (start ?? 0)) < 0.015 * face.box.height, "frame \(frame)")
    }
  }

  @Test func aFaceThatIsGoneIsMissedAtOnceAndLeavesInTime() throws {
    let tracker = try Engine.yunet().tracker { ($0.detectionInterval, $0.maxMissedFrames) = (5, 2) }
    let shown = try #require(try frames(1).first)
    for _ in 0..<3 { #expect(try process(tracker, shown).result.faces.count == 1) }
    let empty = Picture(360, 300) { x, y in RGB(UInt8(x / 2), UInt8(y / 2), 90) }
    var left: [[UInt64]] = []
    for _ in 0..<4 {
      let answer = try process(tracker, empty)
      #expect(answer.result.faces.isEmpty)
      left.append(answer.left)
    }
    #expect(left == [[], [], [1], []])
    // While no face is in view, the next full search finds a new one.
    let found = try (0..<5).map { _ in try process(tracker, shown).result.faces.map { $0.track?.id } }
    #expect(found.last == [2] && found.allSatisfy { $0.isEmpty || $0 == [2] })
  }

  /// The largest number of frames for which a face is in view before it is found, whenever that begins:
  /// `before` frames, then those with the newcomer; `found` tells whether a frame's faces include it.
  private func longestWait(
    _ interval: Int, before: Picture, after: Picture, found: ([Face]) -> Bool
  ) throws -> Int {
    let engine = try Engine.yunet()
    let options = adjusted(TrackingOptions.idsAtOnce) { $0.detectionInterval = interval }
    return try (1...interval + 1).map { comes in
      let tracker = try engine.makeTracker(options)
      for _ in 0..<comes { #expect(try !found(process(tracker, before).result.faces)) }
      for frame in 0... where try found(process(tracker, after).result.faces) || frame > 20 { return frame }
      return .max
    }.max() ?? .max
  }

  /// Full searches run at the interval, and more often while no face is in view: then no face is found later.
  @Test(arguments: [1, 2, 3, 5, 10]) func aNewcomerIsFoundWithinAnInterval(interval: Int) throws {
    let (photo, other) = (try Photo.picture("astronaut.png"), try Photo.picture("grace_hopper.jpg"))
    func scene(left: Bool, right: Bool) -> Picture {
      Picture(480, 320) { x, y in
        if x < 220 { return left ? photo[x + 120, y] : RGB(60, 60, 60) }
        return right ? other[x - 220 + 140, y + 80] : RGB(90, 60, 60)
      }
    }
    let noFace = scene(left: false, right: false)
    let first = try longestWait(interval, before: noFace, after: scene(left: true, right: false)) {
      $0.count == 1
    }
    #expect(first == min(interval, 3) - 1)
    let second = try longestWait(
      interval, before: scene(left: true, right: false), after: scene(left: true, right: true)
    ) { $0.count == 2 }
    #expect(second == interval - 1)
  }

  /// Two people of the same size with their eyes in the same place, each for some frames, with `emptyFrames`
  /// frames without a face in between.
  @Test(arguments: [0, 3], [1, 10])
  func anotherPersonInTheSamePlaceHasAnotherId(emptyFrames: Int, interval: Int) throws {
    let tracker = try Engine.yunet().tracker { $0.detectionInterval = interval }
    let (first, second) = try Photo.twoPeople()
    let empty = Picture(first.size.width, first.size.height) { _, _ in RGB(90, 90, 90) }
    for _ in 0..<4 { #expect(try process(tracker, first).result.faces.map { $0.track?.id } == [1]) }
    for _ in 0..<emptyFrames { #expect(try process(tracker, empty).result.faces.isEmpty) }
    let found = try (0..<4).map { _ in try process(tracker, second).result.faces.map { $0.track?.id } }
    #expect(found.last == [2] && found.allSatisfy { $0 == [2] || emptyFrames > 0 && $0.isEmpty })
  }

  @Test(arguments: [0.4, 1.6]) func changeOfLightKeepsTheId(gain: Double) throws {
    let tracker = try Engine.yunet().tracker()
    let frames = try frames(6)
    for (number, frame) in frames.enumerated() {
      let lit = Picture(360, 300) { x, y in
        let pixel = frame[x, y]
        func change(_ value: UInt8) -> UInt8 { number < 3 ? value : UInt8(min(Double(value) * gain, 255)) }
        return RGB(change(pixel.red), change(pixel.green), change(pixel.blue))
      }
      #expect(try process(tracker, lit).result.faces.map { $0.track?.id } == [1])
    }
  }

  @Test func aChangeOfSizeIsSearchedAnewWithTheSameId() throws {
    let tracker = try Engine.yunet().tracker()
    let photo = try Photo.picture("astronaut.png")
    for side in [512, 512, 256, 640, 640, 300] {
      let frame = Photo.bilinear(photo, to: PixelSize(width: side, height: side))
      let (result, left) = try process(tracker, frame)
      #expect(result.imageSize == frame.size && left.isEmpty)
      #expect(result.faces.map { $0.track?.id } == [1])
    }
  }
}
