import ArgumentParser
import FaceCore
import Rendering

/// The marks that `face-engine draw` draws.
struct MarkArguments: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: "Draw each face's box.")
  var boxes = true

  @Flag(help: "Draw only the corners of each box.")
  var corners = false

  @Flag(inversion: .prefixedNo, help: "Draw the five points.")
  var points = true

  @Option(help: "Draw the dense points of each face as lines, points or both.")
  var landmarks: LandmarkMarks?

  @Flag(help: "Number the faces by confidence, starting at 1.")
  var ids = false

  @Flag(help: "Write the rotation of the head in degrees.")
  var angles = false

  @Option(
    help: ArgumentHelp(
      "Draw the circle that a face should fill; hollow dims everything outside it.",
      valueName: "x,y,radius[,hollow]"))
  var mask: MaskArgument?

  @Option(
    help: ArgumentHelp(
      "Draw a PNG or WebP with transparency, such as glasses, on each face, mirrored if asked for.",
      valueName: "file[,mirrored]"))
  var overlay: OverlayArgument?

  @Option(
    help: ArgumentHelp(
      "Positions of the subject's left and right eye in the overlay, 0 to 1.", valueName: "x,y,x,y"))
  var overlayEyes: EyesArgument = EyesArgument(Overlay())

  var marks: FaceStyle.Marks {
    var marks: FaceStyle.Marks = []
    if boxes, !corners { marks.insert(.boxes) }
    if corners { marks.insert(.corners) }
    if points { marks.insert(.points) }
    if ids { marks.insert(.ids) }
    if angles { marks.insert(.angles) }
    if let landmarks { marks.formUnion(landmarks.marks) }
    return marks
  }

  var outputs: FaceOutputs {
    var outputs: FaceOutputs = []
    if landmarks != nil { outputs.insert(.landmarks) }
    if angles { outputs.insert(.pose) }
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
      return (argument.path, overlay)
    }
  }
}

enum LandmarkMarks: String, ExpressibleByArgument, CaseIterable {
  case lines
  case points
  case both

  var marks: FaceStyle.Marks {
    switch self {
    case .lines: .landmarkLines
    case .points: .landmarkPoints
    case .both: [.landmarkLines, .landmarkPoints]
    }
  }
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
