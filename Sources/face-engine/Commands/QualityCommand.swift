import ArgumentParser
import FaceCore
import Posix

/// `face-engine quality`
struct QualityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quality",
    abstract: "Measure how good pictures of faces are.",
    discussion: """
      Prints the capture quality of each face, 0 to 1. With --iso it prints the measures of ISO/IEC 29794-5 that need no \
      further network: of each the native value, and the quality component from 0 (worst) to 100.
      Exit code: 0 all files done, 1 a file failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments

  @Flag(help: "Print the measures of ISO/IEC 29794-5.")
  var iso = false

  @Flag(help: "Print one line of JSON per file, as `detect --json` does.")
  var json = false

  @Argument(help: "The image files.")
  var images: [String]

  func validate() throws {
    guard !images.isEmpty else { throw ValidationError("Name at least one image.") }
  }

  func run() throws {
    let detector = try source.open()
    var options = try detection.options()
    options.outputs = iso ? .isoQuality : .quality
    var failed = false
    for image in images {
      let result: DetectionResult
      do {
        let file = try ImageFile.read(image)
        result = try withBytes(of: file) { (bytes) throws(Status) in
          try detector.detect(try input.image(bytes), options: options)
        }
      } catch {
        StandardError.write("face-engine: \(image): \(error.message)\n")
        failed = true
        continue
      }
      let text =
        json
        ? ResultOutput.json(image, result, left: [], mask: nil)
        : ([ResultOutput.title(image, result)] + result.faces.enumerated().flatMap(lines)).joined(
          separator: "\n")
      try StandardOutput.write(text + "\n")
    }
    if failed { throw ExitCode(1) }
  }

  private func lines(_ index: Int, of face: Face) -> [String] {
    let title =
      "face \(index + 1): \(Int(face.box.width.rounded()))×\(Int(face.box.height.rounded())) pixels"
    let rows = iso ? face.isoQuality.map(rows) : face.quality.map(rows)
    return rows.map { [title] + $0 } ?? ["\(title), not measured: the landmark network sees no face there"]
  }

  private func rows(_ quality: CaptureQuality) -> [String] {
    let parts = [
      ("overall", quality.overall), ("sharpness", quality.sharpness), ("exposure", quality.exposure),
      ("size", quality.size), ("pose", quality.pose), ("framing", quality.framing),
    ]
    return parts.map { row($0, ResultOutput.decimal($1, places: 3)) }
  }

  private func rows(_ quality: ISOQuality) -> [String] {
    ISOMeasure.allCases.map { measure in
      let component = quality.component(measure)
      guard component != ISOQuality.notAssessed else { return row("\(measure.name)", "not assessed") }
      return row(
        "\(measure.name)", ResultOutput.decimal(quality.native(measure), places: 3), "\(Int(component))")
    }
  }

  private func row(_ name: String, _ cells: String...) -> String {
    "  " + name + String(repeating: " ", count: max(0, 28 - name.count))
      + cells.map { ResultOutput.padded($0, to: 10) }.joined()
  }
}
