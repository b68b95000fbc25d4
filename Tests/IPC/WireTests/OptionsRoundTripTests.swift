import FaceCore
import TestSupport
import Testing
import Wire

/// Every member of every options struct round-trips. Reflection lists the members: one that the test cannot
/// change, or that the coding forgets, fails.
@Suite struct OptionsRoundTripTests {
  /// Sets one member to something other than its default.
  private typealias Change<Options> = (inout Options) -> Void

  private let detection: [String: Change<DetectionOptions>] = [
    "outputs": { $0.outputs = .all },
    "accuracy": { $0.accuracy = .high },
    "model": { $0.model = "yunét" },
    "minConfidence": { $0.minConfidence = 0.25 },
    "overlapThreshold": { $0.overlapThreshold = 1 },
    "maxFaces": { $0.maxFaces = 3 },
    "minFaceSize": { $0.minFaceSize = 20.5 },
    "maxSide": { $0.maxSide = 0 },
    "modelRevision": { $0.modelRevision = 3 },
    "minFaceShare": { $0.minFaceShare = 0.25 },
    "isProminentOnly": { $0.isProminentOnly = true },
    // Boxes need outputs and a single picture: see `boxesRoundTripInADetect`.
    "boxes": { _ in },
    "maxAnalysedFaces": { $0.maxAnalysedFaces = 7 },
    "rotations": { $0.rotations = .any },
  ]

  private let tracking: [String: Change<TrackingOptions>] = [
    "maxMissedFrames": { $0.maxMissedFrames = 10_000 },
    "detectionInterval": { $0.detectionInterval = Int(UInt32.max) },
    "minHits": { $0.minHits = 1000 },
    "analysisRate": { $0.analysisRate = 12.5 },
    "isFollowedOnly": { $0.isFollowedOnly = true },
    "reidentifies": { $0.reidentifies = true },
  ]

  private let check: [String: Change<CheckOptions>] = [
    "space": {
      $0.space = .view(
        ViewTransform(width: 720, height: 1280, fit: .cover, rotation: .clockwise, isMirrored: true))
    },
    "mask": { $0.mask = Circle(center: Point(x: 360, y: -1), radius: 300) },
    "usesTimestamps": { $0.usesTimestamps = true },
    "startDelay": { $0.startDelay = 1 },
    "hold": { $0.hold = 2 },
    "grace": { $0.grace = 3 },
    "lost": { $0.lost = .max },
    "timeout": { $0.timeout = 0 },
    "waitTimeout": { $0.waitTimeout = 6 },
    "tipTime": { $0.tipTime = 0 },
    "hysteresis": { $0.hysteresis = 0.5 },
    "minFace": { $0.minFace = 0.1 },
    "maxFace": { $0.maxFace = 1.5 },
    "maxOffset": { $0.maxOffset = 0 },
    "maxOtherFace": { $0.maxOtherFace = 1 },
    "maxYaw": { $0.maxYaw = 0 },
    "maxPitch": { $0.maxPitch = 1 },
    "maxRoll": { $0.maxRoll = 90 },
    "minEyesOpen": { $0.minEyesOpen = 0 },
    "minBrightness": { $0.minBrightness = 0.01 },
    "maxBrightness": { $0.maxBrightness = 0.99 },
    "minSharpness": { $0.minSharpness = 1 },
    "maxMotion": { $0.maxMotion = 0 },
    "turnAngle": { $0.turnAngle = 60 },
    "maxBlinkOpen": { $0.maxBlinkOpen = 0.25 },
    "minSmile": { $0.minSmile = 1 },
    "minISO": { $0.minISO = [.headPoseYaw: 100] },
    "actions": { $0.actions = [.openMouth, .blink, .turnLeft, .turnRight, .smile, .blink, .blink, .blink] },
    "shufflesActions": { $0.shufflesActions = true },
    "seed": { $0.seed = .max },
    "startsOver": { $0.startsOver = true },
    "cropSize": { $0.cropSize = 4096 },
    "cropMargin": { $0.cropMargin = 0 },
    "isStill": { $0.isStill = true },
    "callerKeepsPicture": { $0.callerKeepsPicture = true },
  ]

  // MARK: Reflection

  /// The members of `value`, each as text.
  private func members(of value: some Any) -> [String: String] {
    var members: [String: String] = [:]
    for child in Mirror(reflecting: value).children {
      members[child.label ?? "?"] = String(reflecting: child.value)
    }
    return members
  }

  /// The names of the members in which `value` differs from `other`.
  private func differences<Value>(_ value: Value, _ other: Value) -> Set<String> {
    let others = members(of: other)
    return Set(members(of: value).filter { others[$0.key] != $0.value }.keys)
  }

  /// The members that only some messages may have.
  private static let ofOnePicture: Set = ["boxes"]

  /// Sends `defaults` with each member changed alone, and with all of them changed.
  private func expectRoundTrips<Options: Equatable>(
    _ defaults: Options, _ changes: [String: Change<Options>], _ send: (Options) throws -> Options?
  ) throws {
    #expect(
      Set(members(of: defaults).keys) == Set(changes.keys), "a member is new: say here how to change it")
    var all = defaults
    #expect(try send(defaults) == defaults)
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
      var options = defaults
      change(&options)
      change(&all)
      #expect(differences(options, defaults) == Set([name]).subtracting(Self.ofOnePicture))
      let received = try #require(try send(options))
      #expect(received == options, "\(name) alone")
      #expect(differences(received, options) == [], "\(name) alone")
    }
    #expect(differences(all, defaults) == Set(changes.keys).subtracting(Self.ofOnePicture))
    let received = try #require(try send(all))
    #expect(received == all)
    #expect(differences(received, all) == [])
  }

  private func all<Options>(_ changes: [String: Change<Options>], of options: Options) -> Options {
    changes.values.reduce(into: options) { options, change in change(&options) }
  }

  // MARK: Messages

  /// The options of a batch of one image.
  private func sentInABatch(_ options: DetectionOptions) throws -> DetectionOptions {
    let payload = try Sent.request(
      try DetectBatchCall.requestFrame(CallHeader(stream: 1), [Sent.image], options))
    return try DetectBatchCall.request(payload.span, limit: 1).options
  }

  @Test func detectionOptionsRoundTrip() throws {
    try expectRoundTrips(DetectionOptions(), detection) { options in
      try options.validate()
      return try Sent.detect(Sent.image, options)
    }
    try expectRoundTrips(DetectionOptions(), detection, sentInABatch)
  }

  @Test(arguments: [0, 2, DetectionOptions.maxBoxes]) func boxesRoundTripInADetect(count: Int) throws {
    var options = DetectionOptions()
    options.boxes = (0..<count).map { Box(x: Float($0) - 1, y: 2.5, width: 30, height: 40) }
    options.outputs = .landmarks
    #expect(try Sent.detect(Sent.image, options) == options)
    #expect(throws: Status.self) { try sentInABatch(options) }
    #expect(throws: Status.self) { try Sent.start(WatchStart(options: options, mode: .newest)) }
  }

  @Test func trackingOptionsRoundTripInAStream() throws {
    try expectRoundTrips(TrackingOptions(), tracking) { options in
      try options.validate()
      return try Sent.start(WatchStart(options: DetectionOptions(), mode: .newest, tracking: options))?
        .tracking
    }
  }

  @Test func checkOptionsRoundTripInAStream() throws {
    try expectRoundTrips(CheckOptions(), check) { options in
      try options.validate()
      return try Sent.start(WatchStart(options: DetectionOptions(), mode: .newest, check: options))?.check
    }
  }

  /// A member does not displace another one in the same message.
  @Test func allOptionsTogetherRoundTripInAStream() throws {
    let changes: [String: Change<WatchStart>] = [
      "options": { [detection] in $0.options = all(detection, of: DetectionOptions()) },
      "mode": { $0.mode = .every },
      "tracking": { [tracking] in $0.tracking = all(tracking, of: TrackingOptions()) },
      "check": { [check] in $0.check = all(check, of: CheckOptions()) },
    ]
    try expectRoundTrips(WatchStart(options: DetectionOptions(), mode: .newest), changes, Sent.start)
  }

  /// The start has the stream's options, except those that belong to each frame or stay with the caller.
  @Test func streamOptionsAreInTheStart() throws {
    let changes: [String: Change<StreamOptions>] = [
      "detection": { [detection] in $0.detection = all(detection, of: DetectionOptions()) },
      "mode": { $0.mode = .every },
      "tracking": { [tracking] in $0.tracking = all(tracking, of: TrackingOptions()) },
      "check": { [check] in $0.check = all(check, of: CheckOptions()) },
    ]
    let stays: Set = ["best", "frameTimeout", "canceller"]
    #expect(Set(members(of: StreamOptions()).keys) == Set(changes.keys).union(stays))
    let defaults = WatchStart(StreamOptions())
    for (name, change) in changes {
      var options = StreamOptions()
      change(&options)
      #expect(differences(WatchStart(options), defaults) == [name == "detection" ? "options" : name])
    }
    let options = all(changes, of: StreamOptions())
    let received = try #require(try Sent.start(WatchStart(options)))
    #expect(received.options == options.detection && received.mode == options.mode)
    #expect(received.tracking == options.tracking && received.check == options.check)
  }

  /// The properties of an image beside its content arrive, except those that stay with the caller.
  @Test func imagePropertiesRoundTrip() throws {
    let pixels = [UInt8](repeating: 7, count: 16 * 16)
    try pixels.withUnsafeBytes { bytes in
      let view = try ImageView(format: .gray, width: 16, height: 16, bytes: bytes)
      let changes: [String: Change<ImageInput>] = [
        "source": { $0.source = .pixels(view) },
        "orientation": { $0.orientation = .left },
        "isMirrored": { $0.isMirrored = true },
        "region": { $0.region = Box(x: -1, y: 2, width: 3, height: 4) },
        "pixelAspect": { $0.pixelAspect = 1.5 },
      ]
      let defaults = ImageInput(.encoded(bytes))
      #expect(
        Set(members(of: defaults).keys)
          == Set(changes.keys).union(["clock", "cancellation", "decoder", "memory"]))
      func sent(_ image: ImageInput) throws -> [String: String] {
        let payload = try Sent.request(
          try DetectCall.requestFrame(CallHeader(stream: 1), image, DetectionOptions()))
        return try DetectCall.withRequest(payload.span) { (received, _) throws(Status) in
          // The place of the bytes differs; their contents count.
          switch received.source {
          case .encoded(let bytes):
            #expect(bytes.elementsEqual(pixels))
            return members(of: received.input(defaults.source))
          case .pixels(let received):
            #expect(received.format == .gray && received.size == view.size)
            #expect(received.bytes.elementsEqual(pixels))
          default: Issue.record("the image came from elsewhere")
          }
          return members(of: received.input(.pixels(view)))
        }
      }
      #expect(try sent(defaults) == members(of: defaults))
      for (name, change) in changes {
        var image = defaults
        change(&image)
        #expect(differences(image, defaults) == [name])
        #expect(try sent(image) == members(of: image), "\(name) alone")
      }
      let image = all(changes, of: defaults)
      #expect(differences(image, defaults) == Set(changes.keys))
      #expect(try sent(image) == members(of: image))
    }
  }

  // MARK: Ranges

  @Test(arguments: [UInt32(10_000) + 1, .max])
  func aMaximumOfMissedFramesBeyondTheLimitIsRefused(frames: UInt32) throws {
    var tracking = TrackingOptions()
    tracking.maxMissedFrames = Int(frames)
    let start = WatchStart(options: DetectionOptions(), mode: .newest, tracking: tracking)
    expectFailure(.invalidArgument, "max_missed_frames is \(frames); give 0 to 10000") {
      try Sent.start(start)
    }
  }
}
