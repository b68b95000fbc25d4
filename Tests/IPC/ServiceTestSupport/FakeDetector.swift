public import FaceCore
import Posix
import Synchronization

/// Stands in for a detector: its faces show what was requested, and a test can hold it inside a call for as
/// long as it likes.
public final class FakeDetector: TrackingDetector, ModelProvider {
  private struct State {
    var calls = 0
    var running = 0
    var marks: [UInt8] = []
    var isHeld = false
    /// Whether held calls poll their tokens.
    var asksTokens = false
    var ended: [UInt8] = []
    var failure: Status?
    var reloads = 0
    var selfTests = 0
    var frees = 0
    var partialFrees = 0
    var models = [ModelInfo(name: "fake", family: "fake", licence: "MIT")]
  }

  private let state = Monitor(State())
  private let changed = Condition()

  public init() {}

  /// The time after which a waiting test gives up, so that none waits forever.
  private static var soon: MonotonicTime { .now() + .seconds(60) }

  public var models: [ModelInfo] { state.withLock { state in state.models } }

  public func listModels() throws(Status) -> [ListedModel] {
    models.map { ListedModel($0, title: "Fake", isLoaded: true) }
      + [
        ListedModel(ModelInfo(name: "other", family: "fake", licence: "MIT"), title: "Other", isLoaded: false)
      ]
  }

  public func reloadModels(named name: String) throws(Status) -> [ModelInfo] {
    try state.withLock { (state) throws(Status) in
      guard name.isEmpty || name == "fake" else { throw Status(.notFound, "no model \(name) is loaded") }
      if let failure = state.failure { throw failure }
      state.reloads += 1
      return state.models
    }
  }

  public func selfTest() throws(Status) {
    let failure = state.withLock { state in
      state.selfTests += 1
      return state.failure
    }
    changed.wakeAll()
    if let failure { throw failure }
  }

  public func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool {
    state.withLock { state in
      if kept == .forOneCall { state.frees += 1 } else { state.partialFrees += 1 }
    }
    changed.wakeAll()
    return true
  }

  /// Waits until memory was freed `count` more times while calls went on, and returns whether it was.
  public func waitForPartialFrees(_ count: Int) -> Bool {
    let before = state.withLock { $0.partialFrees }
    return state.wait(for: changed, until: Self.soon) { $0.partialFrees >= before + count ? true : nil }
      ?? false
  }

  /// How often memory that is kept for calls was freed.
  public var frees: Int { state.withLock { $0.frees } }

  /// Waits until that was done `count` times in all, and returns whether it was.
  public func waitForFrees(_ count: Int) -> Bool {
    state.wait(for: changed, until: Self.soon) { $0.frees >= count ? true : nil } ?? false
  }

  /// Waits until `count` further self-tests have begun.
  public func waitForSelfTests(_ count: Int) {
    let before = state.withLock { $0.selfTests }
    _ = state.wait(for: changed, until: Self.soon) { state in state.selfTests >= before + count ? true : nil }
  }

  /// Makes self-tests and reloads throw `failure` from now on; `nil` makes them succeed.
  public func fail(with failure: Status?) {
    state.withLock { state in state.failure = failure }
  }

  /// The number of reloads that succeeded.
  public var reloads: Int { state.withLock { state in state.reloads } }

  public func unload() {
    state.withLock { state in state.models = [] }
  }

  /// The number of calls that reached the detector.
  public var calls: Int { state.withLock { state in state.calls } }

  /// The first byte of each image that reached the detector, in order.
  public var marks: [UInt8] { state.withLock { state in state.marks } }

  /// Holds calls from now on until `release`.
  /// - Parameter orCancellation: whether a call also leaves when its token ends it.
  public func hold(orCancellation: Bool = false) {
    state.withLock { state in (state.isHeld, state.asksTokens) = (true, orCancellation) }
  }

  /// The first byte of each image whose call was ended by its token, in order.
  public var ended: [UInt8] { state.withLock { state in state.ended } }

  public func release() {
    state.withLock { state in state.isHeld = false }
    changed.wakeAll()
  }

  /// Waits until `count` calls are inside.
  public func waitUntilRunning(_ count: Int) {
    _ = state.wait(for: changed, until: Self.soon) { state in state.running >= count ? true : nil }
  }

  /// Waits until `count` calls have reached the detector.
  public func waitUntilCalled(_ count: Int) {
    _ = state.wait(for: changed, until: Self.soon) { state in state.calls >= count ? true : nil }
  }

  /// One face per call: its box holds the image's size and the length or first byte of its data.
  public static func expected(_ image: ImageInput, _ options: DetectionOptions) -> DetectionResult {
    let size: PixelSize
    let mark: Float
    switch image.source {
    case .encoded(let bytes):
      size = PixelSize(width: bytes.count, height: 1)
      mark = Float(bytes.first ?? 0)
    case .pixels(let view):
      size = view.size
      mark = Float(view.bytes.first ?? 0)
    }
    let box = Box(
      x: mark, y: Float(options.maxFaces), width: options.minFaceSize, height: Float(options.effectiveMaxSide)
    )
    let point = Point(x: mark, y: mark)
    let points = FivePoints(
      leftEye: point, rightEye: Point(x: 0, y: 0), noseTip: point, mouthLeft: point, mouthRight: point)
    var face = Face(box: box, confidence: options.minConfidence, points: mark == 0 ? nil : points)
    fill(&face, image, options)
    return DetectionResult(imageSize: (image.orientation ?? .up).uprightSize(of: size), faces: [face])
  }

  /// The outputs, derived from the other options.
  private static func fill(_ face: inout Face, _ image: ImageInput, _ options: DetectionOptions) {
    let mark = face.box.x
    let outputs = options.outputs
    if outputs.contains(.pose) {
      face.pose = Pose(
        yaw: Float(options.accuracy.rawValue), pitch: image.isMirrored ? 1 : 0, roll: image.region?.x ?? -1)
    }
    if outputs.contains(.eyes) {
      face.eyes = Eyes(leftOpen: 0.25, rightOpen: Float(options.model.utf8.count))
    }
    if outputs.contains(.mouth) { face.mouth = Mouth(smile: 0.5, open: 0) }
    if outputs.contains(.quality) {
      face.quality = CaptureQuality(overall: 1, sharpness: 2, exposure: 3, size: 4, pose: 5, framing: 6)
    }
    if outputs.contains(.landmarks) {
      let points = (0..<Landmarks.count).map { Point3D(x: mark, y: Float($0), z: -1) }
      face.landmarks = Landmarks(points: points, confidence: 0.75)
    }
    if outputs.contains(.expressions) {
      face.expressions = Expressions(values: (0..<Expressions.count).map { Float($0) / 64 })
    }
    if outputs.contains(.transform) {
      face.transform = HeadTransform(x: SIMD4(1, 0, 0, 2), y: SIMD4(0, 1, 0, mark), z: SIMD4(0, 0, 1, -60))
    }
    if outputs.contains(.gaze) { face.gaze = Gaze(values: (0..<Gaze.count).map { Float($0) - mark }) }
    if outputs.contains(.precision) {
      face.precision = PointPrecisions(values: (0..<PointPrecisions.count).map { Float($0) + mark })
    }
    if outputs.contains(.isoQuality) {
      face.isoQuality = ISOQuality(values: (0..<ISOQuality.count).map { Float($0) + mark })
    }
  }

  /// An encoded image that begins with "bad" cannot be decoded.
  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    let mark =
      switch image.source {
      case .encoded(let bytes): bytes.first ?? 0
      case .pixels(let view): view.bytes.first ?? 0
      }
    state.withLock { state in
      state.marks.append(mark)
      state.calls += 1
      state.running += 1
    }
    changed.wakeAll()
    do throws(Status) {
      try stayInside(image.cancellation)
      state.withLock { state in state.running -= 1 }
    } catch {
      state.withLock { state in
        state.running -= 1
        state.ended.append(mark)
      }
      throw error
    }
    if case .encoded(let bytes) = image.source, bytes.starts(with: "bad".utf8) {
      throw Status(.invalidArgument, "the image is neither JPEG nor PNG; send one of them")
    }
    return Self.expected(image, options)
  }

  private func stayInside(_ token: CancellationToken?) throws(Status) {
    while true {
      let asks = state.withLock { $0.asksTokens }
      let soon = asks ? MonotonicTime.now() + .milliseconds(1) : .never
      if state.wait(for: changed, until: soon, { $0.isHeld ? nil : true }) == true { return }
      try token?.check()
    }
  }

  /// Refuses intervals above 1000.
  public func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker {
    guard options.detectionInterval <= 1000 else {
      throw Status(.invalidArgument, "detection_interval is \(options.detectionInterval); give less")
    }
    return FakeTracker(self)
  }
}
