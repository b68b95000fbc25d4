import ArgumentParser
import CallerOptions
import FaceCore
import Imaging
import Rendering
import ResultJSON

/// `face-engine draw`
struct DrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draw",
    abstract: "Draw marks on the faces of pictures and save them as files.",
    discussion: """
      Finds faces as face-engine detect does, and draws on a copy of the upright picture. Lengths are in pixels. A picture \
      without a face is saved without marks, with a note on standard error.

      Exit code: 0 done, 1 a picture failed (nothing is written for it), 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments
  @OptionGroup(title: "Marks") var marks: MarkArguments
  @OptionGroup(title: "Style") var style: StyleArguments

  @Option(
    name: .shortAndLong,
    help:
      "File to write; its name chooses PNG, JPEG or WebP, and - writes a PNG to standard output. For several pictures: a folder for the files NAME.faces.png.",
    completion: .file()
  )
  var output: String

  @Flag(help: "Print one line of JSON per picture, as detect --json does, with the path of the saved file.")
  var json = false

  @OptionGroup(title: "Pictures") var list: PictureListArguments

  func validate() throws {
    guard !json || output != "-" else {
      throw ValidationError("--json and a picture cannot both go to standard output; give --output a file.")
    }
  }

  func run() throws {
    let found = try list.pictures(isRaw: input.raw != nil)
    let pictures = found.pictures
    let targets = try PictureTargets(
      output, option: "--output", for: pictures, needsFolder: list.mayBeSeveral)
    var options = try detection.options()
    options.outputs = marks.outputs
    let inputs = found.paths + [marks.placedOverlay?.path, marks.coverPicture].compactMap(\.self)
    let detector = try source.open(.command(reading: inputs, outputs: [output]))
    let overlay = try marks.placedOverlay.map { (argument) throws(Status) in
      (picture: try DrawnPicture.read(argument.path), placement: argument.overlay)
    }
    let coverPicture = try marks.coverPicture.map { (path) throws(Status) in try DrawnPicture.read(path) }
    let run = PictureRun(
      list: found, format: json ? .json : .text,
      jobs: list.jobCount(threadsPerFrame: source.network.threads))
    try run.run { [self, options] (index, bytes) throws(Status) in
      let picture = try input.image(bytes)
      let result =
        try overlay != nil || marks.marks.contains(.points)
        ? detector.detectWithExactPoints(picture, options: options, also: overlay == nil ? [] : .transform)
        : detector.detect(picture, options: options)
      let target = try targets.path(index, "faces")
      try Annotation.save(try canvas(picture, result, overlay, coverPicture), to: target)
      return PictureRun.Report(
        output: json ? ResultOutput.json(pictures[index].name, result, outputs: [target]) : "",
        note: result.faces.isEmpty ? "no face was found; the picture is saved without marks" : nil)
    }
  }

  private func canvas(
    _ picture: ImageInput, _ result: DetectionResult, _ overlay: (picture: DrawnPicture, placement: Overlay)?,
    _ coverPicture: DrawnPicture?
  ) throws(Status) -> Canvas {
    var style = style.style(marks.marks, for: result.imageSize)
    style.cover = marks.covers.cover
    let canvas = try Annotation.canvas(picture)
    if !style.marks.isDisjoint(with: .covers) {
      let boxes = result.faces.map(\.box)
      canvas.cover(boxes, style: style)
      if let coverPicture { canvas.draw(coverPicture.pixels, overCoversOf: boxes, style.cover) }
      style.marks.subtract(.covers)
    }
    if let overlay {
      for face in result.faces { try canvas.drawOverlay(overlay.picture.pixels, overlay.placement, on: face) }
    }
    if let mask = marks.mask { canvas.drawMask(mask.circle, hollow: mask.isHollow, style: style) }
    canvas.draw(marks.numbered(result.faces), labels: marks.label, style: style)
    return canvas
  }

  /// A picture that is drawn on each face.
  private final class DrawnPicture: @unchecked Sendable {
    // They are only read.
    let pixels: TransparentPicture

    private init(_ pixels: consuming TransparentPicture) { self.pixels = pixels }

    /// Error messages name the file.
    static func read(_ path: String) throws(Status) -> DrawnPicture {
      do {
        return try withBytes(of: try ImageFile.read(path, calledInErrors: "the file")) {
          (bytes) throws(Status) in
          DrawnPicture(try TransparentPicture(CommandDecoder.decoding(ImageInput(.encoded(bytes)))))
        }
      } catch {
        throw Status(error.code, "\(path): \(error.message)")
      }
    }
  }
}
