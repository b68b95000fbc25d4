// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

package import CFaceEngine

/// What to measure of each face beyond its box, confidence and five points. Outputs that are not requested cost nothing.
public struct Outputs: OptionSet, Sendable, Hashable {
  /// The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour.
  public static let landmarks = Outputs(rawValue: 0x1)
  /// The rotation of the head in degrees.
  public static let pose = Outputs(rawValue: 0x2)
  /// How far each eye is open.
  public static let eyes = Outputs(rawValue: 0x4)
  /// The smile, and how far the mouth is open.
  public static let mouth = Outputs(rawValue: 0x8)
  /// 52 expression coefficients.
  public static let expressions = Outputs(rawValue: 0x10)
  /// Capture quality: how good a picture of the face this is, 0 to 1.
  public static let quality = Outputs(rawValue: 0x20)
  /// Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the head to the
  /// camera's space. Both spaces have x to the picture's right, y up and z towards the camera. The head's origin is
  /// between the outer corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its space and looks
  /// along -z at the middle of the picture, with a vertical field of view of 63 degrees. With another lens the distance
  /// differs in proportion.
  public static let transform = Outputs(rawValue: 0x40)
  /// The 19 measures of ISO/IEC 29794-5 that the engine's networks can compute. 2 × 19 numbers: the native value of
  /// each measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 if it could not be
  /// assessed.
  public static let isoQuality = Outputs(rawValue: 0x80)
  /// Expected error of each of the 478 points, in pixels. If something covers a point, its landmark is a guess, and the
  /// error is the distance from its true place under the cover. Expect larger numbers for such points, on a blurred or
  /// dark face, and for all points of a face whose landmarks contradict the detector's five points. (A contradiction is
  /// not noticed if the five points are missing: with a detector that finds none, for boxes of your own, and for faces
  /// that a session follows without searching.) The numbers are means over many faces, not bounds: a single point can
  /// be several times as far off. Costs two more runs of the landmark network.
  public static let precision = Outputs(rawValue: 0x100)
  /// Position of each eye, in centimetres, and the direction in which it looks. 12 numbers in the camera's space of
  /// transform: x, y and z of the left eye's centre, x, y and z of its direction (a vector of length 1), then the same
  /// for the right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers mean nothing while the
  /// eyes are closed.
  public static let gaze = Outputs(rawValue: 0x200)
  /// All of them.
  public static let all = Outputs(rawValue: 0x3ff)

  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}

/// The five points of a face; left is the subject's left.
public struct Points: Sendable, Hashable {
  /// The five points are the detector's, which hardly follow a tilted head. If landmarks or another output were
  /// requested and found, the five points are taken from the landmarks.
  public var leftEye: Point
  /// The right eye.
  public var rightEye: Point
  /// The nose tip.
  public var noseTip: Point
  /// The corner of the mouth.
  public var mouthLeft: Point
  /// The corner of the mouth.
  public var mouthRight: Point

  init(_ c: face_info) {
    leftEye = Point(c.left_eye)
    rightEye = Point(c.right_eye)
    noseTip = Point(c.nose_tip)
    mouthLeft = Point(c.mouth_left)
    mouthRight = Point(c.mouth_right)
  }

  func write(_ c: inout face_info) {
    c.left_eye = leftEye.c
    c.right_eye = rightEye.c
    c.nose_tip = noseTip.c
    c.mouth_left = mouthLeft.c
    c.mouth_right = mouthRight.c
  }

  mutating func convert(to space: Space, of size: Size) throws(FaceError) {
    leftEye = try leftEye.converted(to: space, of: size)
    rightEye = try rightEye.converted(to: space, of: size)
    noseTip = try noseTip.converted(to: space, of: size)
    mouthLeft = try mouthLeft.converted(to: space, of: size)
    mouthRight = try mouthRight.converted(to: space, of: size)
  }
}

/// The rotation of the head in degrees.
public struct HeadPose: Sendable, Hashable {
  /// Degrees: positive to the subject's left, the picture's right edge. docs/coordinates.md has pictures of the signs.
  public var yaw: Float
  /// Degrees: positive with the chin up.
  public var pitch: Float
  /// Degrees: positive clockwise as the picture shows it, to the subject's left shoulder: the angle of the line through
  /// the eyes.
  public var roll: Float

  init(_ c: face_info) {
    yaw = c.yaw
    pitch = c.pitch
    roll = c.roll
  }

  func write(_ c: inout face_info) {
    c.yaw = yaw
    c.pitch = pitch
    c.roll = roll
  }
}

/// How far each eye is open.
public struct Eyes: Sendable, Hashable {
  /// 0 closed, 1 wide open; below 0.5 an eye counts as closed. A session that tracks measures relative to the person's
  /// own open eyes, once it has seen them in a few frames.
  public var leftEyeOpen: Float
  /// The same for the right eye.
  public var rightEyeOpen: Float

  /// Whether the subject's left eye is closed.
  public var leftEyeClosed: Bool { leftEyeOpen < 0.5 }

  /// Whether the subject's right eye is closed.
  public var rightEyeClosed: Bool { rightEyeOpen < 0.5 }

  init(_ c: face_info) {
    leftEyeOpen = c.left_eye_open
    rightEyeOpen = c.right_eye_open
  }

  func write(_ c: inout face_info) {
    c.left_eye_open = leftEyeOpen
    c.right_eye_open = rightEyeOpen
  }
}

/// The smile, and how far the mouth is open.
public struct Mouth: Sendable, Hashable {
  /// 0 none, 1 full; from 0.5 a face counts as smiling.
  public var smile: Float
  /// 0 closed, 1 wide open.
  public var mouthOpen: Float

  /// Whether a face smiles.
  public var hasSmile: Bool { smile >= 0.5 }

  init(_ c: face_info) {
    smile = c.smile
    mouthOpen = c.mouth_open
  }

  func write(_ c: inout face_info) {
    c.smile = smile
    c.mouth_open = mouthOpen
  }
}

/// Capture quality: how good a picture of the face this is, 0 to 1.
public struct Quality: Sendable, Hashable {
  /// 0 to 1, like its five parts below: how good a picture of the face this is.
  public var quality: Float
  /// How much detail the face has.
  public var sharpness: Float
  /// Neither too dark nor too bright.
  public var exposure: Float
  /// Enough pixels.
  public var size: Float
  /// Looking straight into the camera.
  public var frontality: Float
  /// Not cut off by the edge of the picture.
  public var framing: Float

  init(_ c: face_info) {
    quality = c.quality
    sharpness = c.sharpness
    exposure = c.exposure
    size = c.size
    frontality = c.frontality
    framing = c.framing
  }

  func write(_ c: inout face_info) {
    c.quality = quality
    c.sharpness = sharpness
    c.exposure = exposure
    c.size = size
    c.frontality = frontality
    c.framing = framing
  }
}

/// One face. Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and right are
/// the subject's own.
public struct Face: Sendable, Hashable {
  /// May extend beyond the image.
  public var box: Box
  /// The part of box inside the image.
  public var clampedBox: Box
  /// 0 to 1, from the detector. In a session that requests outputs, the landmark network follows the face between
  /// searches of whole frames; in these frames, confidence is the landmark network's probability of a face.
  public var confidence: Float
  /// True: this frame of a session with an `analysisRate` was not searched. Box and points continue the face's last
  /// movement, confidence is that of the last search, and nothing else is known.
  public var predicted: Bool
  /// Set by a session as soon as `minHits` allows: from 1, unique in the session, never used for another face. A face
  /// that left and returns gets a new id, unless `SessionOptions.reidentify` recognises it. The id follows place, size
  /// and appearance, not identity: if another person takes the place of the face, the id usually changes, but not
  /// always (docs/tracking.md). To know who a person is, compare pictures with a recognition network. Nil where there
  /// is none.
  public var id: UInt64?
  /// Frames in which this face was found under its id, this one included.
  public var frameCount: Int
  /// The five points; nil from a detector that finds none.
  public var points: Points?
  /// The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour. Nil unless requested and known.
  public var landmarks: Landmarks?
  /// The rotation of the head in degrees. Nil unless requested and known.
  public var pose: HeadPose?
  /// How far each eye is open. Nil unless requested and known.
  public var eyes: Eyes?
  /// The smile, and how far the mouth is open. Nil unless requested and known.
  public var mouth: Mouth?
  /// 52 expression coefficients. Nil unless requested and known.
  public var expressions: Expressions?
  /// Capture quality: how good a picture of the face this is, 0 to 1. Nil unless requested and known.
  public var quality: Quality?
  /// Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the head to the
  /// camera's space. Both spaces have x to the picture's right, y up and z towards the camera. The head's origin is
  /// between the outer corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its space and looks
  /// along -z at the middle of the picture, with a vertical field of view of 63 degrees. With another lens the distance
  /// differs in proportion. Nil unless requested and known.
  public var transform: [Float]?
  /// The 19 measures of ISO/IEC 29794-5 that the engine's networks can compute. 2 × 19 numbers: the native value of
  /// each measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 if it could not be
  /// assessed. Nil unless requested and known.
  public var isoQuality: ISOQuality?
  /// Expected error of each of the 478 points, in pixels. If something covers a point, its landmark is a guess, and the
  /// error is the distance from its true place under the cover. Expect larger numbers for such points, on a blurred or
  /// dark face, and for all points of a face whose landmarks contradict the detector's five points. (A contradiction is
  /// not noticed if the five points are missing: with a detector that finds none, for boxes of your own, and for faces
  /// that a session follows without searching.) The numbers are means over many faces, not bounds: a single point can
  /// be several times as far off. Costs two more runs of the landmark network. Nil unless requested and known.
  public var precision: [Float]?
  /// Position of each eye, in centimetres, and the direction in which it looks. 12 numbers in the camera's space of
  /// transform: x, y and z of the left eye's centre, x, y and z of its direction (a vector of length 1), then the same
  /// for the right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers mean nothing while the
  /// eyes are closed. Nil unless requested and known.
  public var gaze: [Float]?

  init(_ c: face_info, _ read: FaceReader) {
    box = Box(c.box)
    clampedBox = Box(c.clamped_box)
    confidence = c.confidence
    predicted = c.predicted != 0
    id = c.valid & UInt32(FACE_VALID_ID) != 0 ? c.id : nil
    frameCount = Int(c.frame_count)
    landmarks = read.landmarks()
    expressions = read.values(.expressions).map { Expressions(values: $0) }
    transform = read.values(.transform)
    isoQuality = read.values(.isoQuality).map { ISOQuality(values: $0) }
    precision = read.values(.precision)
    gaze = read.values(.gaze)
    points = c.valid & UInt32(FACE_VALID_POINTS) != 0 ? Points(c) : nil
    pose = c.valid & UInt32(FACE_VALID_POSE) != 0 ? HeadPose(c) : nil
    eyes = c.valid & UInt32(FACE_VALID_EYES) != 0 ? Eyes(c) : nil
    mouth = c.valid & UInt32(FACE_VALID_MOUTH) != 0 ? Mouth(c) : nil
    quality = c.valid & UInt32(FACE_VALID_QUALITY) != 0 ? Quality(c) : nil
  }

  /// Without what is measured in arrays.
  package var c: face_info {
    var c = face_info()
    face_info_init(&c)
    c.box = box.c
    c.clamped_box = clampedBox.c
    c.confidence = confidence
    c.predicted = predicted ? 1 : 0
    if let id {
      c.id = id
      c.frame_count = UInt32(clamping: frameCount)
      c.valid |= UInt32(FACE_VALID_ID)
    }
    if let points {
      points.write(&c)
      c.valid |= UInt32(FACE_VALID_POINTS)
    }
    if let pose {
      pose.write(&c)
      c.valid |= UInt32(FACE_VALID_POSE)
    }
    if let eyes {
      eyes.write(&c)
      c.valid |= UInt32(FACE_VALID_EYES)
    }
    if let mouth {
      mouth.write(&c)
      c.valid |= UInt32(FACE_VALID_MOUTH)
    }
    if let quality {
      quality.write(&c)
      c.valid |= UInt32(FACE_VALID_QUALITY)
    }
    return c
  }
}
