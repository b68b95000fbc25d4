import FaceCore
import Imaging

/// The upright picture of a frame, kept until there is a better one or the check is done.
final class TakenPicture: @unchecked Sendable {
  /// What becomes of it.
  struct Form: Sendable {
    let cropSize: Int
    let cropMargin: Float
    /// Of both pictures together, as JPEG files; `nil` for pixels.
    let maxBytes: Int?

    init(crop options: CheckOptions, maxBytes: Int?) {
      cropSize = options.cropSize
      cropMargin = options.cropMargin
      self.maxBytes = maxBytes
    }
  }

  /// A larger one is scaled down: several checks at a time must not take all memory.
  private static let maxSide = 4096

  // Only read once it is made.
  private let pixels: NetworkInput
  private let face: Face

  /// - Parameter face: in pixels of `picture`.
  init(_ picture: UprightImage, _ face: Face) throws(Status) {
    let whole = PixelRect(picture.size).box
    pixels = try picture.networkInput(of: whole, maxSide: TakenPicture.maxSide, multiple: 1)
    let size = pixels.bitmap.size
    let scale = AffineMap(
      scaleX: Double(size.width) / Double(picture.size.width),
      scaleY: Double(size.height) / Double(picture.size.height))
    self.face = scale(face)
  }

  func result(_ form: Form) throws(Status) -> CheckResult {
    let side = max(face.box.width, face.box.height) * (1 + 2 * form.cropMargin)
    let middle = Point(x: face.box.x + face.box.width / 2, y: face.box.y + face.box.height / 2)
    let square = RotatedSquare(center: middle, side: side, angle: 0)
    let image = ImageInput(.pixels(try pixels.bitmap.view), orientation: .up)
    let crop = try UprightImage(image).crop(square, side: form.cropSize)
    return CheckResult(
      face: face,
      picture: try TakenPicture.picture(pixels.bitmap, maxBytes: form.maxBytes.map { $0 / 4 * 3 }),
      crop: try TakenPicture.picture(crop, maxBytes: form.maxBytes.map { $0 / 4 }),
      cropBox: Box(x: middle.x - side / 2, y: middle.y - side / 2, width: side, height: side))
  }

  private static func picture(
    _ bitmap: borrowing Bitmap, maxBytes: Int?
  ) throws(Status) -> CheckPicture {
    guard let maxBytes else { return CheckPicture(bitmap) }
    return CheckPicture(
      size: bitmap.size, form: .jpeg, bytes: try JPEGEncoder.encode(bitmap, maxBytes: maxBytes))
  }
}
