/// What to draw of each face. What is not known of a face is left out.
public struct Marks: OptionSet, Sendable, Hashable {
  /// The box.
  public static let boxes = Marks(rawValue: 0x1)
  /// Only the corners of the box.
  public static let corners = Marks(rawValue: 0x2)
  /// The five points.
  public static let points = Marks(rawValue: 0x4)
  /// A followed face's id, above its box.
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

  static let landmarks: Marks = [.landmarkLines, .landmarkPoints, .mesh, .contours, .irises]

  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}
