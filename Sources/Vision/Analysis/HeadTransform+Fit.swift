package import FaceCore

import func Glibc.tanf

extension HeadTransform {
  /// The vertical field of view that is assumed for the camera, in degrees: MediaPipe's default.
  package static let fieldOfView: Float = 63
  /// The distance between the outer corners of an adult's eyes: Farkas, "Anthropometry of the Head and Face",
  /// 1994.
  private static let centimetresBetweenEyes: Float = 8.9
  /// Twenty iterations are usual.
  private static let maxIterations = 40
  /// The iteration ends when no element of the rotation changes by more; the rotation is then within four
  /// times this of its limit.
  private static let tolerance: Float = 1e-4

  /// Returns the distance in pixels from the camera's centre to a picture of that height.
  package static func focalLength(_ image: PixelSize) -> Float {
    Float(image.height) / 2 / tanf(fieldOfView / 2 * .pi / 180)
  }

  /// Returns the transform of the canonical face for which a camera in the middle of `image` sees these
  /// points, by least squares in space; `nil` when the points are not a face's.
  ///
  /// Each iteration moves the seen points along their rays to the depth of the last fitted face, fits the
  /// face to them, and corrects its distance until it has its own size. Source: as `HeadPose`, whose fit is
  /// the start, with perspective; Lu, Hager, Mjolsness, "Fast and Globally Convergent Pose Estimation from
  /// Video Images", 2000, show that it converges.
  package static func fit(_ landmarks: Landmarks, in image: PixelSize) -> HeadTransform? {
    guard landmarks.points.count == Landmarks.count, var rotation = HeadPose.rotation(landmarks) else {
      return nil
    }
    let focal = focalLength(image)
    let model = HeadTransform.model
    let rays = CanonicalFace.points.map { (index, _, _) -> SIMD3<Float> in
      let point = landmarks.points[index]
      return SIMD3(
        (point.x - Float(image.width) / 2) / focal, (point.y - Float(image.height) / 2) / focal, 1)
    }
    let modelMean = mean(model)
    let centredModel = model.map { $0 - modelMean }
    // The distance at which the face has the size that is seen.
    let rayMean = mean(rays)
    var (seenSize, turnedSize): (Float, Float) = (0, 0)
    for (ray, point) in zip(rays, centredModel) {
      let (seen, turned) = (ray - rayMean, rotation(point))
      seenSize += (seen * seen).sum()
      turnedSize += turned.x * turned.x + turned.y * turned.y
    }
    var translation = rayMean * (turnedSize / seenSize).squareRoot()
    for _ in 0..<maxIterations {
      let previous = rotation
      let places = zip(rays, centredModel).map { (ray, point) -> SIMD3<Float> in
        ray * (rotation(point).z + translation.z)
      }
      let placesMean = mean(places)
      let centredPlaces = places.map { $0 - placesMean }
      rotation = Rotation(from: centredModel, to: centredPlaces)
      var (together, length): (Float, Float) = (0, 0)
      for (point, place) in zip(centredModel, centredPlaces) {
        together += (rotation(point) * place).sum()
        length += (point * point).sum()
      }
      let scale = together / length
      guard scale > 0, scale.isFinite else { return nil }
      translation = placesMean / scale
      let change = zip(rotation.rows, previous.rows).map { max(abs(($0 - $1).max()), abs(($0 - $1).min())) }
      if change.allSatisfy({ $0 < tolerance }) { break }
    }
    return HeadTransform(rotation, translation - rotation(modelMean))
  }

  /// The canonical face in centimetres, its origin between the outer corners of the eyes.
  package static let model: [SIMD3<Float>] = {
    func corner(_ index: Int) -> SIMD3<Float> {
      CanonicalFace.points.first { $0.index == index }?.position ?? .zero
    }
    let (right, left) = (corner(Landmarks.rightEyeOuterCorner), corner(Landmarks.leftEyeOuterCorner))
    let scale = centimetresBetweenEyes / (left.x - right.x)
    return CanonicalFace.points.map { ($0.position - (left + right) / 2) * scale }
  }()

  private static func mean(_ points: [SIMD3<Float>]) -> SIMD3<Float> {
    points.reduce(.zero, +) / Float(points.count)
  }

  /// Converts from axes that point right, down and away from the camera, for camera and face, to axes that
  /// point right, up and towards it.
  private init(_ rotation: Rotation, _ translation: SIMD3<Float>) {
    let (x, y, z) = (rotation.rows[0], rotation.rows[1], rotation.rows[2])
    self.init(
      x: SIMD4(x.x, -x.y, -x.z, translation.x), y: SIMD4(-y.x, y.y, y.z, -translation.y),
      z: SIMD4(-z.x, z.y, z.z, -translation.z))
  }
}
