import CProtocol
import FaceCore

/// `CheckOptions` ↔ FaceCore's. What is absent has the default of the side that decodes.
enum CheckOptionsCoding {
  static func encode(
    _ options: CheckOptions, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CheckOptions> {
    let message = arena.message(Faceengine__V1__CheckOptions.self)
    message.pointee.space = SpaceCoding.encode(options.space, arena)
    if let mask = options.mask { message.pointee.mask = CircleCoding.encode(mask, arena) }
    message.pointee.still = options.isStill ? 1 : 0
    message.pointee.use_timestamps = options.usesTimestamps ? 1 : 0
    message.pointee.n_actions = options.actions.count
    message.pointee.actions = arena.allocate(Faceengine__V1__CheckAction.self, count: options.actions.count)
    for (index, action) in options.actions.enumerated() {
      message.pointee.actions[index] = .init(action.rawValue)
    }
    message.pointee.shuffle_actions = options.shufflesActions ? 1 : 0
    message.pointee.seed = options.seed
    message.pointee.start_over = options.startsOver ? 1 : 0
    message.pointee.client_keeps_picture = options.callerKeepsPicture ? 1 : 0
    encodeScalars(options, &message.pointee)
    return message
  }

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  static func decode(_ message: Faceengine__V1__CheckOptions?) throws(Status) -> CheckOptions? {
    guard let message else { return nil }
    var options = CheckOptions()
    options.space = try SpaceCoding.decode(message.space?.pointee)
    options.mask = message.mask.map { CircleCoding.decode($0.pointee) }
    options.isStill = message.still != 0
    options.usesTimestamps = message.use_timestamps != 0
    for index in 0..<message.n_actions {
      guard let action = CheckAction(rawValue: message.actions[index].rawValue) else {
        throw Status(
          .invalidArgument,
          "check.actions has \(Int32(bitPattern: message.actions[index].rawValue)), which is no CheckAction",
          .field("check.actions"))
      }
      options.actions.append(action)
    }
    options.shufflesActions = message.shuffle_actions != 0
    options.seed = message.seed
    options.startsOver = message.start_over != 0
    options.callerKeepsPicture = message.client_keeps_picture != 0
    decodeScalars(message, &options)
    do throws(Status) {
      try options.validate()
    } catch {
      throw Status(error.code, error.message, .field("check"))
    }
    return options
  }

  private static func encodeScalars(_ options: CheckOptions, _ message: inout Faceengine__V1__CheckOptions) {
    message.optional_start_delay_ns_case =
      FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_START_DELAY_NS_START_DELAY_NS
    message.start_delay_ns = UInt64(clamping: options.startDelay)
    message.optional_hold_ns_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_HOLD_NS_HOLD_NS
    message.hold_ns = UInt64(clamping: options.hold)
    message.optional_grace_ns_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_GRACE_NS_GRACE_NS
    message.grace_ns = UInt64(clamping: options.grace)
    message.optional_lost_ns_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_LOST_NS_LOST_NS
    message.lost_ns = UInt64(clamping: options.lost)
    message.optional_timeout_ns_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_TIMEOUT_NS_TIMEOUT_NS
    message.timeout_ns = UInt64(clamping: options.timeout)
    message.optional_wait_timeout_ns_case =
      FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_WAIT_TIMEOUT_NS_WAIT_TIMEOUT_NS
    message.wait_timeout_ns = UInt64(clamping: options.waitTimeout)
    message.optional_tip_ns_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_TIP_NS_TIP_NS
    message.tip_ns = UInt64(clamping: options.tipTime)
    message.optional_hysteresis_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_HYSTERESIS_HYSTERESIS
    message.hysteresis = options.hysteresis
    message.optional_min_face_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MIN_FACE_MIN_FACE
    message.min_face = options.minFace
    message.optional_max_face_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_FACE_MAX_FACE
    message.max_face = options.maxFace
    message.optional_max_offset_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_OFFSET_MAX_OFFSET
    message.max_offset = options.maxOffset
    message.optional_max_other_face_case =
      FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_OTHER_FACE_MAX_OTHER_FACE
    message.max_other_face = options.maxOtherFace
    message.optional_max_yaw_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_YAW_MAX_YAW
    message.max_yaw = options.maxYaw
    message.optional_max_pitch_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_PITCH_MAX_PITCH
    message.max_pitch = options.maxPitch
    message.optional_max_roll_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_ROLL_MAX_ROLL
    message.max_roll = options.maxRoll
    message.optional_min_eyes_open_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MIN_EYES_OPEN_MIN_EYES_OPEN
    message.min_eyes_open = options.minEyesOpen
    message.optional_min_brightness_case =
      FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MIN_BRIGHTNESS_MIN_BRIGHTNESS
    message.min_brightness = options.minBrightness
    message.optional_max_brightness_case =
      FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_BRIGHTNESS_MAX_BRIGHTNESS
    message.max_brightness = options.maxBrightness
    message.optional_min_sharpness_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MIN_SHARPNESS_MIN_SHARPNESS
    message.min_sharpness = options.minSharpness
    message.optional_max_motion_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_MAX_MOTION_MAX_MOTION
    message.max_motion = options.maxMotion
    message.optional_turn_angle_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_TURN_ANGLE_TURN_ANGLE
    message.turn_angle = options.turnAngle
    message.optional_crop_size_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_CROP_SIZE_CROP_SIZE
    message.crop_size = UInt32(clamping: options.cropSize)
    message.optional_crop_margin_case = FACEENGINE__V1__CHECK_OPTIONS__OPTIONAL_CROP_MARGIN_CROP_MARGIN
    message.crop_margin = options.cropMargin
  }

  private static func decodeScalars(_ message: Faceengine__V1__CheckOptions, _ options: inout CheckOptions) {
    if message.optional_start_delay_ns_case.rawValue != 0 {
      options.startDelay = Int64(clamping: message.start_delay_ns)
    }
    if message.optional_hold_ns_case.rawValue != 0 { options.hold = Int64(clamping: message.hold_ns) }
    if message.optional_grace_ns_case.rawValue != 0 { options.grace = Int64(clamping: message.grace_ns) }
    if message.optional_lost_ns_case.rawValue != 0 { options.lost = Int64(clamping: message.lost_ns) }
    if message.optional_timeout_ns_case.rawValue != 0 {
      options.timeout = Int64(clamping: message.timeout_ns)
    }
    if message.optional_wait_timeout_ns_case.rawValue != 0 {
      options.waitTimeout = Int64(clamping: message.wait_timeout_ns)
    }
    if message.optional_tip_ns_case.rawValue != 0 { options.tipTime = Int64(clamping: message.tip_ns) }
    if message.optional_hysteresis_case.rawValue != 0 { options.hysteresis = message.hysteresis }
    if message.optional_min_face_case.rawValue != 0 { options.minFace = message.min_face }
    if message.optional_max_face_case.rawValue != 0 { options.maxFace = message.max_face }
    if message.optional_max_offset_case.rawValue != 0 { options.maxOffset = message.max_offset }
    if message.optional_max_other_face_case.rawValue != 0 { options.maxOtherFace = message.max_other_face }
    if message.optional_max_yaw_case.rawValue != 0 { options.maxYaw = message.max_yaw }
    if message.optional_max_pitch_case.rawValue != 0 { options.maxPitch = message.max_pitch }
    if message.optional_max_roll_case.rawValue != 0 { options.maxRoll = message.max_roll }
    if message.optional_min_eyes_open_case.rawValue != 0 { options.minEyesOpen = message.min_eyes_open }
    if message.optional_min_brightness_case.rawValue != 0 { options.minBrightness = message.min_brightness }
    if message.optional_max_brightness_case.rawValue != 0 { options.maxBrightness = message.max_brightness }
    if message.optional_min_sharpness_case.rawValue != 0 { options.minSharpness = message.min_sharpness }
    if message.optional_max_motion_case.rawValue != 0 { options.maxMotion = message.max_motion }
    if message.optional_turn_angle_case.rawValue != 0 { options.turnAngle = message.turn_angle }
    if message.optional_crop_size_case.rawValue != 0 { options.cropSize = Int(message.crop_size) }
    if message.optional_crop_margin_case.rawValue != 0 { options.cropMargin = message.crop_margin }
  }
}
