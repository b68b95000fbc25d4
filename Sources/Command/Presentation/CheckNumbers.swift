public import ArgumentParser
public import FaceCore

/// The numbers of `CheckOptions`, each a flag with its name in dashes: `min_face` is `--min-face`. Times are
/// in seconds: `hold_ns` is `--hold`.
///
/// ArgumentParser looks for flags among the members in a mirror; this mirror has a flag for each row of
/// `CheckOptions.fields`.
public struct CheckNumbers: ParsableArguments, CustomReflectable, Sendable {
  private var values: [OptionValue] = []

  public init() {}

  public var customMirror: Mirror {
    let standard = CheckOptions()
    return Mirror(
      self,
      children: CheckOptions.fields.map { field in
        let name = NameSpecification.customLong(field.flag)
        let unit = field.kind == .nanoseconds ? "seconds, " : ""
        let help = ArgumentHelp("\(field.meaning) (\(unit)\(field.range))")
        let flag: Any =
          switch standard[field] {
          case .number(let value): Option(wrappedValue: value, name: name, help: help)
          case .count(let value): Option(wrappedValue: value, name: name, help: help)
          case .nanoseconds(let value): Option(wrappedValue: Double(value) / 1e9, name: name, help: help)
          }
        return (label: "\(field.name)", value: flag)
      })
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    values = try CheckOptions.fields.map { field in
      let key = Key(stringValue: "\(field.name)")
      return switch field.kind {
      case .number: .number(try container.decode(Float.self, forKey: key))
      case .count: .count(try container.decode(Int.self, forKey: key))
      case .nanoseconds:
        .nanoseconds(
          try CheckArguments.nanoseconds(container.decode(Double.self, forKey: key), "--\(field.flag)"))
      }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Sets the numbers that differ from their defaults, so that a preset keeps its others. Ranges are not
  /// checked.
  public func set(_ options: inout CheckOptions) {
    let standard = CheckOptions()
    for (field, value) in zip(CheckOptions.fields, values) where value != standard[field] {
      options[field] = value
    }
  }
}

extension OptionField {
  /// The name on the command line, where times are in seconds.
  public var flag: String {
    // This flag is older than the option's name.
    if "\(name)" == "tip_ns" { return "tip-time" }
    return "\(name)".split(separator: "_").filter { $0 != "ns" }.joined(separator: "-")
  }
}
