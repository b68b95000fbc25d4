public import FaceCore

/// The pixels for a network: upright, scaled by their letterbox, not yet padded.
public struct NetworkInput: ~Copyable {
  public let letterbox: Letterbox
  /// Valid as long as this value lives.
  public let pixels: BorrowedPixels
  /// The owner of `pixels`; `nil` if they are in the image's own memory.
  private let owner: Bitmap?

  /// Decodes, scales and rotates `image`. For an image that is used more than once, see `UprightImage`.
  /// - Parameters: as in `Letterbox.init`.
  public init(_ image: ImageInput, maxSide: Int, multiple: Int) throws(Status) {
    self = try UprightImage(image).networkInput(maxSide: maxSide, multiple: multiple)
  }

  init(letterbox: Letterbox, bitmap: consuming Bitmap) {
    self.letterbox = letterbox
    pixels = bitmap.borrowed
    owner = consume bitmap
  }

  /// Borrows `view`, which must be BGRA, without a copy.
  init(letterbox: Letterbox, borrowing view: ImageView) {
    self.letterbox = letterbox
    pixels = BorrowedPixels(size: view.size, bytes: view.bytes, stride: view.stride)
    owner = nil
  }

  /// Returns the pixels without their letterbox, copied if they are not owned.
  public consuming func intoBitmap() throws(Status) -> Bitmap {
    if let owner { return owner }
    return try PixelConverter.bitmap(from: ImageView(pixels))
  }

  /// Returns the whole input: the pixels, and black where it is padded.
  public func padded() throws(Status) -> Bitmap {
    let whole = try Bitmap(size: letterbox.input)
    whole.pixels.update(repeating: 0)
    whole.draw(pixels, x: 0, y: 0)
    return whole
  }
}
