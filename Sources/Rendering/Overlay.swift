public import FaceCore
public import Imaging

/// D5: where a picture such as a pair of glasses is laid on a face: placed, scaled and turned by the eyes.
public struct Overlay: Equatable, Sendable {
  /// Where the subject's left and right eye lie in the overlay, 0…1 over it from its top-left corner.
  public var leftEye = Point(x: 0.75, y: 0.5)
  public var rightEye = Point(x: 0.25, y: 0.5)
  /// The overlay is shown as a mirror shows it, for a picture that is a mirror image. Its eyes stay given as it is stored.
  public var isMirrored = false

  public init() {}

  /// From positions in an overlay of `size` pixels to those in the picture; `nil` where eyes are in one place or no
  /// numbers.
  ///
  /// It stands on the face as a pair of glasses does, never upside down: whether left in the face's points is left as in a
  /// picture or as in a mirror is seen from where its mouth is.
  public func map(_ size: PixelSize, on face: FivePoints) -> AffineMap? {
    let (width, height) = (Float(size.width), Float(size.height))
    let flip = isMirrored ? AffineMap(scaleX: -1, dx: Double(width)) : AffineMap()
    func place(_ eye: Point) -> Point { flip(Point(x: eye.x * width, y: eye.y * height)) }
    let eyes = [face.leftEye, face.rightEye]
    return AffineMap.similarity(
      from: [place(leftEye), place(rightEye)], to: face.isMirrored == isMirrored ? eyes : eyes.reversed()
    ).map { flip.then($0) }
  }
}

extension FivePoints {
  /// Whether the subject's left is where a mirror shows it.
  fileprivate var isMirrored: Bool {
    let (across, along) = (leftEye.x - rightEye.x, leftEye.y - rightEye.y)
    let down = Point(
      x: (mouthLeft.x + mouthRight.x) / 2 - rightEye.x, y: (mouthLeft.y + mouthRight.y) / 2 - rightEye.y)
    return across * down.y - along * down.x < 0
  }
}

extension Canvas {
  /// Lays `picture` on a face. Throws `failedPrecondition` where the face's eyes are not known, `invalidArgument` where
  /// they, or those of the overlay, are in one place.
  public func draw(_ picture: borrowing TransparentPicture, _ overlay: Overlay, on face: Face) throws(Status)
  {
    guard let points = face.points else {
      throw Status(.failedPrecondition, "the face's eyes are not known; use a model that gives five points")
    }
    guard let map = overlay.map(picture.bitmap.size, on: points) else {
      throw Status(
        .invalidArgument, "both eyes, of the face or of the overlay, are in one place or no numbers")
    }
    lay(picture, toCanvas: map)
  }
}
