/// A face with the names and coordinates of Apple Vision: 0 to 1 over the upright image, origin bottom-left, y up.
///
/// Angles are degrees, with this library's signs (docs/coordinates.md).
public struct FaceObservation: Sendable, Hashable {
  public let face: Face
  /// The size of the upright image.
  public let imageSize: Size

  public var boundingBox: NormalizedRect {
    let (width, height) = (Float(imageSize.width), Float(imageSize.height))
    return NormalizedRect(
      x: face.box.x / width, y: 1 - (face.box.y + face.box.height) / height, width: face.box.width / width,
      height: face.box.height / height)
  }
  public var confidence: Float { face.confidence }
  /// With ``Outputs/pose``.
  public var roll: Float? { face.pose?.roll }
  public var yaw: Float? { face.pose?.yaw }
  public var pitch: Float? { face.pose?.pitch }
  /// With ``Outputs/quality``: 0 to 1.
  public var captureQuality: Float? { face.quality?.quality }
  /// With ``Outputs/landmarks``: Vision's 76 points.
  public var landmarks: Landmarks2D? { landmarks(.points76) }

  public func landmarks(_ constellation: Constellation) -> Landmarks2D? {
    face.landmarks.map { Landmarks2D(landmarks: $0, constellation: constellation, imageSize: imageSize) }
  }

  /// A box, 0 to 1 over the image, whose `x` and `y` are its lower left corner.
  public struct NormalizedRect: Sendable, Hashable {
    public var x, y, width, height: Float

    /// The box in pixels. With a lower left origin, `y` is its lower edge.
    public func toImageCoordinates(_ size: Size, origin: CoordinateOrigin = .lowerLeft) -> Box {
      let (width, height) = (Float(size.width), Float(size.height))
      let lower = origin == .lowerLeft ? y : 1 - y - self.height
      return Box(x: x * width, y: lower * height, width: self.width * width, height: self.height * height)
    }
  }

  public enum CoordinateOrigin: Sendable {
    case lowerLeft, upperLeft
  }

  /// The regions of a face.
  public struct Landmarks2D: Sendable, Hashable {
    let landmarks: Landmarks
    let constellation: Constellation
    let imageSize: Size

    public var allPoints: Region { region(.allPoints) }
    public var faceContour: Region { region(.faceContour) }
    public var leftEye: Region { region(.leftEye) }
    public var rightEye: Region { region(.rightEye) }
    public var leftEyebrow: Region { region(.leftEyebrow) }
    public var rightEyebrow: Region { region(.rightEyebrow) }
    public var leftPupil: Region { region(.leftPupil) }
    public var rightPupil: Region { region(.rightPupil) }
    public var nose: Region { region(.nose) }
    public var noseCrest: Region { region(.noseCrest) }
    public var medianLine: Region { region(.medianLine) }
    public var outerLips: Region { region(.outerLips) }
    public var innerLips: Region { region(.innerLips) }

    private func region(_ region: FaceRegion) -> Region {
      Region(
        pixels: landmarks.points(of: region, in: constellation), imageSize: imageSize,
        pointsClassification: region.path(in: constellation))
    }

    public struct Region: Sendable, Hashable {
      private let pixels: [Landmark]
      private let imageSize: Size
      /// How the points are joined.
      public let pointsClassification: RegionPath

      fileprivate init(pixels: [Landmark], imageSize: Size, pointsClassification: RegionPath) {
        (self.pixels, self.imageSize, self.pointsClassification) = (pixels, imageSize, pointsClassification)
      }

      public var pointCount: Int { pixels.count }

      /// 0 to 1 over the image, origin bottom-left. Older Vision has them over the face's box: ``Swift/Array/relative(to:)``.
      public var points: [Point] {
        pixels.map { Point(x: $0.x / Float(imageSize.width), y: 1 - $0.y / Float(imageSize.height)) }
      }

      public func pointsInImageCoordinates(_ size: Size, origin: CoordinateOrigin = .lowerLeft) -> [Point] {
        points.map { point in
          Point(
            x: point.x * Float(size.width),
            y: (origin == .lowerLeft ? point.y : 1 - point.y) * Float(size.height))
        }
      }
    }
  }
}

private typealias FaceRegion = Region

extension Faces {
  /// The faces with the names and coordinates of Apple Vision.
  public var observations: [FaceObservation] { map { FaceObservation(face: $0, imageSize: imageSize) } }
}
