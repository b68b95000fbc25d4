public import FaceCore

/// A picture with transparency, such as a pair of glasses to draw on a face.
public struct TransparentPicture: ~Copyable {
  /// The pixels, upright; colours are multiplied by alpha.
  public let bitmap: Bitmap

  /// Uses the alpha of PNG, WebP, RGBA and BGRA; other pictures are opaque. Throws as `UprightImage.init`.
  public init(_ image: ImageInput) throws(Status) {
    bitmap = try TransparentPicture.upright(image).multipliedByAlpha()
  }

  private static func upright(_ image: ImageInput) throws(Status) -> Bitmap {
    switch image.source {
    case .pixels(let view):
      try ImageLimits.checkHeld(width: view.size.width, height: view.size.height)
      return try upright(try PixelConverter.bitmap(from: view), image, stored: nil)
    case .encoded(let bytes):
      let file = try PictureFile(bytes, of: image)
      return try upright(try file.decodeWithAlpha(), image, stored: file.header.orientation)
    }
  }

  private static func upright(
    _ pixels: consuming Bitmap, _ image: ImageInput, stored: Orientation?
  ) throws(Status) -> Bitmap {
    let orientation = image.orientation ?? stored ?? .up
    return try PixelConverter.upright(pixels, from: image.isMirrored ? orientation.mirrored : orientation)
  }
}
