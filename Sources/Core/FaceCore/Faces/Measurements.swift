/// The rotation of the head in degrees; (0, 0, 0) looks straight into the camera.
///
/// Positive yaw turns the head to the subject's left (towards the picture's right edge), positive pitch
/// raises the chin, positive roll tilts the head clockwise as the picture shows it (towards the subject's
/// left shoulder), by the angle of the line through the eyes.
public struct Pose: Measurement, BitwiseCopyable {
  public var yaw: Float
  public var pitch: Float
  public var roll: Float

  public init(yaw: Float, pitch: Float, roll: Float) {
    self.yaw = yaw
    self.pitch = pitch
    self.roll = roll
  }
}

/// The openness of the eyes: 0 closed, 1 wide open; while a face is tracked, relative to the person's own
/// open eyes, once those are known.
public struct Eyes: Measurement, BitwiseCopyable {
  /// Below this openness an eye counts as closed.
  public static let closedBelow: Float = 0.5

  public var leftOpen: Float
  public var rightOpen: Float

  public init(leftOpen: Float, rightOpen: Float) {
    self.leftOpen = leftOpen
    self.rightOpen = rightOpen
  }

  /// The mean of both eyes, which is more exact than either.
  public var meanOpen: Float { (leftOpen + rightOpen) / 2 }
}

/// The state of the mouth.
public struct Mouth: Measurement, BitwiseCopyable {
  /// 0 no smile, 1 a full one.
  public var smile: Float
  /// 0 closed, 1 wide open.
  public var open: Float

  public init(smile: Float, open: Float) {
    self.smile = smile
    self.open = open
  }
}

/// The quality of a picture of the face, 0…1 each; comparable between pictures of the same person.
public struct CaptureQuality: Measurement, BitwiseCopyable {
  /// All components together.
  public var overall: Float
  public var sharpness: Float
  public var exposure: Float
  /// Whether the face has enough pixels.
  public var size: Float
  /// Whether the face looks straight into the camera.
  public var pose: Float
  /// Whether the face is not cut off by the edge of the picture.
  public var framing: Float

  public init(
    overall: Float, sharpness: Float, exposure: Float, size: Float, pose: Float, framing: Float
  ) {
    self.overall = overall
    self.sharpness = sharpness
    self.exposure = exposure
    self.size = size
    self.pose = pose
    self.framing = framing
  }
}

/// The position of the head: a 4 × 4 matrix that maps points of the head to the camera's space, both in
/// centimetres and with x to the picture's right, y up and z towards the camera. Its values are in row order.
///
/// The head's origin is between the outer corners of the eyes, with z out of the face. The camera is at the
/// origin and looks along −z at the middle of the picture, with a vertical field of view of 63°, as MediaPipe
/// assumes for any picture: with another lens the distance changes in proportion. Sizes are those of a head
/// whose outer corners of the eyes are 8.9 cm apart.
public struct HeadTransform: Measurement, BitwiseCopyable {
  /// The rows that give x, y and z.
  public var x: SIMD4<Float>
  public var y: SIMD4<Float>
  public var z: SIMD4<Float>
  public private(set) var w = SIMD4<Float>(0, 0, 0, 1)

  public init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>) {
    (self.x, self.y, self.z) = (x, y, z)
  }
}
