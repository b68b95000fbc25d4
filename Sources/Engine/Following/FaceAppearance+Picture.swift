import FaceCore
import Imaging
import Tracking

extension FaceAppearance {
  /// Long sides of the box: the head with its hair, which tells people apart and does not change from frame to frame, and
  /// little of what is behind it, which is the same for all who come there.
  private static let reach: Float = 1.3

  /// Pixels of the long side of the box: a smaller face is too different from frame to frame.
  private static let leastSide: Float = 12

  /// `nil` for a face whose box is too small or has no size or place, and where it has no contrast.
  init?(of box: Box, in picture: UprightImage) throws(Status) {
    let longSide = max(box.width, box.height)
    guard longSide >= FaceAppearance.leastSide, longSide <= 4 * Float(picture.size.longSide),
      [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite)
    else { return nil }
    let crop = try picture.crop(
      RotatedSquare(around: box, reach: FaceAppearance.reach), side: FaceAppearance.side, asDecoded: true)
    self.init(UnsafeRawBufferPointer(crop.pixels))
    extendLifetime(crop)
  }
}
