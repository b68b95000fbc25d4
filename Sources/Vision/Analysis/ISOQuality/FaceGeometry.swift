import FaceCore

/// Distances in a face that several measures of ISO/IEC 29794-5:2025 use, in pixels, in the plane of the
/// picture.
///
/// Left and right are the subject's. An eye's centre lies between its corners; T is the distance from the
/// midpoint between the eyes to the chin.
struct FaceGeometry {
  let leftEye: Point
  let rightEye: Point
  let eyesMiddle: Point
  let chin: Point
  let t: Float
  private let points: [Point]

  /// - Parameter points: `Landmarks.count` points.
  init(_ points: [Point]) {
    self.points = points
    leftEye = points[Landmarks.leftEyeOuterCorner].middle(to: points[Landmarks.leftEyeInnerCorner])
    rightEye = points[Landmarks.rightEyeOuterCorner].middle(to: points[Landmarks.rightEyeInnerCorner])
    eyesMiddle = leftEye.middle(to: rightEye)
    chin = points[Landmarks.chin]
    t = eyesMiddle.distance(to: chin)
  }

  var betweenEyes: Float { leftEye.distance(to: rightEye) }

  /// The midpoint between the inner edges of the lips.
  var mouth: Point { points[Landmarks.upperLipInner].middle(to: points[Landmarks.lowerLipInner]) }

  /// The largest of three distances between the lids of the eye that is less open, divided by T.
  var eyeOpening: Float {
    min(widest([(159, 145), (158, 153), (160, 144)]), widest([(386, 374), (385, 380), (387, 373)])) / t
  }

  /// The largest of three distances between the lips, divided by T.
  var mouthOpening: Float {
    widest([(81, 178), (Landmarks.upperLipInner, Landmarks.lowerLipInner), (311, 402)]) / t
  }

  private func widest(_ pairs: [(Int, Int)]) -> Float {
    pairs.reduce(0) { max($0, points[$1.0].distance(to: points[$1.1])) }
  }
}

extension Landmarks {
  static let chin = 152
}
