/// A square crop with the eyes level and at fixed places, as networks for recognising people are trained on.
public struct AlignedCrop: Equatable, Sendable {
  /// Pixels of a side of the crop.
  public var side: Int

  /// The side for which the places are given.
  public static let templateSide = 112

  public init(side: Int = templateSide) {
    self.side = side
  }

  /// Where the five points lie in a crop of `side` pixels.
  ///
  /// Source of the places: InsightFace (python-package/insightface/utils/face_align.py, `arcface_dst`), which ArcFace
  /// (Deng et al. 2019) and most networks since are trained with; there a pixel's middle is a whole number, here a half.
  public var points: FivePoints {
    FivePoints(
      leftEye: Point(x: 73.5318, y: 51.5014), rightEye: Point(x: 38.2946, y: 51.6963),
      noseTip: Point(x: 56.0252, y: 71.7366),
      mouthLeft: Point(x: 70.7299, y: 92.2041), mouthRight: Point(x: 41.5493, y: 92.3655)
    ).map { point in
      let scale = Float(side) / Float(AlignedCrop.templateSide)
      return Point(x: (point.x + 0.5) * scale, y: (point.y + 0.5) * scale)
    }
  }

  /// From positions in the crop to those in the picture: the turn, scale and shift that bring the face's points nearest
  /// to `points`.
  ///
  /// Throws `outOfRange` for a side that is none, `invalidArgument` where the face's points have no extent.
  public func toImage(_ face: FivePoints) throws(Status) -> AffineMap {
    try ImageLimits.check(width: side, height: side)
    guard let map = AffineMap.similarity(from: face.all, to: points.all), map.areaScale > 0,
      map.areaScale.isFinite
    else {
      throw Status(.invalidArgument, "the face's five points are all in one place, or no numbers")
    }
    return map.inverse
  }
}

extension FivePoints {
  /// Left eye, right eye, nose, left and right corner of the mouth.
  public var all: [Point] { [leftEye, rightEye, noseTip, mouthLeft, mouthRight] }
}
