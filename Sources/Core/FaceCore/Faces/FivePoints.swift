/// The five points of a face, in pixels of the upright image: those of the mesh where it is known, else the
/// detector's. A detector's points hardly follow a tilted head.
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

  /// The five points of a mesh: the midpoint between each eye's corners, which moves neither with the gaze
  /// nor with the lids, the tip of the nose and the corners of the mouth. `nil` when there are not
  /// `Landmarks.count` points.
  public init?(_ landmarks: Landmarks) {
    guard landmarks.points.count == Landmarks.count else { return nil }
    func middle(_ first: Int, _ second: Int) -> Point {
      let (a, b) = (landmarks.points[first], landmarks.points[second])
      return Point(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2)
    }
    self.init(
      leftEye: middle(Landmarks.leftEyeOuterCorner, Landmarks.leftEyeInnerCorner),
      rightEye: middle(Landmarks.rightEyeOuterCorner, Landmarks.rightEyeInnerCorner),
      noseTip: landmarks.points[Landmarks.noseTip].point,
      mouthLeft: landmarks.points[Landmarks.mouthLeft].point,
      mouthRight: landmarks.points[Landmarks.mouthRight].point)
  }

  public func map(_ transform: (Point) -> Point) -> FivePoints {
    FivePoints(
      leftEye: transform(leftEye), rightEye: transform(rightEye), noseTip: transform(noseTip),
      mouthLeft: transform(mouthLeft), mouthRight: transform(mouthRight))
  }
}
