package import FaceCore

import func Glibc.tanf

extension HeadTransform {
  /// The vertical field of view of the camera that is assumed, in degrees: MediaPipe's default.
  package static let fieldOfView: Float = 63
  /// Of an adult, between the outer corners of the eyes: Farkas, "Anthropometry of the Head and Face", 1994.
  private static let centimetresBetweenEyes: Float = 8.9
  /// Twenty are usual.
  private static let maxIterations = 40
  /// When no number of the turn changes by more, the turn is within four times this of where it would come to rest.
  private static let tolerance: Float = 1e-4

  /// Pixels from the camera's centre to the picture of that height.
  package static func focalLength(_ image: PixelSize) -> Float {
    Float(image.height) / 2 / tanf(fieldOfView / 2 * .pi / 180)
  }

  /// Where the canonical face has to be for a camera in the middle of `image` to see these points, by least squares in
  /// space. `nil` when the points are not a face's.
  ///
  /// In turns: the seen points are moved along their rays to the depth that the face has where it was fitted last; the face
  /// is fitted to these, and its distance corrected until it has its own size. Source: as `HeadPose`, whose fit begins it,
  /// with perspective; Lu, Hager, Mjolsness, "Fast and Globally Convergent Pose Estimation from Video Images", 2000, show
  /// that it converges.
  package static func fit(_ landmarks: Landmarks, in image: PixelSize) -> HeadTransform? {
    guard landmarks.points.count == Landmarks.count, var rotation = HeadPose.rotation(landmarks) else {
      return nil
    }
    let focal = focalLength(image)
    let model = HeadTransform.model
    let rays = CanonicalFace.points.map { (index, _) -> SIMD3<Float> in
      let point = landmarks.points[index]
      return SIMD3(
        (point.x - Float(image.width) / 2) / focal, (point.y - Float(image.height) / 2) / focal, 1)
    }
    let modelMean = mean(model)
    let centredModel = model.map { $0 - modelMean }
    // So far away that the face is as large as it is seen.
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

  /// From axes that go right, down and away from the camera, of the camera as of the face, to right, up and towards it.
  private init(_ rotation: Rotation, _ translation: SIMD3<Float>) {
    let (x, y, z) = (rotation.rows[0], rotation.rows[1], rotation.rows[2])
    self.init(
      x: SIMD4(x.x, -x.y, -x.z, translation.x), y: SIMD4(-y.x, y.y, y.z, -translation.y),
      z: SIMD4(-z.x, z.y, z.z, -translation.z))
  }
}
