import ArgumentParser
import CallerOptions
import FaceCore
import ResultJSON

/// `face-engine quality`
struct QualityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quality",
    abstract: "Measure how good pictures of faces are.",
    discussion: """
      Prints the capture quality of each face, 0 to 1. With --iso, prints the 19 measures of ISO/IEC 29794-5 that the \
      engine's networks can compute: the native value of each, and its quality component from 0 (worst) to 100.

      Exit code: 0 all files done, 1 a file failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments

  @Flag(help: "Print the measures of ISO/IEC 29794-5.")
  var iso = false

  @Flag(exclusivity: .exclusive)
  var format: OutputFormat = .text

  @OptionGroup(title: "Pictures") var list: PictureListArguments

  func run() throws {
    let found = try list.pictures(isRaw: input.raw != nil)
    let pictures = found.pictures
    let detector = try source.open(.command(reading: found.paths))
    var options = try detection.options()
    options.outputs = iso ? .isoQuality : .quality
    let names = columnNames
    let run = PictureRun(
      list: found, format: format,
      jobs: list.jobCount(threadsPerFrame: source.network.threads), columns: CSV.columns(names))
    try run.run { [self, options] (index, bytes) throws(Status) in
      let result = try detector.detect(try input.image(bytes), options: options)
      return PictureRun.Report(output: text(pictures[index].name, result, columns: names))
    }
  }

  private func text(_ image: String, _ result: DetectionResult, columns: [String]) -> String {
    switch format {
    case .text:
      ([ResultOutput.title(image, result)] + result.faces.enumerated().flatMap(lines)).joined(
        separator: "\n")
    case .json: ResultOutput.json(image, result)
    case .csv: CSV.rows(image, result, names: columns, cells)
    }
  }

  private var columnNames: [String] {
    let names =
      iso
      ? ISOMeasure.allCases.flatMap { ["\($0.name)Native", "\($0.name)"] }
      : ["overall", "sharpness", "exposure", "size", "pose", "framing"]
    return ["x", "y", "width", "height"] + names
  }

  /// The cells of a face; empty for measures that are missing.
  private func cells(_ face: Face) -> [String] {
    var cells = [face.box.x, face.box.y, face.box.width, face.box.height].map { "\($0)" }
    if iso {
      cells += ISOMeasure.allCases.flatMap { measure -> [String] in
        guard let quality = face.isoQuality, quality.component(measure) != ISOQuality.notAssessed else {
          return ["", ""]
        }
        return ["\(quality.native(measure))", "\(Int(quality.component(measure)))"]
      }
    } else {
      let quality = face.quality
      cells += [
        quality?.overall, quality?.sharpness, quality?.exposure, quality?.size, quality?.pose,
        quality?.framing,
      ].map { $0.map { "\($0)" } ?? "" }
    }
    return cells
  }

  private func lines(_ index: Int, of face: Face) -> [String] {
    let title =
      "face \(index + 1): \(Int(face.box.width.rounded()))×\(Int(face.box.height.rounded())) pixels"
    let rows = iso ? face.isoQuality.map(rows) : face.quality.map(rows)
    return rows.map { [title] + $0 } ?? ["\(title), not measured: the landmark network finds no face there"]
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
