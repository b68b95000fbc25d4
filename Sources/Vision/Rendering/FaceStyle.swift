public import FaceCore

/// The style in which faces are marked. Lengths are pixels; those of box, points and circle are the older
/// SDK's defaults.
public struct FaceStyle: Equatable, Sendable {
  /// The marks that are drawn on each face.
  public struct Marks: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let boxes = Marks(rawValue: 1 << 0)
    public static let corners = Marks(rawValue: 1 << 1)
    public static let points = Marks(rawValue: 1 << 2)
    /// A tracked face's id, above its box.
    public static let ids = Marks(rawValue: 1 << 3)
    /// Yaw, pitch and roll in degrees, below its box.
    public static let angles = Marks(rawValue: 1 << 4)
    /// The outlines of eyes, eyebrows, nose, lips and face.
    public static let landmarkLines = Marks(rawValue: 1 << 5)
    public static let landmarkPoints = Marks(rawValue: 1 << 6)
    /// The box filled, under everything else.
    public static let filled = Marks(rawValue: 1 << 7)
    /// The box turned by the head's roll and foreshortened by its yaw.
    public static let turnedBoxes = Marks(rawValue: 1 << 8)
    /// The axes of the head: to the subject's left red, down green, out of the face blue.
    public static let axes = Marks(rawValue: 1 << 9)
    /// The confidence, beside the id.
    public static let confidences = Marks(rawValue: 1 << 10)
    /// The triangles between all dense points.
    public static let mesh = Marks(rawValue: 1 << 11)
    /// The oval, eyes, eyebrows and lips, with colours of their own for each side.
    public static let contours = Marks(rawValue: 1 << 12)
    public static let irises = Marks(rawValue: 1 << 13)
    /// The face blurred, under everything else.
    public static let blurred = Marks(rawValue: 1 << 14)
    /// The face in even cells, under everything else.
    public static let pixelated = Marks(rawValue: 1 << 15)
    public static let all = Marks(rawValue: (1 << 16) - 1)
    public static let covers: Marks = [.blurred, .pixelated]
    /// The marks that need the dense points.
    public static let ofLandmarks: Marks = [.landmarkLines, .landmarkPoints, .mesh, .contours, .irises]
    /// The marks that need the angles of the head.
    public static let ofPose: Marks = [.angles, .turnedBoxes, .axes]
  }

  public var marks: Marks = [.boxes, .points]
  public var boxWidth: Float = 4
  /// Diameter of each of the five points.
  public var pointSize: Float = 8
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
  /// The colour over everything outside the circle of a hollow mask.
  public var dimColour = Colour(red: 0, green: 0, blue: 0, alpha: 0.6)
  /// Whether edges are smooth.
  public var antialias = true
  /// A font family known to fontconfig. "@cairo:" is Cairo's built-in font, which needs no installed font and
  /// supports only ASCII.
  public var font = "sans-serif"
  /// Whether lengths follow the size of each face: they are defined for a box of 200 pixels.
  public var scalesToFaces = false
  public var coloursByID = false
  /// Whether the texts of a face are drawn on a plate, which avoids other plates, faces and the picture's
  /// border. If there is not enough room, the least confident faces have none.
  public var plates = false
  public var fillColour = Colour.green.withAlpha(0.35)
  public var meshWidth: Float = 1
  /// Width of the head's axes.
  public var axisWidth: Float = 3
  /// The colours of the mesh, which is greyer in MediaPipe, and of its parts, as in MediaPipe's
  /// demonstrations.
  public var meshColour = Colour(rgba: 0xE0E0_E0C0)
  public var contourColour = Colour(rgba: 0xE0E0_E0FF)
  public var leftColour = Colour(rgba: 0x30FF_30FF)
  public var rightColour = Colour(rgba: 0xFF30_30FF)
  /// How faces are covered, if `marks` says so.
  public var cover = FaceCover()

  public init() {}

  /// Returns this style with every length multiplied.
  public func scaled(by factor: Float) -> FaceStyle {
    var style = self
    style.boxWidth *= factor
    style.pointSize *= factor
    style.lineWidth *= factor
    style.landmarkSize *= factor
    style.circleWidth *= factor
    style.textSize *= factor
    style.meshWidth *= factor
    style.axisWidth *= factor
    return style
  }

  /// The side of a box, in pixels, for which lengths are defined when they follow the face.
  private static let standardSide: Float = 200

  /// Returns this style for one face: its lengths, if they follow the face, and the colours of its id.
  ///
  /// Lengths grow with the box, and with the square root of it beyond the standard side. Lines stay visible
  /// and texts legible.
  func fitted(to face: Face) -> FaceStyle {
    var style = self
    if coloursByID, let track = face.track {
      let colour = Colour(id: track.id)
      style.boxColour = colour
      style.fillColour = colour.withAlpha(fillColour.alpha)
    }
    guard scalesToFaces, let side = face.drawnSide else { return style }
    let ratio = side / FaceStyle.standardSide
    style = style.scaled(by: ratio < 1 ? ratio : ratio.squareRoot())
    func atLeast(_ least: Float, _ member: WritableKeyPath<FaceStyle, Float>) {
      style[keyPath: member] = max(style[keyPath: member], min(self[keyPath: member], least))
    }
    for line in [\FaceStyle.boxWidth, \.lineWidth, \.axisWidth] { atLeast(1, line) }
    atLeast(0.3, \.meshWidth)
    atLeast(1, \.landmarkSize)
    atLeast(2, \.pointSize)
    atLeast(11, \.textSize)
    return style
  }

  /// Returns the factor that scales lengths to a picture: they are defined for a long side of 1000 pixels.
  public static func factor(for size: PixelSize) -> Float { Float(size.longSide) / 1000 }

  /// Throws `invalidArgument` for a number out of range.
  public func validate() throws(Status) {
    let lengths = [boxWidth, pointSize, lineWidth, landmarkSize, circleWidth, textSize, meshWidth, axisWidth]
    guard lengths.allSatisfy({ (0...1000).contains($0) }) else {
      throw Status(.invalidArgument, "a width or size of the style is outside 0 to 1000 pixels")
    }
    try cover.validate()
  }
}

extension Face {
  /// The mean of the sides of the box or, without one, of the box around the dense points; `nil` if neither
  /// is known.
  fileprivate var drawnSide: Float? {
    if box.isValid { return box.meanSide }
    guard let points = landmarks?.points, let first = points.first else { return nil }
    var (low, high) = (first, first)
    for point in points {
      (low.x, low.y) = (min(low.x, point.x), min(low.y, point.y))
      (high.x, high.y) = (max(high.x, point.x), max(high.y, point.y))
    }
    let around = Box(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
    return around.isValid ? around.meanSide : nil
  }
}
