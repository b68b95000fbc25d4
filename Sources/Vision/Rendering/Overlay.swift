public import FaceCore
public import Imaging

/// The placement of a picture, such as a pair of glasses, on a face: in perspective if the rotation of the
/// head is known, else moved, scaled and rotated by the eyes.
public struct Overlay: Equatable, Sendable {
  /// The subject's left and right eye in the overlay, 0…1 from its top-left corner.
  public var leftEye = Point(x: 0.75, y: 0.5)
  public var rightEye = Point(x: 0.25, y: 0.5)
  /// Whether the overlay is mirrored, for a picture that is a mirror image. The eyes are given for the
  /// overlay as stored.
  public var isMirrored = false
  /// The share of the overlay's width at each side that reaches back to the ear, like the arms of glasses,
  /// visible only from that side. 0: the thin ends of the picture; less: none, the overlay is flat.
  public var arms: Float = 0

  public init() {}

  /// Returns the map from positions in an overlay of `size` pixels to the picture; `nil` if both eyes are at
  /// one position, or not finite.
  ///
  /// The overlay sits on the face like a pair of glasses, never upside down: the position of the mouth shows
  /// whether the face's points are mirrored.
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
  /// Whether the points are those of a mirror image.
  var isMirrored: Bool {
    let (across, along) = (leftEye.x - rightEye.x, leftEye.y - rightEye.y)
    let down = Point(
      x: (mouthLeft.x + mouthRight.x) / 2 - rightEye.x, y: (mouthLeft.y + mouthRight.y) / 2 - rightEye.y)
    return across * down.y - along * down.x < 0
  }
}

extension Canvas {
  /// Draws `picture` on a face of the canvas's whole picture. Throws `failedPrecondition` if the face's eyes
  /// are not known, `invalidArgument` if both eyes, of the face or of the overlay, are at one position,
  /// `resourceExhausted` if there is no memory for it.
  public func drawOverlay(_ picture: borrowing TransparentPicture, _ overlay: Overlay, on face: Face)
    throws(Status)
  {
    guard let points = face.points else {
      throw Status(
        .failedPrecondition,
        "the face has no eyes to place the overlay by; use a model that finds five points, such as yunet")
    }
    guard let map = overlay.map(picture.bitmap.size, on: points) else {
      throw Status(
        .invalidArgument, "both eyes, of the face or of the overlay, are at one position or not finite")
    }
    if let head = HeadView(face, in: size), let parts = overlay.parts(picture, on: head) {
      for part in parts { try drawImage(picture, part: part.source, toCanvas: part.map) }
    } else {
      drawImage(picture, toCanvas: map)
    }
  }
}
