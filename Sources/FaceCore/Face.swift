/// The five points every detector of this engine gives, in pixels of the upright image.
///
/// Left and right are the subject's own: in an unmirrored picture `leftEye` is towards the right edge.
public struct FivePoints: Equatable, Sendable, BitwiseCopyable {
  public var leftEye: Point
  public var rightEye: Point
  public var noseTip: Point
  public var mouthLeft: Point
  public var mouthRight: Point

  public init(leftEye: Point, rightEye: Point, noseTip: Point, mouthLeft: Point, mouthRight: Point) {
    self.leftEye = leftEye
    self.rightEye = rightEye
    self.noseTip = noseTip
    self.mouthLeft = mouthLeft
    self.mouthRight = mouthRight
  }

  /// The same face with every point moved by `transform`.
  public func map(_ transform: (Point) -> Point) -> FivePoints {
    FivePoints(
      leftEye: transform(leftEye), rightEye: transform(rightEye), noseTip: transform(noseTip),
      mouthLeft: transform(mouthLeft), mouthRight: transform(mouthRight))
  }
}

/// One detected face.
public struct Face: Equatable, Sendable, BitwiseCopyable {
  /// In pixels of the upright image; may leave it.
  public var box: Box
  /// 0…1, as the network gives it.
  public var confidence: Float
  /// `nil` when the model has no points.
  public var points: FivePoints?

  public init(box: Box, confidence: Float, points: FivePoints?) {
    self.box = box
    self.confidence = confidence
    self.points = points
  }
}

/// The faces of one image, the most confident first.
public struct DetectionResult: Equatable, Sendable {
  /// Size of the upright image, in whose pixels the faces are given.
  public var imageSize: PixelSize
  public var faces: [Face]

  public init(imageSize: PixelSize, faces: [Face]) {
    self.imageSize = imageSize
    self.faces = faces
  }
}
