public import FaceCore

/// The pixels for a network: upright, scaled by their letterbox, not yet padded.
public struct NetworkInput: ~Copyable {
  public let letterbox: Letterbox
  public let bitmap: Bitmap

  /// Decodes, scales and turns `image`. For an image that is used more than once, see `UprightImage`.
  /// - Parameters: as of `Letterbox.init`.
  public init(_ image: ImageInput, maxSide: Int, multiple: Int) throws(Status) {
    self = try UprightImage(image).networkInput(maxSide: maxSide, multiple: multiple)
  }

  init(letterbox: Letterbox, bitmap: consuming Bitmap) {
    self.letterbox = letterbox
    self.bitmap = bitmap
  }

  /// The pixels without their letterbox.
  consuming func intoBitmap() -> Bitmap { bitmap }

  /// The whole input: the pixels, and black where it is padded.
  public func padded() throws(Status) -> Bitmap {
    let whole = try Bitmap(size: letterbox.input)
    whole.pixels.update(repeating: 0)
    whole.draw(bitmap.borrowed, x: 0, y: 0)
    return whole
  }
}
