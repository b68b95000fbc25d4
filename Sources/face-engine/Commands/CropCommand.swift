import ArgumentParser
import Engine
import FaceCore
import Imaging
import Posix
import Rendering

/// `face-engine crop`
struct CropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crop",
    abstract: "Crop a face from a picture, as an avatar or for face recognition, and save it as PNG.",
    discussion: """
      The picture must show exactly one face, unless --largest is given. Without --margin the crop is the largest part of \
      the picture that has the crop's shape, centred on the face as far as the picture allows.
      Exit code: 0 done, 1 failed (no face, several faces, or the crop does not fit; nothing was written), 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the file") var input: InputArguments

  @Option(help: "Size of the crop in pixels, WIDTHxHEIGHT. (default: 300x300, with --aligned 112x112)")
  var size: SizeArgument?

  @Flag(help: "Use the largest of several faces.")
  var largest = false

  @Option(help: "Margin on each side of the face's box, as a multiple of its longer side, 0 to 10.")
  var margin: Float?

  @Option(
    help: "Distance of the crop's centre above the face's, as a multiple of the box's height, as in 0.15.")
  var headroom: Float = 0

  @Flag(
    help:
      "Align the face for recognition networks: rotated and scaled so that its points are at their standard positions."
  )
  var aligned = false

  @Option(name: .shortAndLong, help: "The PNG file to write.")
  var output: String

  @Argument(help: "The picture.")
  var image: String

  func validate() throws {
    if aligned, margin != nil || headroom != 0 {
      throw ValidationError("--aligned sets the position itself; leave out --margin and --headroom.")
    }
    if aligned, let size = size?.size, size.width != size.height {
      throw ValidationError("--aligned needs a square; give a --size such as 112x112.")
    }
    do {
      try crop.validate()
    } catch {
      throw ValidationError("\(error.message).")
    }
  }

  func run() throws {
    do {
      let file = try ImageFile.read(image)
      let detector = try source.open()
      let options = try detection.options()
      try withBytes(of: file) { (bytes) throws(Status) in
        let picture = try input.image(bytes)
        let result =
          try aligned
          ? detector.detectWithExactPoints(picture, options: options)
          : detector.detect(picture, options: options)
        let faces = result.faces
        let face = faces[try (largest ? FaceChoice.largest : .only).index(among: faces.map(\.box))]
        let canvas = try Canvas(on: try cut(picture, face))
        try Annotation.save(canvas, to: output)
      }
    } catch {
      throw Status(error.code, "\(image): \(error.message)")
    }
  }

  private var crop: FaceCrop {
    FaceCrop(size: size?.size ?? FaceCrop.standardSize, margin: margin, headroom: headroom)
  }

  private func cut(_ picture: ImageInput, _ face: Face) throws(Status) -> Bitmap {
    var whole = picture
    whole.region = nil
    let upright = try UprightImage(whole, willCrop: true)
    guard aligned else { return try upright.portrait(of: face.box, crop) }
    guard let points = face.points else {
      throw Status(.failedPrecondition, "the face's points are not known; use a model that gives five points")
    }
    return try upright.aligned(points, AlignedCrop(side: size?.size.width ?? AlignedCrop.templateSide))
  }
}
