import CFaceEngine
import FaceCore

extension CheckOptions {
  /// NULL gives the defaults. Throws `invalidArgument`, naming the option.
  init(reading pointer: UnsafePointer<face_check_options>?) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    var value = face_check_options()
    try VersionedStruct.read(pointer, into: &value, name: "options")
    usesTimestamps = try flag(value.use_timestamps, "options->use_timestamps")
    if let view = value.view { space = try CoordinateSpace(reading: view) }
    let circle = value.mask
    if circle.x != 0 || circle.y != 0 || circle.radius != 0 {
      mask = Circle(center: Point(x: circle.x, y: circle.y), radius: circle.radius)
    }
    hysteresis = value.hysteresis
    startDelay = Int64(clamping: value.start_delay_ns)
    hold = Int64(clamping: value.hold_ns)
    grace = Int64(clamping: value.grace_ns)
    lost = Int64(clamping: value.lost_ns)
    timeout = Int64(clamping: value.timeout_ns)
    waitTimeout = Int64(clamping: value.wait_timeout_ns)
    tipTime = Int64(clamping: value.tip_ns)
    (minFace, maxFace) = (value.min_face, value.max_face)
    (maxOffset, maxOtherFace) = (value.max_offset, value.max_other_face)
    (maxYaw, maxPitch, maxRoll) = (value.max_yaw, value.max_pitch, value.max_roll)
    minEyesOpen = value.min_eyes_open
    (minBrightness, maxBrightness) = (value.min_brightness, value.max_brightness)
    (minSharpness, maxMotion) = (value.min_sharpness, value.max_motion)
    turnAngle = value.turn_angle
    actions = try CheckOptions.actions(value)
    shufflesActions = try flag(value.shuffle_actions, "options->shuffle_actions")
    startsOver = try flag(value.start_over, "options->start_over")
    seed = value.seed
    cropSize = Int(value.crop_size)
    cropMargin = value.crop_margin
    try validate()
  }

  private static func actions(_ value: face_check_options) throws(Status) -> [CheckAction] {
    guard value.action_count <= UInt32(maxActions) else {
      throw Status(
        .invalidArgument, "options->action_count is \(value.action_count); give \(maxActions) at most")
    }
    let all = value.actions
    let given = [all.0, all.1, all.2, all.3, all.4, all.5, all.6, all.7].prefix(Int(value.action_count))
    var actions: [CheckAction] = []
    for (index, number) in given.enumerated() {
      guard let action = CheckAction(rawValue: number) else {
        throw Status(
          .invalidArgument, "options->actions[\(index)] is \(number), which is none of FACE_ACTION_...")
      }
      actions.append(action)
    }
    return actions
  }
}

extension face_check_options {
  /// Those that a caller begins with: no view, no mask and no actions.
  init(_ options: CheckOptions) {
    self.init()
    hysteresis = options.hysteresis
    start_delay_ns = UInt64(options.startDelay)
    hold_ns = UInt64(options.hold)
    grace_ns = UInt64(options.grace)
    lost_ns = UInt64(options.lost)
    timeout_ns = UInt64(options.timeout)
    wait_timeout_ns = UInt64(options.waitTimeout)
    tip_ns = UInt64(options.tipTime)
    (min_face, max_face) = (options.minFace, options.maxFace)
    (max_offset, max_other_face) = (options.maxOffset, options.maxOtherFace)
    (max_yaw, max_pitch, max_roll) = (options.maxYaw, options.maxPitch, options.maxRoll)
    min_eyes_open = options.minEyesOpen
    (min_brightness, max_brightness) = (options.minBrightness, options.maxBrightness)
    (min_sharpness, max_motion) = (options.minSharpness, options.maxMotion)
    turn_angle = options.turnAngle
    crop_size = UInt32(options.cropSize)
    crop_margin = options.cropMargin
  }
}
