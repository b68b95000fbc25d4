public import FaceCore

/// The picture of a guided check's result: a frame's, upright.
public final class TakenPicture: @unchecked Sendable {
  /// A larger one is scaled down: several checks at a time must not take all memory.
  private static let maxSide = 4096

  // Only read once it is made.
  let pixels: Bitmap

  public init(_ picture: UprightImage) throws(Status) {
    let whole = PixelRect(picture.size).box
    pixels = try picture.networkInput(of: whole, maxSide: TakenPicture.maxSide, multiple: 1).intoBitmap()
  }

  /// The size of the picture of an image of `size`.
  static func size(of image: PixelSize) -> PixelSize {
    Letterbox(image: image, maxSide: maxSide, multiple: 1).content
  }
}
