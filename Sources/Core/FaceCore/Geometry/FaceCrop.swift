/// The part of a picture that shows one face: for an avatar, a card, the result of a check.
public struct FaceCrop: Equatable, Sendable {
  /// The size of the crop in pixels; the part of the picture has the same aspect ratio.
  public var size: PixelSize
  /// Free space on each side of the face's box, in units of the box's longer side; `nil` for as much of the
  /// picture as the shape allows (aspect fill).
  public var margin: Float?
  /// How far the middle of the part lies above the middle of the face, in heights of the face's box, to
  /// include the hair.
  public var headroom: Float = 0

  /// What is done where the face with its margin does not fit into the picture.
  public var overflow = Overflow.fail

  public enum Overflow: UInt8, Sendable, CaseIterable {
    /// `part` throws.
    case fail = 0
    /// The margin shrinks as far as needed.
    case clamp = 1
    /// The part stays centred on the face. What lies outside the picture repeats the picture's last pixels.
    case pad = 2
  }

  /// The default size of an avatar.
  public static let standardSize = PixelSize(width: 300, height: 300)

  public init(size: PixelSize, margin: Float? = nil, headroom: Float = 0, overflow: Overflow = .fail) {
    self.size = size
    self.margin = margin
    self.headroom = headroom
    self.overflow = overflow
  }

  /// Throws `outOfRange` for a size and `invalidArgument` for a number that cannot be used.
  public func validate() throws(Status) {
    try ImageLimits.check(
      width: size.width, height: size.height, maxSide: ImageLimits.maxTargetSide, of: "the crop")
    if let margin, !(0...FaceCrop.maxShare).contains(margin) {
      throw Status(.invalidArgument, "margin is \(margin); give 0 to 10, in units of the face's longer side")
    }
    guard (-FaceCrop.maxShare...FaceCrop.maxShare).contains(headroom) else {
      throw Status(.invalidArgument, "headroom is \(headroom); give -10 to 10, in heights of the face")
    }
  }

  /// Returns the part of an upright picture of `image` pixels to be shown. It is centred on the face and, unless it
  /// is padded, inside the picture: at the edge it is moved as little as needed.
  ///
  /// Throws as `validate`; `invalidArgument` for a box without size or with an unusable position, and
  /// `outOfRange` where the face does not fit: the picture is too small for it with its margin, or a part of
  /// this shape would cut it off.
  public func part(around face: Box, in image: PixelSize) throws(Status) -> Box {
    try validate()
    let seen = face.clamped(to: image)
    guard [face.x, face.y, face.width, face.height].allSatisfy({ $0.magnitude <= FaceCrop.maxPlace }),
      seen.width > 0, seen.height > 0
    else {
      throw Status(.invalidArgument, "the face's box is outside the picture, or has no size")
    }
    let shape = Float(size.width) / Float(size.height)
    let widest = min(Float(image.width), Float(image.height) * shape)
    var width = widest
    if let margin {
      let free = 2 * margin * max(face.width, face.height)
      width = max(face.width + free, (face.height + free) * shape)
      if overflow == .clamp { width = min(width, widest) }
      if overflow == .pad { return centred(on: face, width, width / shape) }
      guard width <= widest + FaceCrop.tolerance else {
        throw Status(
          .outOfRange,
          "the face with its margin needs \(Int(width.rounded(.up)))×\(Int((width / shape).rounded(.up))) pixels, but "
            + "the picture has \(image.width)×\(image.height); use a smaller margin, or clamp or pad the crop"
        )
      }
      width = min(width, widest)
    }
    let part = Box(
      x: FaceCrop.start(middle: face.x + face.width / 2, length: width, within: image.width),
      y: FaceCrop.start(
        middle: face.y + face.height * (0.5 - headroom), length: width / shape, within: image.height),
      width: width, height: width / shape)
    guard part.holds(seen, tolerance: FaceCrop.tolerance) else {
      if overflow == .pad {
        let wide = max(face.width, face.height * shape)
        return centred(on: face, wide, wide / shape)
      }
      throw Status(
        .outOfRange,
        "a crop of \(size.width)×\(size.height) would cut off the face, which has \(Int(seen.width))×\(Int(seen.height)) pixels "
          + "of the picture's \(image.width)×\(image.height); use another shape or less headroom, or pad the crop"
      )
    }
    return part
  }

  private func centred(on face: Box, _ width: Float, _ height: Float) -> Box {
    let middle = Point(x: face.center.x, y: face.center.y - face.height * headroom)
    return Box(x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height)
  }

  /// Returns the start of `length` pixels around `middle`, moved to lie within a picture's side.
  private static func start(middle: Float, length: Float, within side: Int) -> Float {
    max(0, min(middle - length / 2, Float(side) - length))
  }

  /// Tolerance for rounding, in pixels.
  private static let tolerance: Float = 0.01
  private static let maxShare: Float = 10
  /// The largest coordinate that is accepted.
  private static let maxPlace: Float = 1_000_000
}

extension Box {
  fileprivate func holds(_ other: Box, tolerance: Float) -> Bool {
    other.x >= x - tolerance && other.y >= y - tolerance && other.maxX <= maxX + tolerance
      && other.maxY <= maxY + tolerance
  }
}

/// The choice of the face to crop, of those in a picture.
public enum FaceChoice: UInt8, Sendable, CaseIterable {
  /// There must be exactly one face.
  case only = 0
  case largest = 1

  /// Returns the index of the chosen face. Throws `notFound` where there is none, `failedPrecondition` where
  /// there are several and one was expected.
  public func index(among boxes: [Box]) throws(Status) -> Int {
    guard !boxes.isEmpty else { throw Status(.notFound, "there is no face in the picture") }
    guard self == .largest || boxes.count == 1 else {
      throw Status(
        .failedPrecondition,
        "there are \(boxes.count) faces in the picture; choose one, or request the largest")
    }
    return boxes.indices.max { boxes[$0].area < boxes[$1].area } ?? 0
  }
}

/// A square crop with the eyes level and at fixed places, as used to train face recognition networks.
public struct AlignedCrop: Equatable, Sendable {
  /// The side of the crop in pixels.
  public var side: Int

  /// The side for which the template's places are given.
  public static let templateSide = 112

  public init(side: Int = templateSide) {
    self.side = side
  }

  /// The five points in a crop of `side` pixels.
  ///
  /// Source of the places: InsightFace (python-package/insightface/utils/face_align.py, `arcface_dst`), with
  /// which ArcFace (Deng et al. 2019) and most networks since are trained; there the middle of a pixel has
  /// whole coordinates, here half ones.
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

  /// Returns the map from positions in the crop to positions in the picture: the rotation, scale and
  /// translation that bring the face's points nearest to `points`.
  ///
  /// Throws `outOfRange` for an invalid side, `invalidArgument` where the face's points have no extent.
  public func toImage(_ face: FivePoints) throws(Status) -> AffineMap {
    try ImageLimits.check(width: side, height: side)
    guard let map = AffineMap.similarity(from: face.all, to: points.all), map.areaScale > 0,
      map.areaScale.isFinite
    else {
      throw Status(.invalidArgument, "the face's five points are all in one place, or not finite")
    }
    return map.inverse
  }
}

extension FivePoints {
  /// Left eye, right eye, nose, left and right corner of the mouth.
  public var all: [Point] { [leftEye, rightEye, noseTip, mouthLeft, mouthRight] }
}
