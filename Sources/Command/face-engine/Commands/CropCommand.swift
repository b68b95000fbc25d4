public import ArgumentParser
public import CallerOptions
public import FaceCore
import Imaging
import Rendering
import ResultJSON

/// `face-engine crop`
struct CropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crop",
    abstract: "Crop faces from pictures, as avatars or for face recognition, and save them as files.",
    discussion: """
      A picture must show exactly one face, unless --largest, --all or --face chooses among several. Without --margin, the \
      crop is the largest part of the picture that has the crop's shape, centred on the face as far as the picture allows.

      Exit code: 0 done, 1 a picture failed (no face, several faces, or a crop that does not fit; nothing is written for \
      that picture), 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments

  @Option(help: "Size of the crop in pixels, WIDTHxHEIGHT. (default: 300x300, with --aligned 112x112)")
  var size: SizeArgument?

  @Flag(help: "Crop the largest of several faces.")
  var largest = false

  @Flag(help: "Crop every face. --output is a folder for the files NAME.face1.png and so on.")
  var all = false

  @Option(help: "Crop the face with this number, from 1, in the output of face-engine detect.")
  var face: Int?

  @Option(help: "Margin on each side of the face's box, as a multiple of its longer side, 0 to 10.")
  var margin: Float?

  @Option(
    help:
      "Distance of the crop's centre above the face's centre, as a multiple of the box's height, as in 0.15.")
  var headroom: Float = 0

  @Option(
    help:
      "What to do if the face with its margin does not fit into the picture. (default: fail)")
  var overflow: FaceCrop.Overflow?

  @Flag(
    help:
      "Align the face for recognition networks: rotate and scale it so that its points are at their standard positions."
  )
  var aligned = false

  @Flag(help: "Blur the other faces that the crop shows.")
  var blurOthers = false

  @Option(
    name: .shortAndLong,
    help:
      "File to write; its name chooses PNG, JPEG or WebP, and - writes a PNG to standard output. For several pictures: a folder for the files NAME.face.png.",
    completion: .file()
  )
  var output: String

  @Flag(help: "Print one line of JSON per picture, as detect --json does, with the paths of the saved files.")
  var json = false

  @OptionGroup(title: "Pictures") var list: PictureListArguments

  func validate() throws {
    guard (largest ? 1 : 0) + (all ? 1 : 0) + (face == nil ? 0 : 1) <= 1 else {
      throw ValidationError("--largest, --all and --face exclude each other.")
    }
    if let face, face < 1 { throw ValidationError("--face \(face) must be 1 or more.") }
    guard !json || output != "-" else {
      throw ValidationError("--json and a picture cannot both go to standard output; give --output a file.")
    }
    if aligned, margin != nil || headroom != 0 || overflow != nil {
      throw ValidationError(
        "--aligned sets the position itself; leave out --margin, --headroom and --overflow.")
    }
    if aligned, blurOthers {
      throw ValidationError("--aligned shows one face; leave out --blur-others.")
    }
    if aligned, let size = size?.size, size.width != size.height {
      throw ValidationError("--aligned needs a square; give a --size such as 112x112.")
    }
    try ValidationError.reporting { try crop.validate() }
  }

  func run() throws {
    let found = try list.pictures(isRaw: input.raw != nil)
    let pictures = found.pictures
    let targets = try PictureTargets(
      output, option: "--output", for: pictures, needsFolder: all || list.mayBeSeveral)
    let detector = try source.open(.command(reading: found.paths, outputs: [output]))
    let options = try detection.options()
    let run = PictureRun(
      list: found, format: json ? .json : .text,
      jobs: list.jobCount(threadsPerFrame: source.network.threads))
    try run.run { [self] (index, bytes) throws(Status) in
      let picture = try input.image(bytes)
      let result =
        try aligned
        ? detector.detectWithExactPoints(picture, options: options)
        : detector.detect(picture, options: options)
      var saved: [String] = []
      for place in try chosen(among: result.faces) {
        let canvas = try Canvas(on: try cut(picture, result.faces[place]))
        if blurOthers { try blur(result, except: place, on: canvas) }
        saved.append(try targets.path(index, all ? "face\(place + 1)" : "face"))
        try Annotation.save(canvas, to: saved[saved.count - 1])
      }
      return PictureRun.Report(
        output: json ? ResultOutput.json(pictures[index].name, result, outputs: saved) : "")
    }
  }

  /// The indices of the faces to crop. Throws if the choice is ambiguous, or there is no such face.
  private func chosen(among faces: [Face]) throws(Status) -> [Int] {
    if let face {
      guard faces.indices.contains(face - 1) else {
        throw Status(
          .notFound,
          "the picture has no face number \(face), only \(faces.count); face-engine detect numbers its faces"
        )
      }
      return [face - 1]
    }
    let boxes = faces.map(\.box)
    if all, !boxes.isEmpty { return Array(faces.indices) }
    guard largest || boxes.count <= 1 else {
      throw Status(
        .failedPrecondition,
        "there are \(boxes.count) faces in the picture; choose with --largest, --all or --face 1 to \(boxes.count)"
      )
    }
    return [try FaceChoice.largest.index(among: boxes)]
  }

  private var crop: FaceCrop {
    FaceCrop(
      size: size?.size ?? FaceCrop.standardSize, margin: margin, headroom: headroom,
      overflow: overflow ?? .fail)
  }

  private func blur(
    _ result: DetectionResult, except kept: Int, on canvas: borrowing Canvas
  ) throws(Status) {
    let part = try crop.part(around: result.faces[kept].box, in: result.imageSize)
    let (across, along) = (Float(canvas.size.width) / part.width, Float(canvas.size.height) / part.height)
    let others = result.faces.indices.filter { $0 != kept }.map { index in
      let box = result.faces[index].box
      return Box(
        x: (box.x - part.x) * across, y: (box.y - part.y) * along, width: box.width * across,
        height: box.height * along)
    }
    canvas.cover(others, style: FaceStyle())
  }

  private func cut(_ picture: ImageInput, _ face: Face) throws(Status) -> PictureCopy {
    try PictureCopy(of: picture) { (upright) throws(Status) in
      guard aligned else { return try upright.portrait(of: face.box, crop) }
      guard let points = face.points else {
        throw Status(
          .failedPrecondition,
          "the model finds no points, which --aligned needs; use a model with five points, such as yunet")
      }
      return try upright.aligned(points, AlignedCrop(side: size?.size.width ?? AlignedCrop.templateSide))
    }
  }
}

extension FaceCrop.Overflow: NamedArgument {
  public static var allValueDescriptions: [String: String] {
    [
      "fail": "write nothing, and report the picture as failed", "clamp": "use a smaller margin",
      "pad": "repeat the picture's last pixels",
    ]
  }
}
