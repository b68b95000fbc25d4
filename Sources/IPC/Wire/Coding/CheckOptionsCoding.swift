import CProtocol
import FaceCore

/// Absent fields have the defaults of the side that decodes.
extension CheckOptions: WireValue {
  private static let numbers = MessageFields(fields, of: Faceengine__V1__CheckOptions.descriptor)

  func encode(into message: inout Faceengine__V1__CheckOptions, _ arena: Arena) {
    message.space = arena.message(space)
    message.mask = arena.optional(mask)
    message.still = isStill ? 1 : 0
    message.use_timestamps = usesTimestamps ? 1 : 0
    (message.n_actions, message.actions) = arena.list(actions) { .init($0.rawValue) }
    message.shuffle_actions = shufflesActions ? 1 : 0
    message.seed = seed
    message.start_over = startsOver ? 1 : 0
    message.client_keeps_picture = callerKeepsPicture ? 1 : 0
    if let last = minISO.keys.map(\.rawValue).max() {
      (message.n_min_iso, message.min_iso) = arena.list(ISOMeasure.allCases.prefix(last + 1)) {
        minISO[$0] ?? 0
      }
    }
    CheckOptions.numbers.encode(self, into: &message)
  }

  /// Throws `invalidArgument`, naming the option, if a value is out of range.
  init(decoding message: Faceengine__V1__CheckOptions) throws(Status) {
    self.init()
    space = try Decoder.value(message.space)
    do throws(Status) { mask = try Decoder.optional(message.mask) } catch {
      throw Status(error.code, error.message, .field("check.mask"))
    }
    isStill = message.still != 0
    usesTimestamps = message.use_timestamps != 0
    for index in 0..<message.n_actions {
      actions.append(try Decoder.known(message.actions[index].rawValue, "check.actions"))
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
      if least != 0 { minISO[measure] = least }
    }
    shufflesActions = message.shuffle_actions != 0
    seed = message.seed
    startsOver = message.start_over != 0
    callerKeepsPicture = message.client_keeps_picture != 0
    CheckOptions.numbers.decode(message, into: &self)
    do throws(Status) {
      try validate()
    } catch {
      throw Status(error.code, error.message, .field("check"))
    }
  }
}
