import ArgumentParser
import Capture
import FaceCore
import Imaging
import Posix
import ResultJSON

/// Processes the pictures of a command: reads each, has it worked on, and prints the results in order.
struct PictureRun {
  /// A command's output for one picture.
  struct Report: Sendable {
    /// The text for standard output: whole lines without the last line feed; empty for none.
    var output = ""
    /// A note for people, on standard error.
    var note: String?
    /// Another one, about the file.
    fileprivate(set) var fileNote: String?

    init(output: String = "", note: String? = nil) { (self.output, self.note) = (output, note) }
  }

  let list: PictureList
  let format: OutputFormat
  let jobs: Int
  /// The header of the CSV output, which also sets its number of cells.
  var columns: [String] = []

  /// Throws `ExitCode(1)` if a picture failed. The failure was printed, with JSON and CSV also in the
  /// picture's place.
  func run(
    _ work: @escaping @Sendable (_ index: Int, _ file: UnsafeRawBufferPointer) throws(Status) -> Report
  ) throws {
    let pictures = list.pictures
    let progress = Progress(total: pictures.count)
    if format == .csv { try StandardOutput.write(CSV.line(columns) + "\n") }
    var failed = false
    try OrderedJobs.run(pictures.count, threads: jobs) { [pictures, isRaw = list.isRaw] index in
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
    } deliver: { index, outcome in
      let picture = pictures[index]
      let report: Report
      switch outcome {
      case .success(let done): report = done
      case .failure(let status):
        failed = true
        report = Report(output: text(of: status, for: picture), note: status.message)
      }
      progress.clear()
      for note in [report.fileNote, report.note].compactMap(\.self) {
        StandardError.write("face-engine: \(picture.title): \(note)\n")
      }
      if !report.output.isEmpty {
        try StandardOutput.write(report.output + "\n", hasBytesOfPaths: format == .text)
      }
      progress.advance()
    }
    progress.clear()
    if let skipped = list.skipped.text { StandardError.write("face-engine: \(skipped)\n") }
    if failed { throw ExitCode(1) }
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
