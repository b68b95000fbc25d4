import ArgumentParser
import Posix

/// Suggests the command or flag that a person may have meant by an unknown one.
enum Suggestion {
  /// The error in the first argument, which should be a subcommand; `nil` if it is one.
  static func forCommand(in arguments: [String]) -> String? {
    var words = arguments[...]
    if words.first == "help" { words.removeFirst() }
    guard let word = words.first, !word.hasPrefix("-") else { return nil }
    let names =
      FaceEngineCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    if names.contains(word) { return nil }
    if let near = nearest(to: word, among: names) {
      return "There is no command '\(word)'. Did you mean '\(near)'?"
    }
    if FileSystem.isReadable(word) {
      return "There is no command '\(word)'. Did you mean 'face-engine detect \(word)'?"
    }
    return "There is no command '\(word)'."
  }

  /// A message of the argument parser without its suggestion of a flag if that is not similar to the one
  /// given.
  static func withoutFarGuess(_ message: String) -> String {
    let parts = message.split(separator: "'", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].hasSuffix("Unknown option "), parts[2] == ". Did you mean ",
      !isNear(parts[1].drop { $0 == "-" }, parts[3].drop { $0 == "-" })
    else { return message }
    return "\(parts[0])'\(parts[1])'\(parts[4].drop { $0 == "?" })"
  }

  /// A message of the argument parser, or, if an unknown flag was given, a message about that: the parser
  /// checks for missing arguments first.
  static func preferringUnknownFlag(_ message: String, in arguments: [String]) -> String {
    guard let usage = message.firstRange(of: "Usage:"), !message.hasPrefix("Error: Unknown option") else {
      return message
    }
    var command: any ParsableCommand.Type = FaceEngineCommand.self
    for word in arguments {
      let subcommands = command.configuration.subcommands
      guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else { break }
      command = next
    }
    // The help lists every flag.
    let help = FaceEngineCommand.helpMessage(for: command, includeHidden: true)
    let known = help.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.filter { $0.hasPrefix("--") }
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
    guard let flag = given.map({ $0.prefix { $0 != "=" } }).first(where: { !known.contains($0) }) else {
      return message
    }
    let near = nearest(to: String(flag.dropFirst(2)), among: known.map { String($0.dropFirst(2)) })
    let guess = near.map { ". Did you mean '--\($0)'?" } ?? ""
    return "Error: Unknown option '\(flag)'\(guess)\n\(message[usage.lowerBound...])"
  }

  private static func nearest(to word: String, among names: [String]) -> String? {
    names.filter { isNear(word[...], $0[...]) }.min {
      distance(word[...], $0[...]) < distance(word[...], $1[...])
    }
  }

  /// Whether `word` may be a typing error for `name`: a third of its letters may differ, and one in a short
  /// name.
  private static func isNear(_ word: Substring, _ name: Substring) -> Bool {
    distance(word, name) <= max(1, name.count / 3)
  }

  /// The edit distance: letters to insert, remove, replace or swap with the next. Source: Damerau 1964;
  /// optimal string alignment.
  private static func distance(_ first: Substring, _ second: Substring) -> Int {
    let (first, second) = (Array(first), Array(second))
    var rows = [Array(0...second.count)]
    for i in 0..<first.count {
      var row = [i + 1]
      for j in 0..<second.count {
        var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (first[i] == second[j] ? 0 : 1))
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
