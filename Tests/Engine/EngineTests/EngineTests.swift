import Dispatch
import Engine
import FaceCore
import Synchronization
import TestSupport
import Testing

/// The complete detection with the real network.
@Suite(.needsRealModel) struct EngineTests {
  private let engine: Engine

  init() throws {
    engine = try Engine.yunet()
  }

  private func detect(
    _ picture: Picture, orientation: Orientation? = nil, maxSide: Int = 0, by other: Engine? = nil
  ) throws -> DetectionResult {
    let options = adjusted(DetectionOptions()) { $0.maxSide = maxSide }
    return try picture.withView(.bgra) { view throws(Status) in
      try (other ?? engine).detect(ImageInput(.pixels(view), orientation: orientation), options: options)
    }
  }

  private func detect(file: [UInt8], maxSide: Int = 0) throws -> DetectionResult {
    let options = adjusted(DetectionOptions()) { $0.maxSide = maxSide }
    return try engine.detect(file: file, options)
  }

  /// The reference: these weights through OpenCV's FaceDetectorYN give 0.9447 at 226.7, 67.2, 115.6 by 155.4.
  /// In eight bits, boxes overlap with those of floats by 0.96 in the mean, and confidences differ by 0.008
  /// (Models/README.md).
  @Test(arguments: Precision.allCases)
  func astronautsFaceAgreesWithOpenCV(precision: Precision) throws {
    let size = PixelSize(width: 640, height: 640)
    let photo = Photo.bilinear(try Photo.picture("astronaut.png"), to: size)
    let engine = try Engine.yunet(precision: precision)
    let result = try detect(photo, by: engine)
    #expect(result.imageSize == size)
    #expect(result.faces.count == 1)
    let face = try #require(result.faces.first)
    switch precision {
    case .float:
      #expect(abs(face.confidence - 0.9447) <= 0.002)
      #expect(abs(face.box.x - 226.7) <= 0.5 && abs(face.box.y - 67.2) <= 0.5)
      #expect(abs(face.box.width - 115.6) <= 0.5 && abs(face.box.height - 155.4) <= 0.5)
    case .best:
      #expect(abs(face.confidence - 0.9447) <= 0.02)
      #expect(face.box.intersectionOverUnion(Box(x: 226.7, y: 67.2, width: 115.6, height: 155.4)) >= 0.94)
    }
  }

  @Test(arguments: ["astronaut.png", "grace_hopper.jpg"])
  func everyPhotoHasOneFaceWithItsPointsInPlace(name: String) throws {
    let result = try detect(file: Fixture.photo(name))
    #expect(result.faces.count == 1)
    let face = try #require(result.faces.first)
    let points = try #require(face.points)
    // The subject's left is towards the right edge.
    #expect(points.rightEye.x < points.leftEye.x && points.mouthRight.x < points.mouthLeft.x)
    #expect(max(points.rightEye.y, points.leftEye.y) < points.noseTip.y)
    #expect(points.noseTip.y < min(points.mouthRight.y, points.mouthLeft.y))
    for point in [points.leftEye, points.rightEye, points.noseTip, points.mouthLeft, points.mouthRight] {
      #expect(face.box.x < point.x && point.x < face.box.maxX)
      #expect(face.box.y < point.y && point.y < face.box.maxY)
    }
  }

  @Test(arguments: ["astronaut.png", "grace_hopper.jpg"])
  func aFileAndItsPixelsGiveTheSame(name: String) throws {
    for maxSide in [0, 320] {
      let file = try detect(file: Fixture.photo(name), maxSide: maxSide)
      #expect(try detect(try Photo.picture(name), maxSide: maxSide) == file)
    }
  }

  /// Turned before or after scaling, the face is the same to a fraction of a pixel.
  @Test(arguments: Orientation.allCases, [0, 400])
  func storedPixelsWithTheirOrientationGiveTheSameFaces(orientation: Orientation, maxSide: Int) throws {
    let photo = try Photo.picture("grace_hopper.jpg")
    let reference = try detect(photo, maxSide: maxSide)
    let turned = try detect(photo.stored(orientation), orientation: orientation, maxSide: maxSide)
    #expect(turned.imageSize == reference.imageSize)
    #expect(turned.faces.count == 1 && reference.faces.count == 1)
    if maxSide == 0 { #expect(turned == reference) }
    let face = try #require(turned.faces.first)
    let expected = try #require(reference.faces.first)
    #expect(abs(face.confidence - expected.confidence) < 0.01)
    #expect(face.box.intersectionOverUnion(expected.box) > 0.97)
    #expect(try #require(face.points).leftEye.distance(to: #require(expected.points).leftEye) < 3)
  }

  /// Options are refused even if there is nothing to search: the image is empty, or there are no images.
  @Test(arguments: Accuracy.allCases)
  func optionsAreValidatedBeforeTheImage(accuracy: Accuracy) throws {
    for change in [{ $0.minConfidence = .nan }, { $0.overlapThreshold = 2 }]
      as [(inout DetectionOptions) -> Void]
    {
      var options = DetectionOptions()
      options.accuracy = accuracy
      change(&options)
      let image = ImageInput(.encoded(UnsafeRawBufferPointer(start: nil, count: 0)))
      let problems = [
        #expect(throws: Status.self) { try engine.detect(image, options: options) },
        #expect(throws: Status.self) { try engine.detectBatch([], options: options, cancellation: nil) },
        #expect(throws: Status.self) { _ = try engine.networkInput(image, options: options) },
        #expect(throws: Status.self) {
          try engine.makeTracker(TrackingOptions()).trackFaces(image, options: options)
        },
      ]
      for problem in problems {
        #expect(problem?.code == .invalidArgument && problem?.detail != nil)
      }
    }
  }

  /// Uses one engine from several threads at once.
  @Test func concurrentCallersGetTheSameResult() throws {
    let photo = try Photo.picture("astronaut.png")
    let reference = try detect(photo, maxSide: 320)
    let same = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if (try? detect(photo, maxSide: 320)) == reference { same.withLock { $0 += 1 } }
    }
    #expect(same.withLock { $0 } == 8)
  }

  /// Models that are loaded on demand lie beside a detector's folder, or beside its `.onnx` file.
  @Test(arguments: ["mine.onnx", "yunet/model.json"])
  func readPathsHaveWhatIsLoadedOnDemand(file: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(file, [])
    let model = folder.path(file.split(separator: "/").first.map(String.init) ?? file)
    let paths = Engine.modelPaths([model], catalog: nil)
    for name in ["centerface", "facemesh", "blendshapes"] { #expect(paths.contains(folder.path(name))) }
  }
}
