import ArgumentParser
import Capture
import FaceCore
import Imaging
import Posix
import ResultJSON

/// Processes the pictures of a command: reads each, has it worked on, and prints the results.
struct PictureRun {
  /// A command's output for one picture.
  struct Report: Sendable {
    /// The text for standard output: whole lines without the last line feed; empty for none.
    var output = ""
    /// The models that made it.
    var models: [ModelIdentity] = []
    /// A note for people, on standard error.
    var note: String?
    /// Another one, about the file.
    fileprivate(set) var fileNote: String?

    init(output: String = "", models: [ModelIdentity] = [], note: String? = nil) {
      (self.output, self.models, self.note) = (output, models, note)
    }
  }

  let list: PictureList
  let format: OutputFormat
  let jobs: Int
  /// The header of the CSV output, which also sets its number of cells.
  var columns: [String] = []
  /// Has the results, in place of standard output, and maybe those of earlier runs.
  var file: ResultFile?
  /// Whether results have the order of the pictures.
  var isInOrder = true
  /// Whether no other picture may begin; those in flight are finished.
  var isStopped: @Sendable () -> Bool = { false }
  /// Whether the engine that finds the faces has gone, so that all other pictures would fail, too. Only with a file,
  /// which a later run can continue.
  var hasLostEngine: () -> Bool = { false }

  /// Throws `ExitCode(1)` if a picture failed, also one of an earlier run. The failure was printed, with JSON and CSV
  /// also in the picture's place.
  func run(
    _ work: @escaping @Sendable (_ index: Int, _ file: UnsafeRawBufferPointer) throws(Status) -> Report
  ) throws {
    let pictures = list.pictures
    let remaining = file?.remaining(of: pictures) ?? Array(pictures.indices)
    let (total, earlier) = (pictures.count, pictures.count - remaining.count)
    let progress = Progress(total: total, earlier: earlier, failed: file?.earlierFailures ?? 0)
    if format == .csv { try StandardOutput.write(CSV.line(columns) + "\n") }
    if earlier > 0 { StandardError.write("face-engine: \(earlier) of \(total) pictures were done before\n") }
    var (failed, done) = (0, earlier)
    let attempt: @Sendable (Int) -> Result<Report, Status> = { [pictures, isRaw = list.isRaw] index in
      Result { () throws(Status) -> Report in
        let size = pictures[index].path.flatMap(FileSystem.size) ?? 0
        let share = try MemoryBudget.ofFiles.takeMost(of: size)
        defer { withExtendedLifetime(share) {} }
        return try withBytes(of: try pictures[index].read()) { (bytes) throws(Status) in
          var report = try work(index, bytes)
          let pages = isRaw ? 0 : ImageDecoder.pageCount(of: bytes)
          if pages > 1 { report.fileNote = "has \(pages) pages; the first full one is used" }
          return report
        }
      }
    }
    try OrderedJobs.run(remaining.count, threads: jobs, inOrder: isInOrder, isStopped: isStopped) { number in
      attempt(remaining[number])
    } deliver: { number, first in
      let picture = pictures[remaining[number]]
      var outcome = first
      if file != nil, case .failure(let status) = first, [.unavailable, .deadlineExceeded].contains(status.code) {
        guard !hasLostEngine() else {
          progress.clear()
          throw Status(
            status.code,
            "stopped after \(done) of \(total) pictures: \(status.message). To continue, give the same command with --resume"
          )
        }
        // The engine may have ended and begun again.
        outcome = attempt(remaining[number])
      }
      let report: Report
      var hasFailed = false
      switch outcome {
      case .success(let success): report = success
      case .failure(let status):
        hasFailed = true
        failed += 1
        report = Report(output: text(of: status, for: picture), note: status.message)
      }
      progress.clear()
      for note in [report.fileNote, report.note].compactMap(\.self) {
        StandardError.write("face-engine: \(picture.title): \(note)\n")
      }
      if let file {
        try file.append(report.output, models: report.models)
      } else if !report.output.isEmpty {
        try StandardOutput.write(report.output + "\n", hasBytesOfPaths: format == .text)
      }
      done += 1
      progress.advance(hasFailed: hasFailed)
    }
    progress.clear()
    try file?.save()
    if let skipped = list.skipped.text { StandardError.write("face-engine: \(skipped)\n") }
    if done < total {
      StandardError.write(
        "face-engine: stopped after \(done) of \(total) pictures; to continue, give the same command with --resume\n")
      throw ExitCode(1)
    }
    if let file, file.earlierFailures > 0 {
      let count = file.earlierFailures == 1 ? "1 picture" : "\(file.earlierFailures) pictures"
      StandardError.write(
        "face-engine: \(count) failed in earlier runs; to try again, delete the lines with errors from \(file.path)\n")
    }
    if failed + (file?.earlierFailures ?? 0) > 0 { throw ExitCode(1) }
  }

  private func text(of status: Status, for picture: NamedPicture) -> String {
    switch format {
    case .text: ""
    case .json: ResultOutput.failure(picture.name, status)
    case .csv:
      CSV.line(
        [picture.name] + Array(repeating: "", count: columns.count - 2) + [status.message])
    }
  }
}

/// The format in which results are printed.
enum OutputFormat: EnumerableFlag {
  case text
  case json
  case csv

  static var allCases: [OutputFormat] { [.json, .csv] }

  static func help(for value: OutputFormat) -> ArgumentHelp? {
    switch value {
    case .text: nil
    case .json:
      "Print one line of JSON per picture, also for one that fails. face-engine.schema.json, in docs or share/face-engine, describes it."
    case .csv:
      "Print CSV: a header, then a row for each face, and one for each picture that has no face or fails."
    }
  }
}
