public import ArgumentParser
import FaceCore
public import Rendering

/// The style in which `face-engine draw` draws.
struct StyleArguments: ParsableArguments {
  @Option(help: "Width of a box's line.")
  var boxWidth = FaceStyle().boxWidth

  @Option(help: "Diameter of each of the five points.")
  var pointSize = FaceStyle().pointSize

  @Option(help: "Width of the landmarks' lines.")
  var lineWidth = FaceStyle().lineWidth

  @Option(help: "Diameter of each dense point.")
  var landmarkSize = FaceStyle().landmarkSize

  @Option(help: "Width of the mask's circle.")
  var circleWidth = FaceStyle().circleWidth

  @Option(help: "Height of text.")
  var textSize = FaceStyle().textSize

  @Option(
    help:
      "Multiply every length by this factor; auto scales lengths to the picture, relative to a long side of 1000."
  )
  var scale: ScaleArgument = ScaleArgument(factor: 1)

  @Option(help: "Colours are RRGGBB or RRGGBBAA.")
  var boxColour = FaceStyle().boxColour

  @Option var pointColour = FaceStyle().pointColour
  @Option var landmarkColour = FaceStyle().landmarkColour
  @Option var circleColour = FaceStyle().circleColour
  @Option var textColour = FaceStyle().textColour
  @Option var dimColour = FaceStyle().dimColour

  @Option(help: "Font family of the text, as known to fontconfig.")
  var font = FaceStyle().font

  @Flag(inversion: .prefixedNo, help: "Smooth edges.")
  var antialias = true

  func validate() throws {
    do {
      try style([], for: PixelSize(width: 1000, height: 1000)).validate()
    } catch {
      throw ValidationError("\(error.message).")
    }
  }

  /// - Parameter size: of the picture to be drawn on.
  func style(_ marks: FaceStyle.Marks, for size: PixelSize) -> FaceStyle {
    var style = FaceStyle()
    style.marks = marks
    style.boxWidth = boxWidth
    style.pointSize = pointSize
    style.lineWidth = lineWidth
    style.landmarkSize = landmarkSize
    style.circleWidth = circleWidth
    style.textSize = textSize
    style = style.scaled(by: scale.factor ?? FaceStyle.factor(for: size))
    style.boxColour = boxColour
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

/// A factor, or "auto".
struct ScaleArgument: ExpressibleByArgument {
  /// `nil` to scale to the picture.
  let factor: Float?

  init(factor: Float) { self.factor = factor }

  init?(argument: String) {
    if argument == "auto" {
      factor = nil
    } else if let number = Float(argument), number > 0, number <= 100 {
      factor = number
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { factor.map { "\($0)" } ?? "auto" }
}

extension Colour: ExpressibleByArgument {
  public init?(argument: String) {
    let digits = argument.utf8.count
    guard digits == 6 || digits == 8, let number = UInt32(argument, radix: 16) else { return nil }
    self.init(rgba: digits == 6 ? number << 8 | 0xFF : number)
  }

  public var defaultValueDescription: String {
    let digits = String(rgba, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
