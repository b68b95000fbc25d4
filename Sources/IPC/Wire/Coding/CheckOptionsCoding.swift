import CProtocol
import FaceCore

/// `CheckOptions` ↔ FaceCore's. Absent fields have the defaults of the side that decodes.
enum CheckOptionsCoding {
  private static let numbers = MessageFields(
    CheckOptions.fields, of: Faceengine__V1__CheckOptions.descriptor)

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
    if let last = options.minISO.keys.map(\.rawValue).max() {
      message.pointee.n_min_iso = last + 1
      message.pointee.min_iso = arena.allocate(Float.self, count: last + 1)
      for measure in ISOMeasure.allCases.prefix(last + 1) {
        message.pointee.min_iso[measure.rawValue] = options.minISO[measure] ?? 0
      }
    }
    numbers.encode(options, into: message)
    return message
  }

  /// Throws `invalidArgument`, naming the option, if a value is out of range.
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
          "check.actions has \(Int32(bitPattern: message.actions[index].rawValue)), which is not a CheckAction",
          .field("check.actions"))
      }
      options.actions.append(action)
    }
    // Measures known only to a later client cannot be required here.
    guard message.n_min_iso <= ISOMeasure.allCases.count else {
      throw Status(
        .invalidArgument,
        "check.min_iso has \(message.n_min_iso) numbers; this engine knows \(ISOMeasure.allCases.count) measures",
        .field("check.min_iso"))
    }
    for measure in ISOMeasure.allCases.prefix(message.n_min_iso) {
      let least = message.min_iso[measure.rawValue]
      if least != 0 { options.minISO[measure] = least }
    }
    options.shufflesActions = message.shuffle_actions != 0
    options.seed = message.seed
    options.startsOver = message.start_over != 0
    options.callerKeepsPicture = message.client_keeps_picture != 0
    withUnsafePointer(to: message) {
      numbers.decode($0, into: &options)
    }
    do throws(Status) {
      try options.validate()
    } catch {
      throw Status(error.code, error.message, .field("check"))
    }
    return options
  }
}
