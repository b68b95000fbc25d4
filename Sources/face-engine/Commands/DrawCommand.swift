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
    abstract: "Draw marks on the faces of a picture and save it as PNG.",
    discussion: """
      Finds the faces like face-engine detect, and draws on a copy of the upright picture. Lengths are in pixels.
      Exit code: 0 done, 1 failed (nothing was written), 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the file") var input: InputArguments
  @OptionGroup(title: "Marks") var marks: MarkArguments
  @OptionGroup(title: "Style") var style: StyleArguments

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
      try OverlayPicture.read(argument.path, argument.overlay)
    }
    try withBytes(of: file) { (bytes) throws(Status) in
      let picture = try input.image(bytes)
      let result =
        try overlay == nil
        ? detector.detect(picture, options: options)
        : detector.detectWithExactPoints(picture, options: options)
      let style = style.style(marks.marks, for: result.imageSize)
      let canvas = try Annotation.canvas(picture)
      if let overlay {
        for face in result.faces { try canvas.drawOverlay(overlay.picture, overlay.placement, on: face) }
      }
      if let mask = marks.mask { canvas.drawMask(mask.circle, hollow: mask.isHollow, style: style) }
      canvas.draw(marks.numbered(result.faces), style: style)
      try Annotation.save(canvas, to: output)
    }
  }

  /// A picture that is drawn on each face.
  private final class OverlayPicture {
    let picture: TransparentPicture
    let placement: Overlay

    private init(picture: consuming TransparentPicture, placement: Overlay) {
      self.picture = picture
      self.placement = placement
    }

    /// Error messages name the file.
    static func read(_ path: String, _ placement: Overlay) throws(Status) -> OverlayPicture {
      do {
        return try withBytes(of: try ImageFile.read(path)) { (bytes) throws(Status) in
          OverlayPicture(
            picture: try TransparentPicture(ImageInput(.encoded(bytes))), placement: placement)
        }
      } catch {
        throw Status(error.code, "\(path): \(error.message)")
      }
    }
  }
}
