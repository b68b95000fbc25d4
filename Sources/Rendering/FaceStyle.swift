public import FaceCore

/// The style in which faces are marked. Lengths are pixels; those of box, points and circle are the older SDK's defaults.
public struct FaceStyle: Equatable, Sendable {
  /// The marks that are drawn on each face.
  public struct Marks: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let boxes = Marks(rawValue: 1 << 0)
    /// The corners of the box only.
    public static let corners = Marks(rawValue: 1 << 1)
    /// The five points.
    public static let points = Marks(rawValue: 1 << 2)
    /// A tracked face's id, above its box.
    public static let ids = Marks(rawValue: 1 << 3)
    /// Yaw, pitch and roll in degrees, below its box.
    public static let angles = Marks(rawValue: 1 << 4)
    /// The outlines of eyes, eyebrows, nose, lips and face.
    public static let landmarkLines = Marks(rawValue: 1 << 5)
    /// All dense points.
    public static let landmarkPoints = Marks(rawValue: 1 << 6)
    public static let all = Marks(rawValue: (1 << 7) - 1)
  }

  public var marks: Marks = [.boxes, .points]
  public var boxWidth: Float = 4
  /// Diameter of each of the five points.
  public var pointSize: Float = 8
  /// Width of landmark outlines.
  public var lineWidth: Float = 2
  /// Diameter of each dense point.
  public var landmarkSize: Float = 3
  /// Width of the mask's circle.
  public var circleWidth: Float = 4
  /// Height of a line of text.
  public var textSize: Float = 20
  public var boxColour = Colour.green
  public var pointColour = Colour.yellow
  public var landmarkColour = Colour.cyan
  public var circleColour = Colour.white
  public var textColour = Colour.white
  /// Dims everything outside the circle of a hollow mask.
  public var dimColour = Colour(red: 0, green: 0, blue: 0, alpha: 0.6)
  /// Whether edges are smooth.
  public var antialias = true
  /// A font family known to fontconfig. "@cairo:" is Cairo's built-in font, which needs no installed font and has ASCII
  /// only.
  public var font = "sans-serif"

  public init() {}

  /// This style with every length multiplied.
  public func scaled(by factor: Float) -> FaceStyle {
    var style = self
    style.boxWidth *= factor
    style.pointSize *= factor
    style.lineWidth *= factor
    style.landmarkSize *= factor
    style.circleWidth *= factor
    style.textSize *= factor
    return style
  }

  /// The factor that scales lengths to a picture: they are made for a long side of 1000 pixels.
  public static func factor(for size: PixelSize) -> Float { Float(size.longSide) / 1000 }

  /// Throws `invalidArgument` for a length out of range.
  public func validate() throws(Status) {
    let lengths = [boxWidth, pointSize, lineWidth, landmarkSize, circleWidth, textSize]
    guard lengths.allSatisfy({ (0...1000).contains($0) }) else {
      throw Status(.invalidArgument, "a width or size of the style is outside 0 to 1000 pixels")
    }
  }
}

/// A colour. Each part is 0…1, not multiplied by alpha.
public struct Colour: Equatable, Sendable {
  public var red: Float
  public var green: Float
  public var blue: Float
  public var alpha: Float

  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Converts from 0xRRGGBBAA.
  public init(rgba: UInt32) {
    func part(_ shift: UInt32) -> Float { Float(rgba >> shift & 255) / 255 }
    self.init(red: part(24), green: part(16), blue: part(8), alpha: part(0))
  }

  /// The colour as 0xRRGGBBAA, each part rounded to 1/255.
  public var rgba: UInt32 {
    func part(_ value: Float, _ shift: UInt32) -> UInt32 {
      UInt32((max(0, min(1, value)) * 255).rounded()) << shift
    }
    return part(red, 24) | part(green, 16) | part(blue, 8) | part(alpha, 0)
  }

  public static let green = Colour(red: 0.20, green: 0.90, blue: 0.35)
  public static let yellow = Colour(red: 1.00, green: 0.85, blue: 0.20)
  public static let cyan = Colour(red: 0.30, green: 0.85, blue: 1.00)
  public static let white = Colour(red: 1, green: 1, blue: 1)
  public static let black = Colour(red: 0, green: 0, blue: 0)
}
