package import FaceCore

import func Glibc.tanf

/// A head as seen by a camera in the middle of the picture, in centimetres: x to the picture's right, y down,
/// z away from the camera. The head's origin is between the outer corners of the eyes; without rotation the
/// head faces against z.
///
/// The camera is that of `HeadTransform`.
package struct HeadView {
  /// The distance between the middles of an adult's eyes, and their distance in front of the origin. Source:
  /// as for the size of `HeadTransform`'s head, Farkas, "Anthropometry of the Head and Face", 1994: outer
  /// corners 8.9 cm apart, inner ones 3.3.
  package static let centimetresBetweenEyes: Float = 6.1
  private static let eyes: [SIMD3<Float>] = [-1, 1].map { SIMD3($0 * centimetresBetweenEyes / 2, 0, -0.3) }
  /// The vertical field of view that `HeadTransform` assumes, in degrees.
  private static let fieldOfView: Float = 63

  private let rotation: HeadRotation
  private let translation: SIMD3<Float>
  private let camera: Camera
  /// The correction that maps the projected eyes of this head to the eyes that were seen.
  private var correction = AffineMap()

  /// Whether the picture is a mirror image.
  package let isMirrored: Bool

  private struct Camera {
    let focalLength: Float
    let centre: Point
    let width: Float

    init(_ picture: PixelSize) {
      focalLength = Float(picture.height) / 2 / tanf(HeadView.fieldOfView / 2 * .pi / 180)
      (centre, width) = (
        Point(x: Float(picture.width) / 2, y: Float(picture.height) / 2), Float(picture.width)
      )
    }
  }

  /// The view from the face's transform or, without one, from its angles and eyes. `nil` if these are not
  /// known, or not a head's.
  /// - Parameter picture: the size of the whole upright image, in whose pixels the face is given.
  package init?(_ face: Face, in picture: PixelSize) {
    guard let points = face.points else { return nil }
    let seen = [points.rightEye, points.leftEye]
    camera = Camera(picture)
    isMirrored = points.isMirrored
    if let transform = face.transform {
      rotation = HeadRotation(rows: [
        SIMD3(transform.x.x, -transform.x.y, -transform.x.z),
        SIMD3(-transform.y.x, transform.y.y, transform.y.z),
        SIMD3(-transform.z.x, transform.z.y, transform.z.z),
      ])
      translation = SIMD3(transform.x.w, -transform.y.w, -transform.z.w)
    } else if let pose = face.pose {
      rotation = HeadRotation(pose)
      let across = (rotation.rows[0].x * rotation.rows[0].x + rotation.rows[1].x * rotation.rows[1].x)
        .squareRoot()
      let pixels = seen[0].distance(to: seen[1])
      // In a profile the eyes carry no information about the size.
      guard across > HeadView.leastForeshortening, pixels > 0 else { return nil }
      let distance = camera.focalLength * HeadView.centimetresBetweenEyes * across / pixels
      let middle = seen[0].middle(to: seen[1])
      let x = isMirrored ? camera.width - middle.x : middle.x
      translation =
        SIMD3(
          (x - camera.centre.x) / camera.focalLength, (middle.y - camera.centre.y) / camera.focalLength, 1)
        * distance - rotation((HeadView.eyes[0] + HeadView.eyes[1]) / 2)
    } else {
      return nil
    }
    let numbers = rotation.rows + [translation]
    guard numbers.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }),
      let correction = correction(to: seen)
    else { return nil }
    self.correction = correction
  }

  /// Returns the projection of a point of the head into the picture, as (x·w, y·w, w); w is its distance,
  /// above 0 in front of the camera.
  package func project(_ point: SIMD3<Float>) -> SIMD3<Double> {
    let place = rotation(point) + translation
    let w = Double(place.z)
    let x = Double(camera.centre.x) * w + Double(camera.focalLength * place.x)
    let y = Double(camera.centre.y) * w + Double(camera.focalLength * place.y)
    let seen = isMirrored ? Double(camera.width) * w - x : x
    return SIMD3(
      correction.xx * seen + correction.xy * y + correction.dx * w,
      correction.yx * seen + correction.yy * y + correction.dy * w, w)
  }

  /// Nearer to a profile, the position of the eyes counts but not their distance.
  private static let leastForeshortening: Float = 0.35
  /// The scale of the correction; outside it the transform does not belong to these eyes.
  private static let scaleRange = 0.7...1.4

  /// Returns the map from the head's eyes to those that were seen. The transform is that of a mean head; this
  /// one's eyes are in slightly different places.
  private func correction(to seen: [Point]) -> AffineMap? {
    let expected = HeadView.eyes.map { project($0) }
    guard expected.allSatisfy({ $0.z > 0 }) else { return nil }
    let places = expected.map { Point(x: Float($0.x / $0.z), y: Float($0.y / $0.z)) }
    let frontal = camera.focalLength * HeadView.centimetresBetweenEyes / Float(expected[0].z)
    if places[0].distance(to: places[1]) > HeadView.leastForeshortening * frontal,
      let map = AffineMap.similarity(from: places, to: seen),
      HeadView.scaleRange.contains(map.areaScale.squareRoot())
    {
      return map
    }
    let (from, to) = (places[0].middle(to: places[1]), seen[0].middle(to: seen[1]))
    guard Canvas.isDrawable(from.x, from.y, to.x, to.y) else { return nil }
    return AffineMap(dx: Double(to.x - from.x), dy: Double(to.y - from.y))
  }
}
