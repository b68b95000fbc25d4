import ArgumentParser
import Engine
import FaceCore
import Imaging
import Posix
import Rendering

/// `face-engine draw`
struct DrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draw",
    abstract: "Mark the faces of a picture, and save it as PNG.",
    discussion: """
      Finds the faces as face-engine detect does, and draws them on a copy of the upright picture. Lengths are pixels.
      Exit code: 0 done, 1 it failed and nothing was written, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "What the file holds") var input: InputArguments
  @OptionGroup(title: "What is drawn") var marks: MarkArguments
  @OptionGroup(title: "How it is drawn") var style: StyleArguments

  @Option(name: .shortAndLong, help: "The PNG file to write.")
  var output: String

  @Argument(help: "The picture.")
  var image: String

  func run() throws {
    do {
      try draw()
    } catch {
      throw Status(error.code, "\(image): \(error.message)")
    }
  }

  private func draw() throws(Status) {
    let file = try ImageFile.read(image)
    var options = try detection.options()
    options.outputs = marks.outputs
    let detector = try source.open()
    let overlay = try marks.placedOverlay.map { (argument) throws(Status) in
      try Laid.read(argument.path, argument.overlay)
    }
    try withBytes(of: file) { (bytes) throws(Status) in
      let picture = try input.image(bytes)
      let result = try detector.detect(picture, options: options)
      let style = style.style(marks.marks, for: result.imageSize)
      let canvas = try Annotation.canvas(picture)
      if let overlay {
        for face in result.faces { try canvas.draw(overlay.picture, overlay.overlay, on: face) }
      }
      if let mask = marks.mask { canvas.drawMask(mask.circle, hollow: mask.isHollow, style: style) }
      canvas.draw(marks.numbered(result.faces), style: style)
      try Annotation.save(canvas, to: output)
    }
  }

  /// What is laid on each face.
  private final class Laid {
    let picture: TransparentPicture
    let overlay: Overlay

    private init(picture: consuming TransparentPicture, overlay: Overlay) {
      self.picture = picture
      self.overlay = overlay
    }

    /// Throws what is wrong with the file, naming it.
    static func read(_ path: String, _ overlay: Overlay) throws(Status) -> Laid {
      do {
        return try withBytes(of: try ImageFile.read(path)) { (bytes) throws(Status) in
          Laid(picture: try TransparentPicture(ImageInput(.encoded(bytes))), overlay: overlay)
        }
      } catch {
        throw Status(error.code, "\(path): \(error.message)")
      }
    }
  }
}
