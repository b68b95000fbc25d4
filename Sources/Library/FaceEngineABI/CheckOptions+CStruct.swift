package import CFaceEngine
import FaceCore

extension CheckOptions {
  static let members = CFields(
    fields,
    [
      // generated: swift-members face_check_options CheckOptions
      CMember("start_delay_ns", \face_check_options.start_delay_ns),
      CMember("hold_ns", \face_check_options.hold_ns),
      CMember("grace_ns", \face_check_options.grace_ns),
      CMember("lost_ns", \face_check_options.lost_ns),
      CMember("timeout_ns", \face_check_options.timeout_ns),
      CMember("wait_timeout_ns", \face_check_options.wait_timeout_ns),
      CMember("tip_ns", \face_check_options.tip_ns),
      CMember("hysteresis", \face_check_options.hysteresis),
      CMember("min_face", \face_check_options.min_face),
      CMember("max_face", \face_check_options.max_face),
      CMember("max_offset", \face_check_options.max_offset),
      CMember("max_other_face", \face_check_options.max_other_face),
      CMember("max_yaw", \face_check_options.max_yaw),
      CMember("max_pitch", \face_check_options.max_pitch),
      CMember("max_roll", \face_check_options.max_roll),
      CMember("min_eyes_open", \face_check_options.min_eyes_open),
      CMember("min_brightness", \face_check_options.min_brightness),
      CMember("max_brightness", \face_check_options.max_brightness),
      CMember("min_sharpness", \face_check_options.min_sharpness),
      CMember("max_motion", \face_check_options.max_motion),
      CMember("turn_angle", \face_check_options.turn_angle),
      CMember("crop_size", \face_check_options.crop_size),
      CMember("crop_margin", \face_check_options.crop_margin),
      CMember("max_blink_open", \face_check_options.max_blink_open),
      CMember("min_smile", \face_check_options.min_smile),
      // end of generated
    ])

  /// In the order of the message.
  // swift-format-ignore
  static let switches: [CSwitch] = [
    // generated: swift-switches face_check_options CheckOptions
    CSwitch(
      "shuffle_actions", flag: "shuffle", \face_check_options.shuffle_actions,
      "Request the actions in a new random order at each attempt."),
    CSwitch(
      "start_over", flag: "start-over", \face_check_options.start_over,
      "Wait for the next face when the face is lost or replaced, instead of failing."),
    // end of generated
  ]

  /// Reads the options, without validating their ranges; NULL gives the defaults. Throws `invalidArgument`,
  /// naming the option, for one that cannot be read.
  init(reading pointer: UnsafePointer<face_check_options>?) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    let value = try VersionedStruct.read(pointer, name: "options")
    usesTimestamps = try flag(value.use_timestamps, "options->use_timestamps")
    if let view = value.view { space = try CoordinateSpace(reading: view) }
    let circle = value.mask
    if circle.x != 0 || circle.y != 0 || circle.radius != 0 {
      mask = Circle(circle)
    }
    withUnsafePointer(to: value) { CheckOptions.members.read($0, into: &self) }
    actions = try CheckOptions.actions(value)
    minISO = try CheckOptions.minISO(value)
    shufflesActions = try flag(value.shuffle_actions, "options->shuffle_actions")
    startsOver = try flag(value.start_over, "options->start_over")
    seed = value.seed
  }

  private static func minISO(_ value: face_check_options) throws(Status) -> [ISOMeasure: Float] {
    let given = withUnsafeBytes(of: value.min_iso) { Array($0.bindMemory(to: Float.self)) }
    var limits: [ISOMeasure: Float] = [:]
    for (index, least) in given.enumerated() where least != 0 {
      guard let measure = ISOMeasure(rawValue: index) else {
        throw Status(
          .invalidArgument,
          "options->min_iso[\(index)] is \(least); this version knows \(ISOMeasure.allCases.count) measures")
      }
      limits[measure] = least
    }
    return limits
  }

  private static func actions(_ value: face_check_options) throws(Status) -> [CheckAction] {
    guard value.action_count <= UInt32(maxActions) else {
      throw Status(
        .invalidArgument, "options->action_count is \(value.action_count); give at most \(maxActions)")
    }
    let all = value.actions
    let given = [all.0, all.1, all.2, all.3, all.4, all.5, all.6, all.7].prefix(Int(value.action_count))
    var actions: [CheckAction] = []
    for (index, number) in given.enumerated() {
      guard let action = CheckAction(rawValue: number) else {
        throw Status(
          .invalidArgument, "options->actions[\(index)] is \(number); use one of FACE_ACTION_...")
      }
      actions.append(action)
    }
    return actions
  }
}

extension face_check_options: SizedStruct {
  /// No view, no mask and no actions.
  package static var defaults: face_check_options {
    var value = face_check_options()
    withUnsafeMutablePointer(to: &value) { CheckOptions.members.write(CheckOptions(), to: $0) }
    return value
  }
}
