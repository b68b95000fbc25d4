package import FaceCore
package import Imaging

import func Glibc.atan2f
import func Glibc.cosf
import func Glibc.sinf

/// The square that the mesh network is shown: the face in its middle, standing upright, with room around.
package enum MeshCrop {
  /// Side of the crop by the long side of a detector's box. Source: MediaPipe, face_detector_graph.cc.
  static let boxMargin: Float = 1.5
  /// The same by the extent of the points of an earlier run, which lie inside a detector's box.
  static let pointsMargin: Float = 1.4

  /// `nil` for a box without size.
  package static func around(_ face: Face) -> RotatedSquare? {
    let box = face.box
    let angle = face.points.map { Self.angle(from: $0.rightEye, to: $0.leftEye) } ?? 0
    return square(
      center: box.center,
      side: max(box.width, box.height) * boxMargin, angle: angle)
  }

  /// `nil` for points that are all in one place.
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

  /// Degrees, clockwise in the picture.
  static func angle(from right: Point, to left: Point) -> Float {
    atan2f(left.y - right.y, left.x - right.x) * 180 / .pi
  }
}

/// The extent of a face's points along the line through its eyes and across it.
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
