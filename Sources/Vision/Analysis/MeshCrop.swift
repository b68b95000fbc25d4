package import FaceCore
package import Imaging

import func Glibc.atan2f
import func Glibc.cosf
import func Glibc.sinf

/// The crop for the mesh network: the face in its middle, upright, with a margin.
package enum MeshCrop {
  /// The side of the crop in long sides of a detector's box. Source: MediaPipe, face_detector_graph.cc.
  static let boxMargin: Float = 1.5
  /// The side of the crop in extents of the points of an earlier run, which lie inside a detector's box.
  static let pointsMargin: Float = 1.4

  /// Beyond these differences from the crop that its points ask for, a crop made their places less exact: in
  /// degrees, in parts of a side, and in the ratio of the sides.
  private static let (likeAngle, likeShift, likeRatio): (Float, Float, Float) = (6, 0.06, 1.12)

  /// Returns the crop for a detected face; `nil` for a box without size.
  package static func around(_ face: Face, _ boxes: DetectedBoxes? = nil) -> RotatedSquare? {
    let side = max(face.box.width, face.box.height)
    let angle = face.points.map { Self.angle(from: $0.rightEye, to: $0.leftEye) } ?? 0
    let down = side * (boxes?.lowering ?? 0)
    let center = Point(
      x: face.box.center.x - sinf(angle * .pi / 180) * down,
      y: face.box.center.y + cosf(angle * .pi / 180) * down)
    return square(center: center, side: side * (boxes?.margin ?? boxMargin), angle: angle)
  }

  /// Returns whether the network finds points as exact in one crop as in the other.
  static func isLike(_ one: RotatedSquare, _ other: RotatedSquare) -> Bool {
    difference(one.angle, other.angle) <= likeAngle
      && one.center.distance(to: other.center) <= likeShift * one.side
      && max(one.side, other.side) <= likeRatio * min(one.side, other.side)
  }

  /// Returns the crop for known points; `nil` if all are in one place.
  package static func around(_ landmarks: Landmarks) -> RotatedSquare? {
    guard landmarks.points.count == Landmarks.count else { return nil }
    let bounds = TurnedBounds(landmarks)
    return square(
      center: bounds.center, side: max(bounds.width, bounds.height) * pointsMargin, angle: bounds.angle)
  }

  private static func square(center: Point, side: Float, angle: Float) -> RotatedSquare? {
    guard side > 0, side.isFinite, center.x.isFinite, center.y.isFinite, angle.isFinite else { return nil }
    return RotatedSquare(center: center, side: side, angle: angle)
  }

  /// Returns the degrees between two directions, 0…180.
  static func difference(_ one: Float, _ other: Float) -> Float {
    (one - other).remainder(dividingBy: 360).magnitude
  }

  /// Returns the direction in degrees, clockwise in the picture.
  static func angle(from right: Point, to left: Point) -> Float {
    atan2f(left.y - right.y, left.x - right.x) * 180 / .pi
  }
}

/// The bounds of a face's points along the line through its eyes and across it.
struct TurnedBounds {
  let center: Point
  let width: Float
  let height: Float
  /// Degrees, clockwise in the picture.
  let angle: Float

  /// - Parameter landmarks: `Landmarks.count` points.
  init(_ landmarks: Landmarks) {
    angle = MeshCrop.angle(
      from: landmarks.points[Landmarks.rightEyeOuterCorner].point,
      to: landmarks.points[Landmarks.leftEyeOuterCorner].point)
    let (cosine, sine) = (cosf(angle * .pi / 180), sinf(angle * .pi / 180))
    var low = Point(x: .infinity, y: .infinity)
    var high = Point(x: -.infinity, y: -.infinity)
    for point in landmarks.points {
      let along = cosine * point.x + sine * point.y
      let across = cosine * point.y - sine * point.x
      low = Point(x: min(low.x, along), y: min(low.y, across))
      high = Point(x: max(high.x, along), y: max(high.y, across))
    }
    let middle = Point(x: (low.x + high.x) / 2, y: (low.y + high.y) / 2)
    center = Point(
      x: cosine * middle.x - sine * middle.y, y: sine * middle.x + cosine * middle.y)
    width = high.x - low.x
    height = high.y - low.y
  }
}
