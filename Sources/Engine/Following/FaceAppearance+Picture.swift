import FaceCore
import Imaging
import Tracking

extension FaceAppearance {
  /// Long sides of the box: the head with its hair, which tells people apart and does not change from frame to frame, and
  /// little of what is behind it, which is the same for all who come there.
  private static let reach: Float = 1.3

  /// `nil` for a face whose box has no size or place, and where it has no contrast.
  init?(of box: Box, in picture: UprightImage) throws(Status) {
    let side = max(box.width, box.height) * FaceAppearance.reach
    guard side >= 4, side <= 4 * Float(picture.size.longSide), box.x.isFinite, box.y.isFinite else {
      return nil
    }
    let crop = try picture.crop(
      RotatedSquare(center: box.center, side: side, angle: 0), side: FaceAppearance.side, asDecoded: true)
    self.init(UnsafeRawBufferPointer(crop.pixels))
    extendLifetime(crop)
  }
}
