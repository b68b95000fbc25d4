package import FaceCore

extension Gaze {
  /// The vector from the midpoint between an eye's corners to the centre about which the eye turns, in
  /// centimetres: outwards, up and back. Fitted to 240 photos in which most people look into the
  /// camera.
  package static let toCenter = SIMD3<Float>(0.145, 0.185, 0.35)
  /// The distance from that centre to the middle of the iris: 1.35 cm to the front of the cornea, less 0.35
  /// cm of cornea and anterior chamber. Source: Bekerman, Gottlieb, Vaiman, "Variations in eyeball diameters
  /// of the healthy adults", 2014, for the size.
  package static let toIris: Float = 1
  /// The midpoint between an eye's corners in the head of `HeadTransform`; only its depth is used.
  private static let cornersMiddle = SIMD3<Float>(3.1, 0, 0.3)

  /// Returns the lines from the eyes' centres through the irises; `nil` when the points are not a face's.
  ///
  /// The eye's centre has a fixed place relative to the midpoint of its corners; the direction leads to where
  /// the line of sight through the iris first meets a sphere around it, or comes nearest to it.
  package static func fit(_ landmarks: Landmarks, _ head: HeadTransform, in image: PixelSize) -> Gaze? {
    guard landmarks.points.count == Landmarks.count else { return nil }
    let camera = Camera(image)
    let points = landmarks.points
    func eye(_ outer: Int, _ inner: Int, _ iris: Int, side: Float) -> Eye? {
      let sided = SIMD3(side, 1, 1)
      let depth = -(head.turned(cornersMiddle * sided) + head.place).z
      let middle = camera.ray(points[outer].point.middle(to: points[inner].point)) * depth
      let center = middle + head.turned(toCenter * SIMD3(side, 1, -1))
      let ray = camera.ray(points[iris].point)
      // The root of |ray · s − centre| = toIris that is nearer to the camera.
      let (a, b) = ((ray * ray).sum(), (ray * center).sum())
      let rest = b * b - a * ((center * center).sum() - toIris * toIris)
      let toSurface = ray * ((b - max(rest, 0).squareRoot()) / a) - center
      let length = (toSurface * toSurface).sum().squareRoot()
      guard length > 0, length.isFinite else { return nil }
      return Eye(center: center, direction: toSurface / length)
    }
    guard
      let left = eye(
        Landmarks.leftEyeOuterCorner, Landmarks.leftEyeInnerCorner, LandmarkRegion.leftPupil.indices[0],
        side: 1),
      let right = eye(
        Landmarks.rightEyeOuterCorner, Landmarks.rightEyeInnerCorner, LandmarkRegion.rightPupil.indices[0],
        side: -1)
    else { return nil }
    return Gaze(left: left, right: right)
  }
}

/// The camera that `HeadTransform` assumes.
private struct Camera {
  private let middle: Point
  private let focal: Float

  init(_ image: PixelSize) {
    middle = Point(x: Float(image.width) / 2, y: Float(image.height) / 2)
    focal = HeadTransform.focalLength(image)
  }

  /// Returns the ray through a pixel, at a depth of 1.
  func ray(_ pixel: Point) -> SIMD3<Float> {
    SIMD3((pixel.x - middle.x) / focal, (middle.y - pixel.y) / focal, -1)
  }
}

extension HeadTransform {
  /// The position of the head's origin.
  fileprivate var place: SIMD3<Float> { SIMD3(x.w, y.w, z.w) }

  fileprivate func turned(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    let vector = SIMD4(vector, 0)
    return SIMD3((x * vector).sum(), (y * vector).sum(), (z * vector).sum())
  }
}
