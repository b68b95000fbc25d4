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
