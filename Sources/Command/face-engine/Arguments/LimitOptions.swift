import ArgumentParser
import CallerOptions
import FaceCore

/// The limits for the engine's clients, as flags of `face-engine serve`.
struct LimitOptions: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Set a limit; may be repeated.", discussion: LimitOptions.table, valueName: "name=value"),
    completion: .list(EngineLimits.settings.compactMap(\.flag).map { "\($0)=" }),
    transform: LimitSetting.init(parsing:))
  var limit: [LimitSetting] = []

  /// The limits of an engine that may use `memory` bytes. Messages that wait take a sixteenth of them at most, and so
  /// do those that have partly arrived, unless the flags say otherwise.
  func limits(memory: Int) -> EngineLimits {
    var limits = EngineLimits()
    let messages = max(limits.maxMessageBytes, memory / 16)
    limits.queuedBytes = min(limits.queuedBytes, messages)
    limits.incomingBytes = min(limits.incomingBytes, messages)
    for setting in limit { limits[setting.field] = setting.value }
    if limits.decodedBytes == 0 { limits.decodedBytes = memory / 8 * 5 }
    return limits
  }

  func validate() throws {
    try ValidationError.reporting { try limits(memory: .max).validate() }
  }

  /// The limits, one per line.
  private static var table: String {
    let standard = EngineLimits()
    return EngineLimits.settings.map { field in
      let value =
        switch standard[field] {
        case .number(let value): "\(value)"
        case .count(let value): "\(value)"
        case .time(let value): "\(Seconds(value)) s"
        }
      return "\(field.flag ?? ""): \(field.meaning) (\(value))"
    }.joined(separator: "\n")
  }
}

/// A limit and its value, as in "calls-per-connection=32". Times are in seconds.
struct LimitSetting: Sendable {
  let field: OptionField
  let value: OptionValue

  init(parsing argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard let field = EngineLimits.settings.first(where: { $0.flag == parts.first }) else {
      let names = EngineLimits.settings.compactMap(\.flag).joined(separator: ", ")
      throw ValidationError("\(parts.first ?? argument) is not a limit; choose one of \(names).")
    }
    let text = parts.count == 2 ? parts[1] : ""
    let value: OptionValue? =
      switch field.kind {
      case .number: Float(text).map(OptionValue.number)
      case .count: Int(text).map(OptionValue.count)
      case .nanoseconds: Seconds(argument: text).map { .time($0.span) }
      }
    guard let value else {
      throw ValidationError("\(argument) needs a number after the =; give \(field.range).")
    }
    (self.field, self.value) = (field, value)
  }
}
