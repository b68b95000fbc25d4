public import ArgumentParser
import CallerOptions
import FaceCore
public import Rendering

/// The drawing style of `face-engine draw`.
struct StyleArguments: ParsableArguments {
  @Option(help: "Width of a box's line.")
  var boxWidth = FaceStyle().boxWidth

  @Option(help: "Diameter of each of the five points.")
  var pointSize = FaceStyle().pointSize

  @Option(help: "Width of the landmarks' lines.")
  var lineWidth = FaceStyle().lineWidth

  @Option(help: "Diameter of each landmark drawn as a point.")
  var landmarkSize = FaceStyle().landmarkSize

  @Option(help: "Width of the mesh's lines.")
  var meshWidth = FaceStyle().meshWidth

  @Option(help: "Width of the head's axes.")
  var axisWidth = FaceStyle().axisWidth

  @Option(help: "Width of the mask's circle.")
  var circleWidth = FaceStyle().circleWidth

  @Option(help: "Height of text.")
  var textSize = FaceStyle().textSize

  @Option(
    help:
      """
      Scale lengths. faces: by each face's size, relative to a box of 200 pixels. auto: by the picture's size, relative to a \
      long side of 1000 pixels. Or a factor.
      """
  )
  var scale: ScaleArgument = .faces

  @Flag(
    inversion: .prefixedNo,
    help:
      "Write texts on plates that avoid faces, edges and each other. A text without room is left out."
  )
  var plates = true

  @Flag(inversion: .prefixedNo, help: "With --ids, draw each face in the colour of its id.")
  var idColours = true

  @Option(
    name: .colour("box"),
    help: "Colour of boxes. Give each colour as a name, such as orange, or as RRGGBB or RRGGBBAA.")
  var boxColour = FaceStyle().boxColour

  @Option(name: .colour("fill")) var fillColour = FaceStyle().fillColour
  @Option(name: .colour("point")) var pointColour = FaceStyle().pointColour
  @Option(name: .colour("landmark")) var landmarkColour = FaceStyle().landmarkColour
  @Option(name: .colour("circle")) var circleColour = FaceStyle().circleColour
  @Option(name: .colour("text")) var textColour = FaceStyle().textColour
  @Option(name: .colour("dim")) var dimColour = FaceStyle().dimColour
  @Option(name: .colour("mesh")) var meshColour = FaceStyle().meshColour
  @Option(name: .colour("contour")) var contourColour = FaceStyle().contourColour
  @Option(name: .colour("left"), help: "Colour of the subject's left eye, eyebrow and iris.") var leftColour =
    FaceStyle().leftColour
  @Option(name: .colour("right")) var rightColour = FaceStyle().rightColour

  @Option(help: "Font family of the text, as known to fontconfig.")
  var font = FaceStyle().font

  @Flag(inversion: .prefixedNo, help: "Smooth edges.")
  var antialias = true

  func validate() throws {
    try ValidationError.reporting { try style([], for: PixelSize(width: 1000, height: 1000)).validate() }
  }

  func style(_ marks: FaceStyle.Marks, for size: PixelSize) -> FaceStyle {
    var style = FaceStyle()
    style.marks = marks
    style.boxWidth = boxWidth
    style.pointSize = pointSize
    style.lineWidth = lineWidth
    style.landmarkSize = landmarkSize
    style.circleWidth = circleWidth
    style.textSize = textSize
    style.meshWidth = meshWidth
    style.axisWidth = axisWidth
    switch scale {
    case .faces: style.scalesToFaces = true
    case .picture: style = style.scaled(by: FaceStyle.factor(for: size))
    case .factor(let factor): style = style.scaled(by: factor)
    }
    style.plates = plates
    style.coloursByID = idColours && marks.contains(.ids)
    style.boxColour = boxColour
    style.fillColour = fillColour
    style.meshColour = meshColour
    style.contourColour = contourColour
    style.leftColour = leftColour
    style.rightColour = rightColour
    style.pointColour = pointColour
    style.landmarkColour = landmarkColour
    style.circleColour = circleColour
    style.textColour = textColour
    style.dimColour = dimColour
    style.font = font
    style.antialias = antialias
    return style
  }
}

/// The reference by which lengths are scaled.
enum ScaleArgument: ExpressibleByArgument {
  /// Each face's size.
  case faces
  /// The picture's size.
  case picture
  case factor(Float)

  init?(argument: String) {
    if argument == "faces" {
      self = .faces
    } else if argument == "auto" {
      self = .picture
    } else if let number = Float(argument), number > 0, number <= 100 {
      self = .factor(number)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .faces: "faces"
    case .picture: "auto"
    case .factor(let factor): "\(factor)"
    }
  }
}

extension Colour: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(text: argument)
  }

  public var defaultValueDescription: String {
    let digits = String(rgba, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension NameSpecification {
  /// A colour's flag in both spellings, as in --box-colour and --box-color.
  static func colour(_ part: String) -> NameSpecification {
    [.customLong("\(part)-colour"), .customLong("\(part)-color")]
  }
}
