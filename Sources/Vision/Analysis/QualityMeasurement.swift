package import FaceCore
package import Imaging

import func Glibc.powf

/// Measures the components of the quality of a picture of a face, from a crop that shows the face upright
/// from edge to edge.
///
/// Each component is 0…1 and follows a fixed rule, so that pictures of one person, of any size, can be
/// compared; pictures of different people cannot.
package enum QualityMeasurement {
  /// The side of the crop in pixels: details of the face that are finer do not count.
  package static let cropSide = 160

  package static func quality(
    of landmarks: Landmarks, pose: Pose, in picture: UprightImage
  ) throws(Status) -> CaptureQuality? {
    let bounds = TurnedBounds(landmarks)
    let square = RotatedSquare(
      center: bounds.center, side: max(bounds.width, bounds.height), angle: bounds.angle)
    guard square.side > 0, square.side.isFinite else { return nil }
    let luma = FaceLuma(try picture.crop(square, side: cropSide))
    let parts = CaptureQuality(
      overall: 0, sharpness: sharpness(luma), exposure: exposure(luma), size: size(landmarks),
      pose: facing(pose),
      framing: framing(landmarks, picture.size))
    return parts.rated
  }

  /// Returns the perceived detail: the difference of brightness between neighbouring pixels, relative to the
  /// overall variation. A face that has few pixels, is out of focus or moving has little of it. Source: the
  /// modified Laplacian of Nayar, Nakagawa, "Shape from focus", 1994.
  package static func sharpness(_ luma: FaceLuma) -> Float {
    let contrast = luma.standardDeviation
    guard contrast > 1 else { return 0 }
    let detail = luma.meanAbsoluteLaplacian / contrast
    return detail / (detail + halfSharpDetail)
  }

  /// The detail of a face that counts as half sharp: that of one with some 50 pixels, or of a larger one a
  /// little out of focus. A portrait in focus has four times as much.
  private static let halfSharpDetail: Float = 0.15

  /// Returns the rating of the exposure: 1 for a mean brightness in the middle range, less twice the share of
  /// pixels that are black or white.
  package static func exposure(_ luma: FaceLuma) -> Float {
    let mean = luma.mean
    let brightness = min(min((mean - 20) / 60, (245 - mean) / 65), 1)
    return max(0, max(0, brightness) - 2 * luma.clippedShare)
  }

  /// Returns the distance between the middles of the eyes, divided by the 90 pixels that ISO/IEC 19794-5 asks
  /// for in a full frontal picture; at most 1.
  package static func size(_ landmarks: Landmarks) -> Float {
    let left = landmarks.points(of: .leftPupil)[0]
    let right = landmarks.points(of: .rightPupil)[0]
    return min(left.distance(to: right) / 90, 1)
  }

  /// Returns 1 for a face that looks straight into the camera, 0 from 45 degrees of yaw or pitch, or 90 of
  /// roll.
  package static func facing(_ pose: Pose) -> Float {
    let (yaw, pitch, roll) = (pose.yaw / 45, pose.pitch / 45, pose.roll / 90)
    return max(0, 1 - (yaw * yaw + pitch * pitch + roll * roll).squareRoot())
  }

  /// Returns the share of the points that lie inside the picture, scaled so that half of them give 0.
  package static func framing(_ landmarks: Landmarks, _ size: PixelSize) -> Float {
    let (width, height) = (Float(size.width), Float(size.height))
    let inside = landmarks.points.count { (0...width).contains($0.x) && (0...height).contains($0.y) }
    return max(0, 2 * Float(inside) / Float(landmarks.points.count) - 1)
  }
}

extension CaptureQuality {
  /// The same components with their geometric mean as `overall`: one component that is 0 spoils the picture.
  fileprivate var rated: CaptureQuality {
    var rated = self
    rated.overall = powf(sharpness * exposure * size * pose * framing, 0.2)
    return rated
  }
}
