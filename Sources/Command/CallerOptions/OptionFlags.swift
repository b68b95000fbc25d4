public import ArgumentParser
public import FaceCore

/// The numbers of an options struct, each a flag with its name in dashes: `min_face` is `--min-face`. Times are in
/// seconds: `hold_ns` is `--hold`.
///
/// ArgumentParser looks for flags among the members in a mirror; this mirror has a flag for each row of the table.
public struct OptionFlags<Options: OptionTable & Sendable>: ParsableArguments, CustomReflectable, Sendable {
  private var given: [(field: OptionField, value: OptionValue)] = []
  /// Thrown by `validate`: the decoder would report it as an internal error.
  private var failure: Status?

  private static var fields: [(field: OptionField, flag: String)] {
    Options.fields.compactMap { field in field.flag.map { (field, $0) } }
  }

  public init() {}

  public var customMirror: Mirror {
    let standard = Options()
    return Mirror(
      self,
      children: Self.fields.map { field, flag in
        let name = NameSpecification.customLong(flag)
        func help(_ value: String, _ unit: String = "") -> ArgumentHelp {
          ArgumentHelp("\(field.meaning) (\(unit)\(field.range), default: \(value))")
        }
        let option: Any =
          switch standard[field] {
          case .number(let value): Option<Float?>(name: name, help: help("\(value)"))
          case .count(let value): Option<Int?>(name: name, help: help("\(value)"))
          case .time(let value):
            Option<Double?>(name: name, help: help("\(Float(value.seconds))", "seconds, "))
          }
        return (label: "\(field.name)", value: option)
      })
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    for (field, flag) in Self.fields {
      let key = Key(stringValue: "\(field.name)")
      let value: OptionValue? =
        switch field.kind {
        case .number: try container.decodeIfPresent(Float.self, forKey: key).map { .number($0) }
        case .count: try container.decodeIfPresent(Int.self, forKey: key).map { .count($0) }
        case .nanoseconds:
          try container.decodeIfPresent(Double.self, forKey: key).flatMap { time($0, "--\(flag)") }
        }
      if let value { given.append((field, value)) }
    }
  }

  private mutating func time(_ seconds: Double, _ name: String) -> OptionValue? {
    do throws(Status) {
      return .time(try CheckArguments.span(seconds, name))
    } catch {
      failure = error
      return nil
    }
  }

  public func validate() throws {
    try ValidationError.reporting { if let failure { throw failure } }
  }

  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Sets the numbers that were given. Ranges are not checked.
  public func set(_ options: inout Options) {
    for (field, value) in given { options[field] = value }
  }
}
