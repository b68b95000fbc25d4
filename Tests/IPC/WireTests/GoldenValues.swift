import FaceCore
import TestSupport
import Wire

/// The fixed values that Tests/Fixtures/wire holds encoded. Changing one changes its file.
enum GoldenValues {
  // MARK: Images

  static let file: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 0xff, 0xd9]
  static let region = Box(x: -1.5, y: 2, width: 300.25, height: 400)

  /// Calls `body` with an encoded file that has every field of an image message.
  static func withFile<Result>(_ body: (MessageImage) throws -> Result) rethrows -> Result {
    try file.withUnsafeBytes { bytes in
      var image = MessageImage(.encoded(bytes), orientation: .rightMirrored)
      image.isMirrored = true
      image.region = region
      return try body(image)
    }
  }

  /// Calls `body` with packed pixels whose rows have a gap.
  static func withPixels<Result>(_ body: (MessageImage) throws -> Result) throws -> Result {
    let data = (0..<50 * 15 + 48).map { UInt8(truncatingIfNeeded: $0) }
    return try data.withUnsafeBytes { bytes in
      let view = try ImageView(format: .bgr, width: 16, height: 16, stride: 50, bytes: bytes)
      return try body(MessageImage(.pixels(view)))
    }
  }

  /// Calls `body` with three planes of pixels that are not contiguous.
  static func withPlanes<Result>(_ body: (MessageImage) throws -> Result) throws -> Result {
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    return try data.withUnsafeBytes { bytes in
      func plane(_ part: Range<Int>, _ stride: Int) -> ImageView.Plane {
        ImageView.Plane(UnsafeRawBufferPointer(rebasing: bytes[part]), stride: stride)
      }
      let view = try ImageView(
        format: .i420, width: 18, height: 16, colour: .bt709Video,
        planes: [plane(0..<20 * 16, 20), plane(500..<600, 12), plane(400..<500, 10)])
      return try body(MessageImage(.pixels(view), orientation: .up))
    }
  }

  static let sharedFile = SharedBytes(buffer: 3, offset: 1 << 33, size: 70_000)
  static let sharedPixels = SharedPixels(
    buffer: .max, offset: 4096,
    PixelLayout(
      format: .i420, width: 640, height: 480, stride: 704, colour: .bt601Video,
      chroma: [
        PixelLayout.Plane(offset: 337_920, stride: 352), PixelLayout.Plane(offset: 1 << 40, stride: 0),
      ]))

  /// The contents of one `Image` message; the pixels themselves are copied.
  static func image(_ bytes: Span<UInt8>) throws -> Picture {
    try MessageImage.decoding(bytes) { Picture($0) }
  }

  /// A message's image as a value.
  struct Picture: Equatable {
    var orientation: Orientation?
    var isMirrored: Bool
    var region: Box?
    var sharedFile: SharedBytes?
    var sharedPixels: SharedPixels?
    var format: PixelFormat?
    var size: PixelSize?
    var colour: YUVColour?
    var strides: [Int] = []
    /// The file, or the used bytes of each plane.
    var bytes: [[UInt8]] = []

    init(_ image: MessageImage) {
      (orientation, isMirrored, region) = (image.orientation, image.isMirrored, image.region)
      switch image.source {
      case .encoded(let file): bytes = [Array(file)]
      case .sharedEncoded(let part): sharedFile = part
      case .sharedPixels(let part): sharedPixels = part
      case .pixels(let view):
        (format, size, colour) = (view.format, view.size, view.colour)
        for index in 0..<view.planeCount {
          strides.append(view.plane(index).stride)
          bytes.append(Array(view.plane(index).bytes.prefix(view.usedBytes(plane: index))))
        }
      }
    }
  }

  // MARK: Options

  /// Options that all differ from their defaults.
  static let options: DetectionOptions = {
    var options = DetectionOptions()
    options.outputs = [.landmarks, .pose, .eyes, .mouth, .expressions, .quality]
    options.accuracy = .high
    options.model = "yunét"
    options.minConfidence = 0.25
    options.overlapThreshold = 0.5
    options.maxFaces = 300
    options.minFaceSize = 12.5
    options.maxSide = 512
    return options
  }()

  static let tracking: TrackingOptions = {
    var tracking = TrackingOptions()
    tracking.maxMissedFrames = 300
    tracking.detectionInterval = 7
    return tracking
  }()

  /// Options that all differ from their defaults.
  static let check: CheckOptions = {
    var options = CheckOptions()
    options.space = .view(
      ViewTransform(width: 720, height: 1280, fit: .cover, rotation: .clockwise, isMirrored: true))
    options.mask = Circle(center: Point(x: 360, y: 640.5), radius: 300)
    options.isStill = true
    options.usesTimestamps = true
    options.actions = [.openMouth, .blink, .turnLeft, .turnRight, .smile]
    options.shufflesActions = true
    options.seed = .max
    options.startsOver = true
    options.callerKeepsPicture = true
    (options.startDelay, options.hold, options.grace, options.lost) = (1, 200, 30_000, 4_000_000)
    (options.timeout, options.waitTimeout, options.tipTime) = (500_000_000, 60_000_000_000, 7)
    (options.hysteresis, options.minFace, options.maxFace) = (0.125, 0.25, 1.5)
    (options.maxOffset, options.maxOtherFace) = (0.75, 0.625)
    (options.maxYaw, options.maxPitch, options.maxRoll) = (10, 11, 12)
    (options.minEyesOpen, options.minBrightness, options.maxBrightness) = (0.375, 0.0625, 0.875)
    (options.minSharpness, options.maxMotion, options.turnAngle) = (0.1875, 2, 25)
    (options.cropSize, options.cropMargin) = (640, 1.25)
    return options
  }()

  // MARK: Faces

  /// A face with all its parts.
  static let face: Face = {
    var face = Face(
      box: Box(x: -3.5, y: 120, width: 170, height: 212.75), confidence: 0.9375,
      points: FivePoints(
        leftEye: Point(x: 307, y: 195.5), rightEye: Point(x: 227, y: 193), noseTip: Point(x: 0, y: 0),
        mouthLeft: Point(x: 302, y: 269), mouthRight: Point(x: -1, y: 268)))
    face.track = Track(id: 1 << 40, frameCount: 300)
    face.pose = Pose(yaw: -12.5, pitch: 2, roll: 0.5)
    face.eyes = Eyes(leftOpen: 0.75, rightOpen: 0.5)
    face.mouth = Mouth(smile: 1, open: 0.0625)
    face.quality = CaptureQuality(
      overall: 0.5, sharpness: 0.625, exposure: 0.75, size: 0.875, pose: 1, framing: 0.25)
    face.landmarks = Landmarks(
      points: (0..<Landmarks.count).map { index in
        Point3D(x: Float(index), y: Float(index) / 2 + 1, z: Float(index) / -4)
      }, confidence: 0.8125)
    face.expressions = Expressions(values: (0..<Expressions.count).map { Float($0) / 64 })
    return face
  }()

  /// A face with only the required parts.
  static let bareFace = Face(box: Box(x: 1, y: 2, width: 3, height: 4), confidence: 0, points: nil)

  static let result = DetectionResult(
    imageSize: PixelSize(width: 640, height: 480), faces: [face, bareFace])
  static let smallResult = DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: [bareFace])

  // MARK: Reports of checks

  static let report = CheckReport(
    attempt: 300, state: .checking, tip: .turnLeft, progress: 0.25, actionsDone: 1, actionCount: 5,
    circle: Circle(center: Point(x: 320, y: 240.5), radius: 192),
    events: CheckState.allCases.map { .status($0) } + Tip.allCases.prefix(27).map { .tip($0) }
      + [
        .draw(face: 1), .clear,
        .result(
          CheckResult(
            face: face,
            picture: CheckPicture(size: PixelSize(width: 640, height: 480), form: .jpeg, bytes: file),
            crop: CheckPicture(size: PixelSize(width: 512, height: 512), form: .keptByCaller, bytes: []),
            cropBox: Box(x: -40, y: 8, width: 300.5, height: 300.5))),
        .failed(CheckFailure(code: "face_lost", message: "gone é")),
      ], isBest: true)

  // MARK: The engine

  static let limits: EngineLimits = {
    var limits = EngineLimits.unknown
    (limits.maxMessageBytes, limits.callsPerConnection, limits.connectionsPerUser) = (4 << 20, 16, 32)
    (limits.minImageSide, limits.maxImageSide, limits.batchImages) = (17, 8191, 33)
    (limits.streamsPerConnection, limits.buffersPerConnection) = (8, 64)
    (limits.mappedBytesPerUser, limits.frameCredit) = (1 << 33, 4)
    (limits.drainTimeout, limits.checksPerUser) = (5_000_000_000, 9)
    return limits
  }()
  static let model = ModelInfo(
    name: "yunet", family: "yunét", licence: "MIT", role: "detector", engine: "ncnn")
  static let bareModel = ModelInfo(name: "x", family: "", licence: "")
  static let info = EngineInfo(
    version: "1.2.3", protocolVersion: 1, models: [model, bareModel], limits: limits,
    features: ["detect.inline", "watch"])
  /// What later engines say besides.
  static let sandboxedInfo = adjusted(info) {
    ($0.sandbox, $0.hasReleasedModels) = (["privileges", "files"], true)
  }

  static let stats: EngineStats = {
    var time = DurationSummary()
    (time.count, time.p50, time.p90, time.p99, time.max) = (1000, 1, 200, 30_000, .nanoseconds(1 << 40))
    var buckets = DurationBuckets()
    for duration in [1, 50_000, 50_001, .nanoseconds(1 << 40)] as [TimeSpan] { buckets.record(duration) }
    var stats = EngineStats()
    (stats.uptime, stats.connections, stats.connectionsTotal) = (86_400_000_000_000, 2, 300)
    (stats.connectionsRefused, stats.peersDropped, stats.receivedBytes) = (4, 5, 1 << 40)
    (stats.sentBytes, stats.mappedBytes, stats.framesDropped) = (1 << 35, 8_294_400, 9)
    stats.methods = [
      MethodStats(
        method: "faceengine.v1.Detector/Watch", calls: 1000, failures: [.internal: 1, .unavailable: 2],
        queueTime: time, runTime: DurationSummary(), ends: [.ok: 7, .cancelled: 9], queueBuckets: buckets,
        runBuckets: DurationBuckets())
    ]
    return stats
  }()

  /// What later engines say besides, and durations in buckets with other bounds.
  static let statsWithDecoders = adjusted(stats) {
    ($0.decoders.busy, $0.decoders.killed, $0.decoders.lost) = (10, 11, 12)
    ($0.abandonedDecodings, $0.modelReleases, $0.queuedCalls) = (13, 14, 15)
    ($0.busyWorkers, $0.workers) = (16, 17)
    $0.methods[0].runTime = $0.methods[0].queueTime
    $0.methods[0].runBuckets = DurationBuckets(bounds: [10, .max], counts: [0, 300, 1], sum: .max)
  }

  static let counters: EngineCounters = {
    var method = MethodCounters()
    method.calls = 3
    method.failures = [.invalidArgument: 1]
    method.ends = [.ok: 2]
    for duration in [5, 700, 12_345_678_901] as [TimeSpan] { method.recordQueueTime(duration) }
    var counters = EngineCounters()
    (counters.uptime, counters.connectionsTotal, counters.connectionsRefused) = (1, 2, 3)
    (counters.peersDropped, counters.receivedBytes, counters.sentBytes) = (4, 5, 6)
    (counters.framesDropped, counters.modelReleases, counters.nextConnection) = (7, 8, 9)
    counters.methods = ["of/another/version": method]
    return counters
  }()
}
