// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

internal import CFaceEngine

/// How models run in this process.
public struct LoadOptions: Sendable, Hashable {
  /// 1 to 16, default 1: how many threads share the rows of one image; 0: one for each processor core that the process
  /// may run on. The library uses no more threads than cores, since two threads on one core are not faster than one. A
  /// plug-in may use fewer: ncnn uses one.
  public var threadsPerFrame: Int
  /// Default 0, no limit: the most pixels that a network may take as its input. A larger image fails with
  /// `Status.resourceExhausted`. For each of these pixels YuNet needs about 15 bytes of memory, CenterFace in accuracy
  /// high about 53, and a network that a plug-in runs 110 or more.
  public var maxInputPixels: Int
  /// Default `Precision.best`. Eight bits and floats may find slightly different faces: Models/README.md says how
  /// different. In eight bits, every processor computes the same numbers.
  public var precision: Precision
  /// Default false. true: picture files are decoded in a process of their own. That process is killed if its call ends
  /// early, whatever the decoder is doing, and a crash of the decoder ends only that process. Set it for untrusted HEIC
  /// or AVIF files: a small file can keep libheif busy for minutes, or crash it. The process runs the program
  /// face-engine, which the library looks for beside itself, in the bin folder of its prefix, and in PATH. Loading
  /// fails with `Status.notFound` without that program, and with `Status.unavailable` if it does not start within ten
  /// seconds. This option adds two processes of a few MB each. The library starts the program again if it has ended or
  /// does not answer. After fork(2) the child must load again before it can use files.
  public var decoderProcess: Bool
  /// Default nil or "", which is "automatic": the library's own kernels run the networks of the included detectors, and
  /// the plug-in ncnn runs networks with other layers. "kernels": only the kernels. "ncnn", "onnxruntime" (only .onnx
  /// files) or another plug-in's name: that plug-in runs the networks, in 32-bit floats; its own options follow a
  /// colon, as in "onnxruntime:CUDA". Loading fails with `Status.failedPrecondition` if the plug-in is not installed.
  /// See docs/plug-ins.md.
  public var engine: String?

  /// Options that are not given have the defaults.
  public init(
    threadsPerFrame: Int = 1, maxInputPixels: Int = 0, precision: Precision = .best, decoderProcess: Bool = false,
    engine: String? = nil
  ) {
    self.threadsPerFrame = threadsPerFrame
    self.maxInputPixels = maxInputPixels
    self.precision = precision
    self.decoderProcess = decoderProcess
    self.engine = engine
  }

  func withC<Result>(
    _ body: (inout face_load_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_load_options()
    face_load_options_init(&c)
    c.threads_per_frame = try number(threadsPerFrame, "threadsPerFrame")
    c.max_input_pixels = try number(maxInputPixels, "maxInputPixels")
    c.precision = precision.rawValue
    c.decoder_process = decoderProcess ? 1 : 0
    return try withCString(engine) { (text) throws(FaceError) -> Result in
      c.engine = text
      return try body(&c)
    }
  }
}

/// Which engine a connection accepts, and how long it waits.
public struct ConnectOptions: Sendable, Hashable {
  /// Default `noUser`: no further user. The number of a user that the engine may run as, besides those that are always
  /// accepted: the caller's own user, root, and the owner of the socket's folder, if only that owner and root can
  /// change the folder and only root the folders above it, as for /run/face-engine.
  public var engineUser: Int?
  /// Default 0: 60 s. The longest wait for the engine: while connecting, while a session is opened, fed or closed, and
  /// in a call whose own `timeout` is 0.
  public var timeout: Duration

  /// Options that are not given have the defaults.
  public init(
    engineUser: Int? = nil, timeout: Duration = .seconds(0)
  ) {
    self.engineUser = engineUser
    self.timeout = timeout
  }

  func withC<Result>(
    _ body: (inout face_connect_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_connect_options()
    face_connect_options_init(&c)
    if let engineUser { c.engine_user = try number(engineUser, "engineUser") }
    c.timeout_ns = try nanoseconds(timeout, "timeout")
    return try body(&c)
  }
}

/// What to look for.
public struct DetectOptions: Sendable, Hashable {
  /// For ``maxSide``: search the image at its own size.
  public static let ownSize = Int(UInt32.max)

  /// 0 to 1, default 0.6. Leave out faces with a lower confidence than this.
  public var minConfidence: Float
  /// 0 to 1, default 0.3. Leave out the less confident of two boxes whose intersection over union is larger than this.
  /// The accuracies balanced and high average several boxes, and allow 1.5 times this overlap.
  public var overlapThreshold: Float
  /// 0 or more, default 0. At most this many faces, the most confident ones; 0 for all. Only a network's 5000 most
  /// confident boxes count, also with 0 for all: any others are lost.
  public var maxFaces: Int
  /// 0 or more pixels, default 0. Leave out faces whose box is narrower or lower than this, in pixels.
  public var minFaceSize: Float
  /// 0 to 1, default 0. Leave out faces narrower than this share of the upright image's width.
  public var minFaceShare: Float
  /// 0 to 4294967295, default 0. Fail with NOT_FOUND unless the model has this revision; 0 for any.
  public var modelRevision: Int
  /// 0 to 4294967295, default 1000. Measure landmarks and other outputs of at most this many faces: the most confident
  /// ones, or the first of the given boxes. 0 for as many as the engine's limit `analysedFacesPerImage` allows.
  public var maxAnalysedFaces: Int
  /// 16 to 8192 pixels, default 0: an image with a longer side is scaled down to this side before the search. 0: the
  /// size that the accuracy chooses (low 448, balanced 1024, high the image's own). `ownSize`: never scaled. With a
  /// size in pixels, low and balanced search exactly once. With any value but 0, high searches at no larger size. With
  /// 0 and `ownSize`, faces that are too large for the network are also searched for at smaller sizes.
  public var maxSide: Int
  /// Default balanced.
  public var accuracy: Accuracy
  /// Default nil: the engine's first model; otherwise the name of a model that the engine was loaded with, UTF-8. A
  /// model that was loaded only for accuracy high cannot be named.
  public var model: String?
  /// Default 0: 60 s on a connection, no limit in process. A longer call ends with `Status.deadlineExceeded`.
  public var timeout: Duration
  /// Default nil: search for faces. Otherwise boxes of faces that you know already, in pixels of the upright image, at
  /// most 1000, each with an area and at least partly inside the image. No detector runs: outputs, which must be
  /// requested, are measured for these boxes. The result has the faces in this order, with confidence 1; without boxes
  /// it is empty. Only for `FaceEngine.faces(in:)`.
  public var boxes: [Box]?
  /// Default false; true: report only the most prominent face: the largest, where a face nearer to the middle of the
  /// image counts as larger.
  public var prominentOnly: Bool
  /// Default `Rotations.upright`.
  public var rotations: Rotations

  /// Options that are not given have the defaults.
  public init(
    minConfidence: Float = 0.6, overlapThreshold: Float = 0.3, maxFaces: Int = 0, minFaceSize: Float = 0,
    minFaceShare: Float = 0, modelRevision: Int = 0, maxAnalysedFaces: Int = 1000, maxSide: Int = 0,
    accuracy: Accuracy = .balanced, model: String? = nil, timeout: Duration = .seconds(0), boxes: [Box]? = nil,
    prominentOnly: Bool = false, rotations: Rotations = .upright
  ) {
    self.minConfidence = minConfidence
    self.overlapThreshold = overlapThreshold
    self.maxFaces = maxFaces
    self.minFaceSize = minFaceSize
    self.minFaceShare = minFaceShare
    self.modelRevision = modelRevision
    self.maxAnalysedFaces = maxAnalysedFaces
    self.maxSide = maxSide
    self.accuracy = accuracy
    self.model = model
    self.timeout = timeout
    self.boxes = boxes
    self.prominentOnly = prominentOnly
    self.rotations = rotations
  }

  func withC<Result>(
    _ body: (inout face_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_options()
    face_options_init(&c)
    c.min_confidence = minConfidence
    c.overlap_threshold = overlapThreshold
    c.max_faces = try number(maxFaces, "maxFaces")
    c.min_face_size = minFaceSize
    c.min_face_share = minFaceShare
    c.model_revision = try number(modelRevision, "modelRevision")
    c.max_analysed_faces = try number(maxAnalysedFaces, "maxAnalysedFaces")
    c.max_side = try number(maxSide, "maxSide")
    c.accuracy = accuracy.rawValue
    c.timeout_ns = try nanoseconds(timeout, "timeout")
    c.prominent_only = prominentOnly ? 1 : 0
    c.rotations = rotations.rawValue
    return try withCString(model) { (text) throws(FaceError) -> Result in
      c.model = text
      return try withArray(boxes?.map(\.c)) { (array) throws(FaceError) -> Result in
        c.boxes = array?.baseAddress
        c.box_count = UInt32(clamping: array?.count ?? 0)
        return try body(&c)
      }
    }
  }
}

/// How a stream is searched.
public struct SessionOptions: Sendable, Hashable {
  /// Default true: faces have ids; false: each frame is searched by itself.
  public var track: Bool
  /// 0 to 10000, default 15. A face has left when it is missed in more consecutive frames than this; the default in a
  /// guided check is 45.
  public var maxMissedFrames: Int
  /// 1 or more, default 10. Search the whole picture at least once in this many frames; in between, faces are followed.
  /// While no face is in view, every third frame is searched. 1 for every frame.
  public var detectionInterval: Int
  /// 1 to 1000, default 3. A face gets its id when it is found in this many consecutive frames, or as soon as the
  /// landmark network confirms it. Until then it is reported without an id. 1 for an id at once.
  public var minHits: Int
  /// 0 to 1000, default 0. Search at most this many frames per second; 0 for all. The frames in between get predicted
  /// faces: each continues its last movement. The rate is measured by the frames' `timestamp`, or by the engine's clock
  /// if `timestamp` is 0. Not for a guided check.
  public var analysisRate: Float
  /// Default false; true: follow only the faces of `FaceEngine.follow`, and search for no others. Not for a guided
  /// check.
  public var followedOnly: Bool
  /// Default false; true: a face that left and comes back within 10 seconds after it was last seen gets its old id, if
  /// it clearly looks the same. Otherwise the face gets a new id, which happens to many faces that come back. The 10
  /// seconds are counted in the frames' `timestamp`, or by the engine's clock if `timestamp` is false. For these 10
  /// seconds the session keeps descriptors of small pictures of each face in memory, and nowhere else. Not for a guided
  /// check, nor for faces of `FaceEngine.follow`.
  public var reidentify: Bool
  /// Default 0: no pictures are kept; 16 to 1024: the library keeps the best picture so far of each tracked face for
  /// `FollowedFrame.best`, as a crop of this many pixels in width and height. It measures `Outputs.quality` and
  /// `Outputs.eyes` of every face for that, and keeps pictures of at most 64 faces, in this process only. Not for a
  /// guided check, which has a picture of its own. Since 0.3.
  public var bestSize: Int
  /// 0 to 4, default 0.4: space around the face's box in the crop on each side, in long sides of the box. Since 0.3.
  public var bestMargin: Float

  /// Options that are not given have the defaults.
  public init(
    track: Bool = true, maxMissedFrames: Int = 15, detectionInterval: Int = 10, minHits: Int = 3,
    analysisRate: Float = 0, followedOnly: Bool = false, reidentify: Bool = false, bestSize: Int = 0,
    bestMargin: Float = 0.4
  ) {
    self.track = track
    self.maxMissedFrames = maxMissedFrames
    self.detectionInterval = detectionInterval
    self.minHits = minHits
    self.analysisRate = analysisRate
    self.followedOnly = followedOnly
    self.reidentify = reidentify
    self.bestSize = bestSize
    self.bestMargin = bestMargin
  }

  func withC<Result>(
    _ body: (inout face_session_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_session_options()
    face_session_options_init(&c)
    c.track = track ? 1 : 0
    c.max_missed_frames = try number(maxMissedFrames, "maxMissedFrames")
    c.detection_interval = try number(detectionInterval, "detectionInterval")
    c.min_hits = try number(minHits, "minHits")
    c.analysis_rate = analysisRate
    c.followed_only = followedOnly ? 1 : 0
    c.reidentify = reidentify ? 1 : 0
    c.best_size = try number(bestSize, "bestSize")
    c.best_margin = bestMargin
    return try body(&c)
  }
}

/// What a check requires.
public struct CheckOptions: Sendable, Hashable {
  /// Default false: the check's clock is that of the machine that searches; true: it is the images' `timestamp`, as for
  /// the frames of a recorded video.
  public var useTimestamps: Bool
  /// The space of mask, usually the view that shows the preview. Default nil: pixels of the upright image.
  public var view: Space?
  /// The circle for the face. Default all zeros, which stand for a centred circle with a radius of 0.4 of the view's
  /// shorter side.
  public var mask: Circle
  /// Default 0.5 s. How long a face must be in the circle before the check begins.
  public var startDelay: Duration
  /// Default 1 s. How long the face must meet all limits at the end of the check.
  public var hold: Duration
  /// Default 0.25 s. An interruption up to this long does not restart the hold time. After a longer absence the person
  /// must do everything again, including the actions: it may be someone else.
  public var grace: Duration
  /// Default 1.5 s. A face that is out of sight for longer than this counts as lost.
  public var lost: Duration
  /// Default 30 s. How long a check may take once it has begun (state CHECKING); 0 for no limit.
  public var timeout: Duration
  /// Default 0 s. How long the person may take to begin the check (states WAITING and START); 0 for no limit.
  public var waitTimeout: Duration
  /// Default 0.8 s. Shortest time for which a tip stays, unless the check ends.
  public var tip: Duration
  /// 0 to 0.5, default 0.1. Fraction of the limit by which a value must recover before the limit counts as met again.
  /// It keeps tips from flickering.
  public var hysteresis: Float
  /// 0 to 2, default 0.45. Smallest long side of the box, in diameters of the circle; 0 for any.
  public var minFace: Float
  /// 0 to 2, default 1. Largest long side of the box, in diameters of the circle; 2 for any.
  public var maxFace: Float
  /// 0 to 1, default 0.3. Largest distance between the centres of box and circle, in radii of the circle; 1 for any.
  public var maxOffset: Float
  /// 0 to 1, default 0.5. Largest other face in the picture, as a fraction of the checked face's size; 1 for any.
  public var maxOtherFace: Float
  /// 0 to 90 degrees, default 15. Largest yaw to either side; 90 for any.
  public var maxYaw: Float
  /// 0 to 90 degrees, default 15. Largest pitch up or down; 90 for any.
  public var maxPitch: Float
  /// 0 to 90 degrees, default 15. Largest roll to either side; 90 for any.
  public var maxRoll: Float
  /// 0 to 1, default 0.5. Smallest openness of each eye; 0 if eyes may be closed.
  public var minEyesOpen: Float
  /// 0 to 1, default 0.2. Smallest mean brightness (luma) of the face; 0 for any.
  public var minBrightness: Float
  /// 0 to 1, default 0.9. Largest mean brightness (luma) of the face; 1 for any.
  public var maxBrightness: Float
  /// 0 to 1, default 0.3. Smallest sharpness of the face, as in the capture quality; 0 for any.
  public var minSharpness: Float
  /// 0 to 10, default 0.5. Fastest movement of the box's centre, in long sides of the box per second; 10 for any.
  public var maxMotion: Float
  /// 5 to 60 degrees, default 20. How far the head must turn for the actions turn-left and turn-right. Half of it
  /// counts for nod and shake.
  public var turnAngle: Float
  /// 16 to 4096 pixels, default 512. Width and height of the result's crop.
  public var cropSize: Int
  /// 0 to 4, default 0.4. Space around the box in the crop on each side, in long sides of the box.
  public var cropMargin: Float
  /// 0.1 to 0.9, default 0.5. Largest mean openness of both eyes that counts as closed for the action blink.
  public var maxBlinkOpen: Float
  /// 0.1 to 1, default 0.7. Smallest smile that counts for the action smile.
  public var minSmile: Float
  /// To do one after the other.
  public var actions: [CheckAction]
  /// Default false; true: in a new random order with each attempt.
  public var shuffleActions: Bool
  /// Default false: the check fails if the face is lost, or another face takes its place, while CHECKING; true: it
  /// waits for the next face instead.
  public var startOver: Bool
  /// For the random order, in tests; default 0: a different order each time.
  public var seed: UInt64
  /// By `ISOMeasure`: the smallest quality component that the check accepts, 0 to 100; default 0 accepts any.
  /// docs/iso-quality.md lists the tips for each.
  public var minISO: [ISOMeasure: Float]

  /// Options that are not given have the defaults.
  public init(
    useTimestamps: Bool = false, view: Space? = nil, mask: Circle = Circle(x: 0, y: 0, radius: 0),
    startDelay: Duration = .milliseconds(500), hold: Duration = .seconds(1), grace: Duration = .milliseconds(250),
    lost: Duration = .milliseconds(1500), timeout: Duration = .seconds(30), waitTimeout: Duration = .seconds(0),
    tip: Duration = .milliseconds(800), hysteresis: Float = 0.1, minFace: Float = 0.45, maxFace: Float = 1,
    maxOffset: Float = 0.3, maxOtherFace: Float = 0.5, maxYaw: Float = 15, maxPitch: Float = 15, maxRoll: Float = 15,
    minEyesOpen: Float = 0.5, minBrightness: Float = 0.2, maxBrightness: Float = 0.9, minSharpness: Float = 0.3,
    maxMotion: Float = 0.5, turnAngle: Float = 20, cropSize: Int = 512, cropMargin: Float = 0.4,
    maxBlinkOpen: Float = 0.5, minSmile: Float = 0.7, actions: [CheckAction] = [], shuffleActions: Bool = false,
    startOver: Bool = false, seed: UInt64 = 0, minISO: [ISOMeasure: Float] = [:]
  ) {
    self.useTimestamps = useTimestamps
    self.view = view
    self.mask = mask
    self.startDelay = startDelay
    self.hold = hold
    self.grace = grace
    self.lost = lost
    self.timeout = timeout
    self.waitTimeout = waitTimeout
    self.tip = tip
    self.hysteresis = hysteresis
    self.minFace = minFace
    self.maxFace = maxFace
    self.maxOffset = maxOffset
    self.maxOtherFace = maxOtherFace
    self.maxYaw = maxYaw
    self.maxPitch = maxPitch
    self.maxRoll = maxRoll
    self.minEyesOpen = minEyesOpen
    self.minBrightness = minBrightness
    self.maxBrightness = maxBrightness
    self.minSharpness = minSharpness
    self.maxMotion = maxMotion
    self.turnAngle = turnAngle
    self.cropSize = cropSize
    self.cropMargin = cropMargin
    self.maxBlinkOpen = maxBlinkOpen
    self.minSmile = minSmile
    self.actions = actions
    self.shuffleActions = shuffleActions
    self.startOver = startOver
    self.seed = seed
    self.minISO = minISO
  }

  func withC<Result>(
    _ body: (inout face_check_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_check_options()
    face_check_options_init(&c)
    c.use_timestamps = useTimestamps ? 1 : 0
    c.mask = mask.c
    c.start_delay_ns = try nanoseconds(startDelay, "startDelay")
    c.hold_ns = try nanoseconds(hold, "hold")
    c.grace_ns = try nanoseconds(grace, "grace")
    c.lost_ns = try nanoseconds(lost, "lost")
    c.timeout_ns = try nanoseconds(timeout, "timeout")
    c.wait_timeout_ns = try nanoseconds(waitTimeout, "waitTimeout")
    c.tip_ns = try nanoseconds(tip, "tip")
    c.hysteresis = hysteresis
    c.min_face = minFace
    c.max_face = maxFace
    c.max_offset = maxOffset
    c.max_other_face = maxOtherFace
    c.max_yaw = maxYaw
    c.max_pitch = maxPitch
    c.max_roll = maxRoll
    c.min_eyes_open = minEyesOpen
    c.min_brightness = minBrightness
    c.max_brightness = maxBrightness
    c.min_sharpness = minSharpness
    c.max_motion = maxMotion
    c.turn_angle = turnAngle
    c.crop_size = try number(cropSize, "cropSize")
    c.crop_margin = cropMargin
    c.max_blink_open = maxBlinkOpen
    c.min_smile = minSmile
    c.action_count = try store(actions.map(\.rawValue), in: &c.actions, "actions")
    c.shuffle_actions = shuffleActions ? 1 : 0
    c.start_over = startOver ? 1 : 0
    c.seed = seed
    try store(ISOMeasure.allCases.map { minISO[$0] ?? 0 }, in: &c.min_iso, "minISO")
    return try withSpace(view) { (space) throws(FaceError) -> Result in
      c.view = space
      return try body(&c)
    }
  }

  /// Sets the limits of a preset, which belong together. The others stay as they are.
  public mutating func apply(_ preset: CheckPreset) throws(FaceError) {
    self = try withC { c throws(FaceError) in
      try check(face_check_options_apply(&c, preset.rawValue))
      var copy = self
      copy.hysteresis = c.hysteresis
      copy.minFace = c.min_face
      copy.maxFace = c.max_face
      copy.maxOffset = c.max_offset
      copy.maxOtherFace = c.max_other_face
      copy.maxYaw = c.max_yaw
      copy.maxPitch = c.max_pitch
      copy.maxRoll = c.max_roll
      copy.minEyesOpen = c.min_eyes_open
      copy.minBrightness = c.min_brightness
      copy.maxBrightness = c.max_brightness
      copy.minSharpness = c.min_sharpness
      copy.maxMotion = c.max_motion
      copy.turnAngle = c.turn_angle
      copy.cropMargin = c.crop_margin
      copy.maxBlinkOpen = c.max_blink_open
      copy.minSmile = c.min_smile
      return copy
    }
  }
}
