import ArgumentParser
import CallerOptions
import FaceCore
import Posix

/// The options of a command that decide what its results are: those without their standard value, by name.
///
/// All options of the command count, also future ones, but for those that are left out by name.
struct OptionRecord {
  private var values: [String: String] = [:]

  /// - Parameters:
  ///   - standard: the same command without options.
  ///   - others: the members, by name, that do not change results.
  init<Command: ParsableArguments>(of command: Command, standard: Command, except others: Set<String>) {
    let usual = OptionRecord.values(of: command, others)
    let unset = OptionRecord.values(of: standard, others)
    values = usual.filter { unset[$0.key] != $0.value }
  }

  /// The record in the lines of a file.
  init(text lines: [String]) {
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
  }

  /// The lines of a file: the program, then an option on each line.
  var text: String {
    let options = values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
    return "face-engine \(EngineVersion.text)\n" + options.joined()
  }

  /// Sentences about the options that are not those of `earlier`.
  func differences(from earlier: OptionRecord) -> [String] {
    Set(values.keys).union(earlier.values.keys).sorted().compactMap { name in
      let (now, before) = (values[name], earlier.values[name])
      return now == before ? nil : "\(name) was \(before ?? "not given"), is \(now ?? "not given") now"
    }
  }

  private static func values(of arguments: some ParsableArguments, _ others: Set<String>) -> [String: String] {
    var found: [String: String] = [:]
    for child in Mirror(reflecting: arguments).children {
      guard let label = child.label.map({ String($0.drop { $0 == "_" }) }), !others.contains(label) else { continue }
      if let group = child.value as? any RecordedGroup {
        found.merge(group.numbers ?? values(of: group.arguments, others)) { $1 }
      } else if let argument = child.value as? any RecordedArgument, let text = text(of: argument.value) {
        found[flag(label)] = text
      }
    }
    return found
  }

  /// A value as one line; `nil` for none.
  private static func text(of value: Any) -> String? {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.flatMap { text(of: $0.value) } }
    // The order of flags means nothing.
    if mirror.displayStyle == .collection {
      return mirror.children.map { "\($0.value)" }.sorted().joined(separator: ",")
    }
    return "\(value)".split(separator: "\n").joined(separator: " ")
  }

  /// The name with dashes, as in "prominent-only".
  private static func flag(_ label: String) -> String {
    if label == "asked" { return "outputs" }
    return label.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  }
}

/// An option or flag whose value can be recorded.
private protocol RecordedArgument {
  var value: Any { get }
}

extension Option: RecordedArgument {
  fileprivate var value: Any { wrappedValue }
}

extension Flag: RecordedArgument {
  fileprivate var value: Any { wrappedValue }
}

/// A group of options.
private protocol RecordedGroup {
  var arguments: any ParsableArguments { get }
  /// Its values by flag, if its members do not have them.
  var numbers: [String: String]? { get }
}

extension OptionGroup: RecordedGroup {
  fileprivate var arguments: any ParsableArguments { wrappedValue }
  fileprivate var numbers: [String: String]? { (wrappedValue as? any RecordedNumbers)?.byFlag }
}

private protocol RecordedNumbers {
  var byFlag: [String: String] { get }
}

extension OptionFlags: RecordedNumbers {
  fileprivate var byFlag: [String: String] {
    var options = Options()
    set(&options)
    var found: [String: String] = [:]
    for field in Options.fields {
      guard let flag = field.flag else { continue }
      found[flag] =
        switch options[field] {
        case .number(let number): "\(number)"
        case .count(let count): "\(count)"
        case .time(let time): "\(time.seconds)"
        }
    }
    return found
  }
}
