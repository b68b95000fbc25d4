import FaceCore
import Service

/// A clock that only the simulation moves.
final class VirtualClock: @unchecked Sendable {
  var now = MonotonicTime(nanoseconds: 1 << 30)
}

/// A detector whose next result the simulation decides, and the models with it.
final class SimulatedDetector: TrackingDetector, ModelProvider, @unchecked Sendable {
  var failsTests = false
  /// Called when the models were loaded again, which counts as a test that was passed.
  var reloaded: (() -> Void)?
  private var failure: Status?
  private var faces = 0
  /// The faces that came with the frame that was searched last.
  var followed: [UInt64] = []

  /// Sets the result of the next detection.
  func prepare(failure: Status?, faces: Int) { (self.failure, self.faces) = (failure, faces) }

  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    if let failure { throw failure }
    let face = Face(box: Box(x: 1, y: 2, width: 3, height: 4), confidence: 1, points: nil)
    return DetectionResult(
      imageSize: PixelSize(width: 64, height: 64), faces: [Face](repeating: face, count: faces))
  }

  func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker { SimulatedTracker(self) }

  var models: [ModelInfo] { [ModelInfo(name: "simulated", family: "simulated", licence: "MIT")] }

  func listModels() throws(Status) -> [ListedModel] {
    models.map { ListedModel($0, title: "Simulated", isLoaded: true) }
  }

  func reloadModels(named name: String) throws(Status) -> [ModelInfo] {
    if failsTests { throw Status(.dataLoss, "the model's file is broken") }
    reloaded?()
    return models
  }

  func selfTest() throws(Status) { if failsTests { throw Status(.internal, "no face was found") } }
  func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool { false }
}

private final class SimulatedTracker: FrameTracker {
  private let detector: SimulatedDetector
  init(_ detector: SimulatedDetector) { self.detector = detector }

  func trackFaces(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    detector.followed = frame.followed.map(\.id)
    return (try detector.detect(image, options: options), [])
  }
}

/// Decoders that fail and come back. Detections take the pictures as they are.
final class SimulatedDecoders: FileDecoders, @unchecked Sendable {
  var failure: Status?
  func decoder(for user: UInt32) -> any FileDecoder { NoDecoder() }
  var counts: DecoderCounts { DecoderCounts() }
  func probe() {}
  func watch(_ handler: @escaping @Sendable (DecoderEvent) -> Void) throws(Status) {}
}

private struct NoDecoder: FileDecoder {
  /// Files are not copied, which would look at the machine's clock.
  var takesAllKinds: Bool { true }
  func open(
    _ file: UnsafeRawBufferPointer, _ kind: PictureKind, _ token: CancellationToken?
  ) throws(Status) -> any OpenedFile { throw Status(.unavailable, "nothing is decoded in a simulation") }
}
