import ArgumentParser
import CallerOptions
import FaceCore
import Rendering

/// The marks that `face-engine draw` draws.
struct MarkArguments: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: "Draw each face's box. (default: unless faces are covered)")
  var boxes: Bool?

  @Flag(help: "Draw only the corners of each box.")
  var corners = false

  @Flag(
    inversion: .prefixedNo,
    help: "Draw the five points: eyes, nose tip and mouth corners. (default: unless faces are covered)")
  var points: Bool?

  @Flag(help: "Fill each box.")
  var filled = false

  @Flag(
    help: "Draw each box turned by the head's roll and narrowed by its yaw, instead of upright.")
  var turned = false

  @Flag(help: "Draw the axes of each head: red to its left, green down, blue forwards.")
  var axes = false

  @Option(
    help: ArgumentHelp(
      "Draw the landmarks of each face as lines, points, mesh, contours or irises; both: lines and points.",
      valueName: "kind[,kind…]"), completion: .list(LandmarkMarks.allValueStrings))
  var landmarks: LandmarkMarks?

  @Flag(help: "Number the faces by confidence, starting at 1.")
  var ids = false

  @Option(
    help: ArgumentHelp(
      "Text for the most confident face; repeat it for the next one.", valueName: "text"))
  var label: [String] = []

  @Flag(help: "Write the confidence of each face.")
  var confidences = false

  @Flag(help: "Write the rotation of each head in degrees.")
  var angles = false

  @Option(
    help: ArgumentHelp(
      "Draw the circle that a face should fill. hollow: dim everything outside it.",
      valueName: "x,y,radius[,hollow]"))
  var mask: MaskArgument?

  @Option(
    help: ArgumentHelp(
      "Draw a PNG or WebP with transparency, such as glasses, on each face. mirrored: flip it.",
      valueName: "file[,mirrored]"), completion: .file())
  var overlay: OverlayArgument?

  @Option(
    help: ArgumentHelp(
      "Positions of the subject's left and right eye in the overlay, 0 to 1.", valueName: "x,y,x,y"))
  var overlayEyes: EyesArgument = EyesArgument(Overlay())

  @Option(
    help: ArgumentHelp(
      """
      Share of the overlay's width at each side that bends back to the ear, like the arms of glasses, 0 to 0.45. auto: the \
      overlay's thin ends.
      """, valueName: "share|auto"))
  var overlayArms: ArmsArgument = .auto

  @OptionGroup(title: "Covers") var covers: CoverArguments

  @Option(
    help: "PNG, JPEG or WebP to draw over the blurred faces, as large as their covers.", completion: .file())
  var coverPicture: String?

  var marks: FaceStyle.Marks {
    var marks = covers.marks
    if coverPicture != nil, marks.isEmpty { marks = .blurred }
    let areCovered = !marks.isEmpty
    if boxes ?? !areCovered, !corners, !turned { marks.insert(.boxes) }
    if filled { marks.insert(.filled) }
    if turned { marks.insert(.turnedBoxes) }
    if axes { marks.insert(.axes) }
    if confidences { marks.insert(.confidences) }
    if corners { marks.insert(.corners) }
    if points ?? !areCovered { marks.insert(.points) }
    if ids { marks.insert(.ids) }
    if angles { marks.insert(.angles) }
    if let landmarks { marks.formUnion(landmarks.marks) }
    return marks
  }

  var outputs: FaceOutputs {
    var outputs: FaceOutputs = []
    if landmarks != nil { outputs.insert(.landmarks) }
    if !marks.isDisjoint(with: .ofPose) { outputs.insert(.pose) }
    return outputs
  }

  /// Numbers the faces of a photo, which have no ids.
  func numbered(_ faces: [Face]) -> [Face] {
    faces.enumerated().map { place, face in
      var numbered = face
      numbered.track = numbered.track ?? Track(id: UInt64(place + 1), frameCount: 1)
      return numbered
    }
  }

  /// The overlay's file, and the placement of --overlay and --overlay-eyes.
  var placedOverlay: (path: String, overlay: Overlay)? {
    overlay.map { argument in
      var overlay = Overlay()
      overlay.isMirrored = argument.isMirrored
      overlay.leftEye = overlayEyes.left
      overlay.rightEye = overlayEyes.right
      overlay.arms = overlayArms.share
      return (argument.path, overlay)
    }
  }
}

/// Kinds of marks for the dense points, separated by commas.
struct LandmarkMarks: ExpressibleByArgument {
  let marks: FaceStyle.Marks

  private static let kinds: [(name: String, marks: FaceStyle.Marks)] = [
    ("lines", .landmarkLines), ("points", .landmarkPoints), ("both", [.landmarkLines, .landmarkPoints]),
    ("mesh", .mesh), ("contours", .contours), ("irises", .irises),
  ]

  static var allValueStrings: [String] { kinds.map(\.name) }

  init?(argument: String) {
    var marks: FaceStyle.Marks = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = LandmarkMarks.kinds.first(where: { $0.name == name }) else { return nil }
      marks.formUnion(kind.marks)
    }
    self.marks = marks
  }
}

/// A share of the overlay's width, or "auto".
struct ArmsArgument: ExpressibleByArgument {
  /// The share, as in `Overlay.arms`.
  let share: Float

  static let auto = ArmsArgument(share: Overlay().arms)

  private init(share: Float) { self.share = share }

  init?(argument: String) {
    if argument == "auto" {
      self = .auto
    } else if let share = Float(argument), (0...0.45).contains(share) {
      self.share = share == 0 ? -1 : share
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "auto" }
}

/// A circle, and whether everything outside it is dimmed.
struct MaskArgument: ExpressibleByArgument {
  let circle: Circle
  let isHollow: Bool

  init?(argument: String) {
    isHollow = argument.hasSuffix(",hollow")
    guard let circle = CircleArgument(argument: String(argument.dropLast(isHollow ? 7 : 0))) else {
      return nil
    }
    self.circle = circle.circle
  }
}

/// A picture file, and whether it is mirrored.
struct OverlayArgument: ExpressibleByArgument {
  let path: String
  let isMirrored: Bool

  init?(argument: String) {
    isMirrored = argument.hasSuffix(",mirrored")
    path = String(argument.dropLast(isMirrored ? 9 : 0))
    if path.isEmpty { return nil }
  }
}

/// The positions of two eyes.
struct EyesArgument: ExpressibleByArgument {
  let left: Point
  let right: Point

  init(_ overlay: Overlay) {
    left = overlay.leftEye
    right = overlay.rightEye
  }

  init?(argument: String) {
    guard let numbers = Numbers.list(argument, count: 4) else { return nil }
    left = Point(x: numbers[0], y: numbers[1])
    right = Point(x: numbers[2], y: numbers[3])
  }

  var defaultValueDescription: String { "\(left.x),\(left.y),\(right.x),\(right.y)" }
}
