// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

internal import CFaceEngineDraw
public import FaceEngine

/// How marks are drawn.
public struct DrawStyle: Sendable, Hashable {
  /// Default boxes and points.
  public var marks: Marks
  /// Default 4.
  public var boxWidth: Float
  /// Default 8: diameter of each of the five points.
  public var pointSize: Float
  /// Default 2: width of landmark outlines.
  public var lineWidth: Float
  /// Default 3: diameter of each landmark.
  public var landmarkSize: Float
  /// Default 4: width of the mask's circle.
  public var circleWidth: Float
  /// Default 20.
  public var textSize: Float
  /// Default 1: every length is multiplied by this number; 0: by a factor that suits the picture, as if its long side
  /// were 1000 pixels.
  public var scale: Float
  /// Default green.
  public var boxColour: DrawColour?
  /// Default yellow.
  public var pointColour: DrawColour?
  /// Default light blue.
  public var landmarkColour: DrawColour?
  /// Default white.
  public var circleColour: DrawColour?
  /// Default white, with a dark rim.
  public var textColour: DrawColour?
  /// Default black, opacity 0.6: drawn around the circle of a hollow mask.
  public var dimColour: DrawColour?
  /// Default true: smooth edges; false: none.
  public var antialias: Bool
  /// Default nil: sans-serif; otherwise a family that fontconfig knows, UTF-8, or "@cairo:", which needs no installed
  /// font and has ASCII only.
  public var font: String?
  /// Default false; true: lengths follow the size of each face. A box of 200 pixels gets the lengths above; lines stay
  /// visible and texts legible. If scale is false, it counts as true.
  public var scaleToFaces: Bool
  /// Default false; true: boxes, fills and plates of a face with an id have the colour of `Colour.init(ofID:)`.
  public var coloursById: Bool
  /// Default false: texts above and below the box; true: texts on a plate in the box's colour, which avoids other
  /// plates, other faces and the picture's border. If there is no room, the least confident faces get no plate; at most
  /// 1000 faces have one.
  public var plates: Bool
  /// Default green, opacity 0.35: colour of `filled`.
  public var fillColour: DrawColour?
  /// Default 1: width of the mesh's lines.
  public var meshWidth: Float
  /// Default 3: width of the head's axes.
  public var axisWidth: Float
  /// Default 0xe0e0e0c0.
  public var meshColour: DrawColour?
  /// Default 0xe0e0e0ff: oval and lips. This colour and the two below are MediaPipe's.
  public var contourColour: DrawColour?
  /// Default 0x30ff30ff: the subject's left eye, eyebrow and iris.
  public var leftColour: DrawColour?
  /// Default 0xff3030ff: the subject's right eye, eyebrow and iris.
  public var rightColour: DrawColour?
  /// 1 to 16, default 6: cells of a cover along the longer side of the face's box.
  public var coverCells: Int
  /// 0 to 2, default 0.3: space on each side of the box that a cover hides too, in units of the box. The default hides
  /// hair, ears and chin.
  public var coverMargin: Float
  /// Default `CoverShape.ellipse`, which fades out around its rim.
  public var coverShape: CoverShape
  /// Default transparent: laid over a cover; an opaque one leaves nothing of the face.
  public var coverColour: DrawColour?

  /// Options that are not given have the defaults.
  public init(
    marks: Marks = [.boxes, .points], boxWidth: Float = 4, pointSize: Float = 8, lineWidth: Float = 2,
    landmarkSize: Float = 3, circleWidth: Float = 4, textSize: Float = 20, scale: Float = 1,
    boxColour: DrawColour? = nil, pointColour: DrawColour? = nil, landmarkColour: DrawColour? = nil,
    circleColour: DrawColour? = nil, textColour: DrawColour? = nil, dimColour: DrawColour? = nil,
    antialias: Bool = true, font: String? = nil, scaleToFaces: Bool = false, coloursById: Bool = false,
    plates: Bool = false, fillColour: DrawColour? = nil, meshWidth: Float = 1, axisWidth: Float = 3,
    meshColour: DrawColour? = nil, contourColour: DrawColour? = nil, leftColour: DrawColour? = nil,
    rightColour: DrawColour? = nil, coverCells: Int = 6, coverMargin: Float = 0.3, coverShape: CoverShape = .ellipse,
    coverColour: DrawColour? = nil
  ) {
    self.marks = marks
    self.boxWidth = boxWidth
    self.pointSize = pointSize
    self.lineWidth = lineWidth
    self.landmarkSize = landmarkSize
    self.circleWidth = circleWidth
    self.textSize = textSize
    self.scale = scale
    self.boxColour = boxColour
    self.pointColour = pointColour
    self.landmarkColour = landmarkColour
    self.circleColour = circleColour
    self.textColour = textColour
    self.dimColour = dimColour
    self.antialias = antialias
    self.font = font
    self.scaleToFaces = scaleToFaces
    self.coloursById = coloursById
    self.plates = plates
    self.fillColour = fillColour
    self.meshWidth = meshWidth
    self.axisWidth = axisWidth
    self.meshColour = meshColour
    self.contourColour = contourColour
    self.leftColour = leftColour
    self.rightColour = rightColour
    self.coverCells = coverCells
    self.coverMargin = coverMargin
    self.coverShape = coverShape
    self.coverColour = coverColour
  }

  func withC<Result>(
    _ body: (inout face_draw_style) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_draw_style()
    face_draw_style_init(&c)
    c.marks = marks.rawValue
    c.box_width = boxWidth
    c.point_size = pointSize
    c.line_width = lineWidth
    c.landmark_size = landmarkSize
    c.circle_width = circleWidth
    c.text_size = textSize
    c.scale = scale
    if let boxColour { c.box_colour = boxColour.rawValue }
    if let pointColour { c.point_colour = pointColour.rawValue }
    if let landmarkColour { c.landmark_colour = landmarkColour.rawValue }
    if let circleColour { c.circle_colour = circleColour.rawValue }
    if let textColour { c.text_colour = textColour.rawValue }
    if let dimColour { c.dim_colour = dimColour.rawValue }
    c.antialias = antialias ? 1 : 0
    c.scale_to_faces = scaleToFaces ? 1 : 0
    c.colours_by_id = coloursById ? 1 : 0
    c.plates = plates ? 1 : 0
    if let fillColour { c.fill_colour = fillColour.rawValue }
    c.mesh_width = meshWidth
    c.axis_width = axisWidth
    if let meshColour { c.mesh_colour = meshColour.rawValue }
    if let contourColour { c.contour_colour = contourColour.rawValue }
    if let leftColour { c.left_colour = leftColour.rawValue }
    if let rightColour { c.right_colour = rightColour.rawValue }
    c.cover_cells = try number(coverCells, "coverCells")
    c.cover_margin = coverMargin
    c.cover_shape = coverShape.rawValue
    if let coverColour { c.cover_colour = coverColour.rawValue }
    return try withCString(font) { (text) throws(FaceError) -> Result in
      c.font = text
      return try body(&c)
    }
  }
}

/// Where the eyes are in an overlay.
public struct OverlayOptions: Sendable, Hashable {
  /// Default false; true: draw the overlay mirrored, for a picture that is a mirror image. `leftEye` and `rightEye`
  /// still describe the overlay as it is stored.
  public var mirrored: Bool
  /// The subject's left eye, 0 to 1 over the overlay from its top-left corner; default 0.75, 0.5.
  public var leftEye: Point
  /// Default 0.25, 0.5.
  public var rightEye: Point
  /// How much of the overlay at each side reaches back to the ears, like the arms of glasses; arms are visible only
  /// from their side. default 0: the overlay's thin ends, if it has any; above 0, up to 0.45: this fraction of its
  /// width; below 0: no arms.
  public var arms: Float

  /// Options that are not given have the defaults.
  public init(
    mirrored: Bool = false, leftEye: Point = Point(x: 0.75, y: 0.5), rightEye: Point = Point(x: 0.25, y: 0.5),
    arms: Float = 0
  ) {
    self.mirrored = mirrored
    self.leftEye = leftEye
    self.rightEye = rightEye
    self.arms = arms
  }

  func withC<Result>(
    _ body: (inout face_draw_overlay_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_draw_overlay_options()
    face_draw_overlay_options_init(&c)
    c.mirrored = mirrored ? 1 : 0
    c.left_eye = leftEye.c
    c.right_eye = rightEye.c
    c.arms = arms
    return try body(&c)
  }
}

/// What a crop shows.
public struct CropOptions: Sendable, Hashable {
  /// Default `CropChoice.onlyFace`.
  public var choice: CropChoice
  /// 16 to 8192, default 300: pixels of the crop.
  public var width: Int
  /// 16 to 8192, default 300: pixels of the crop.
  public var height: Int
  /// Default `fill`; otherwise 0 to 10: space on each side of the face's box, in units of its longer side.
  public var margin: Float
  /// -10 to 10, default 0: how far the crop's centre lies above the face's, in heights of its box.
  public var headroom: Float
  /// Default `CropOverflow.fail`: what happens if the face with its margin does not fit into the picture.
  public var overflow: CropOverflow

  /// Options that are not given have the defaults.
  public init(
    choice: CropChoice = .onlyFace, width: Int = 300, height: Int = 300, margin: Float = -1, headroom: Float = 0,
    overflow: CropOverflow = .fail
  ) {
    self.choice = choice
    self.width = width
    self.height = height
    self.margin = margin
    self.headroom = headroom
    self.overflow = overflow
  }

  func withC<Result>(
    _ body: (inout face_crop_options) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_crop_options()
    face_crop_options_init(&c)
    c.choice = choice.rawValue
    c.width = try number(width, "width")
    c.height = try number(height, "height")
    c.margin = margin
    c.headroom = headroom
    c.overflow = overflow.rawValue
    return try body(&c)
  }
}

/// What to draw of each face. What is not known of a face is left out.
public struct Marks: OptionSet, Sendable, Hashable {
  /// The box.
  public static let boxes = Marks(rawValue: 0x1)
  /// Only the corners of the box.
  public static let corners = Marks(rawValue: 0x2)
  /// The five points.
  public static let points = Marks(rawValue: 0x4)
  /// A tracked face's id, above its box.
  public static let ids = Marks(rawValue: 0x8)
  /// Yaw, pitch and roll in degrees, below its box.
  public static let angles = Marks(rawValue: 0x10)
  /// Outlines of eyes, eyebrows, nose, lips and face.
  public static let landmarkLines = Marks(rawValue: 0x20)
  /// All landmarks.
  public static let landmarkPoints = Marks(rawValue: 0x40)
  /// The box filled, under everything else.
  public static let filled = Marks(rawValue: 0x80)
  /// The box turned by the head's roll and foreshortened by its yaw; upright without a pose.
  public static let turnedBoxes = Marks(rawValue: 0x100)
  /// The head's axes: to the subject's left red, down green, out of the face blue.
  public static let axes = Marks(rawValue: 0x200)
  /// The confidence in percent, beside the id.
  public static let confidences = Marks(rawValue: 0x400)
  /// The triangles of the face mesh.
  public static let mesh = Marks(rawValue: 0x800)
  /// Oval, eyes, eyebrows and lips in colours of their own.
  public static let contours = Marks(rawValue: 0x1000)
  /// The rims of the irises.
  public static let irises = Marks(rawValue: 0x2000)
  /// The five marks above that `Picture.draw(_:)` draws.
  public static let allLandmarks = Marks(rawValue: 0x3860)
  /// The face blurred, under everything else: a cover.
  public static let blur = Marks(rawValue: 0x4000)
  /// The face in even cells, under everything else, instead of blurred: a cover.
  public static let pixelate = Marks(rawValue: 0x8000)
  /// The two marks above that cover a face. What a cover shows depends only on the means of its cells, at least 4
  /// pixels large: nothing finer can be restored.
  public static let covers = Marks(rawValue: 0xc000)

  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}
