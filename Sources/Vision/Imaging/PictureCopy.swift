public import FaceCore

/// A picture made of an image, to draw on and to save: its pixels, with the transparency of a PNG or WebP, and what
/// its file says about them.
public struct PictureCopy: ~Copyable {
  /// The pixels, upright.
  private let bitmap: Bitmap
  /// Whether colours are multiplied by alpha, which else is meaningless.
  public let isTransparent: Bool
  public let metadata: PictureMetadata

  /// Throws as `UprightImage.init`.
  /// - Parameter make: makes the copy of the picture, or of a part of it.
  public init(
    of image: ImageInput,
    _ make: (UprightImage) throws(Status) -> Bitmap = { (picture) throws(Status) in
      try picture.whole()
    }
  ) throws(Status) {
    var image = image
    image.region = nil
    let picture = try UprightImage(image, willCrop: true, toCopy: true)
    bitmap = try make(picture)
    isTransparent = picture.isTransparent
    metadata = picture.metadata
  }

  /// Returns the pixels.
  public consuming func intoBitmap() -> Bitmap { bitmap }
}

extension UprightImage {
  fileprivate var isTransparent: Bool { stored.isTransparent }

  fileprivate var metadata: PictureMetadata { (stored.metadata ?? PictureMetadata()).upright(orientation) }
}
