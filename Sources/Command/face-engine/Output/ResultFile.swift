import ArgumentParser
import FaceCore
import Posix

/// The file of `--output`: a line for each picture. Beside it a second file keeps the options and models that made the
/// lines, so that a later run continues with the same ones.
final class ResultFile {
  private let lines: AppendedFile
  private let record: AppendedFile
  /// How many lines each picture has from earlier runs, by its name in UTF-8: as texts, names that differ by the
  /// encoding of an accent would be one.
  private var earlier: [[UInt8]: Int] = [:]
  /// The models in the record: their lines by name.
  private var models: [String: String] = [:]
  /// The pictures that failed in earlier runs.
  private(set) var earlierFailures = 0

  var path: String { lines.path }

  private static let modelMark = "model "

  /// Opens both files. Called before the sandbox is entered.
  /// - Parameters:
  ///   - resumes: whether lines from an earlier run are kept; otherwise the file must be new or empty.
  ///   - options: the options that decide what the lines contain.
  init(_ path: String, resumes: Bool, options: OptionRecord) throws {
    lines = try AppendedFile(path)
    record = try AppendedFile(path + ".options")
    guard try lines.size() > 0 else {
      // The record is on the disk before the first line.
      try record.clear()
      try record.append(options.text)
      try record.save()
      return
    }
    guard resumes else {
      throw ValidationError(
        "\(path) has results already. Add --resume to continue that run, or name another file to start over.")
    }
    try readRecord(options)
    try readLines()
  }

  private func readRecord(_ options: OptionRecord) throws {
    var first: [String] = []
    try record.readLines(limit: 1 << 16) { (bytes, _) throws(Status) in
      let line = String(decoding: bytes, as: UTF8.self)
      if line.hasPrefix(Self.modelMark) { note(line) } else { first.append(line) }
    }
    guard !first.isEmpty else {
      throw ValidationError(
        "\(path) cannot be continued: \(record.path), which has the options of its run, is missing. Name another file to start over."
      )
    }
    let differences = options.differences(from: OptionRecord(text: first))
    guard differences.isEmpty else {
      throw ValidationError(
        "\(path) was begun with other options: \(differences.joined(separator: "; ")). Give the same options to continue, or name "
          + "another file to start over.")
    }
    // A cut line is a model's, whose results were not written either.
    try record.cutUnfinishedLine()
  }

  private func note(_ line: String) {
    if let name = line.dropFirst(Self.modelMark.count).split(separator: " ").first { models[String(name)] = line }
  }

  private func readLines() throws(Status) {
    var number = 0
    try lines.readLines(limit: ResultLine.maxBytes) { (bytes, last) throws(Status) in
      number += 1
      guard let line = ResultLine(bytes), last == UInt8(ascii: "}") else {
        throw Status(
          .invalidArgument,
          "line \(number) of \(path) is no line of detect --json; delete the line, or name another file to start over")
      }
      earlier[line.image, default: 0] += 1
      if line.isFailure { earlierFailures += 1 }
    }
    try lines.cutUnfinishedLine()
  }

  /// Returns the indices of the pictures that have no line yet. A picture that is named twice has two lines.
  func remaining(of pictures: [NamedPicture]) -> [Int] {
    if earlier.isEmpty { return Array(pictures.indices) }
    let remaining = pictures.indices.filter { index in
      let name = Array(pictures[index].name.utf8)
      guard let count = earlier[name], count > 0 else { return true }
      earlier[name] = count - 1
      return false
    }
    earlier = [:]
    return remaining
  }

  /// Appends the lines of a picture. Throws `failedPrecondition` if a model that found its faces differs from the one of
  /// the same name that found earlier ones.
  func append(_ text: String, models used: [ModelIdentity]) throws(Status) {
    for model in used {
      let hash = model.weightsHash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let line = "\(Self.modelMark)\(model.name) revision \(model.revision) sha256 \(hash)"
      if let known = models[model.name] {
        guard known == line else {
          throw Status(
            .failedPrecondition,
            "the model \(model.name) is not the one that made the other lines of \(path); use that model again, or name another "
              + "file with --output to start over")
        }
      } else {
        try record.append(line + "\n")
        models[model.name] = line
      }
    }
    try lines.append(text + "\n")
  }

  /// Returns when all lines are on the disk.
  func save() throws(Status) {
    try record.save()
    try lines.save()
  }
}
