public import FaceCore

/// A picture file of one call whose header was read: decoded by the call's decoder if it has one for the
/// file's kind, else on the calling thread.
final class PictureFile {
  let header: ImageDecoder.Header
  /// Whether the pixels can be decoded at a reduced scale.
  let isReducible: Bool
  private let bytes: UnsafeRawBufferPointer
  private var opened: (any OpenedFile)?
  private let token: CancellationToken?

  /// Throws as `ImageDecoder.header` and `FileDecoder.open`.
  /// - Parameter bytes: borrowed until this is released.
  init(
    _ bytes: UnsafeRawBufferPointer, _ decoder: (any FileDecoder)?, _ token: CancellationToken?
  ) throws(Status) {
    self.bytes = bytes
    self.token = token
    let kind = try PictureKind(of: bytes)
    isReducible = kind == .jpeg
    if let decoder, decoder.takesAllKinds || !kind.canBeStopped {
      let opened = try decoder.open(bytes, kind, token)
      header = ImageDecoder.Header(size: opened.size, orientation: opened.orientation)
      self.opened = opened
    } else {
      header = try ImageDecoder.header(of: bytes, token)
      opened = nil
    }
  }

  /// Returns the stored pixels, reduced to `scale` if the file's kind allows it.
  func decode(at scale: JPEGScale) throws(Status) -> DecodedPixels {
    guard let opened else { return try ImageDecoder.decode(bytes, at: scale, token) }
    let scale = isReducible ? scale : .full
    let bitmap = try decode(opened, PixelForm(eighths: scale.eighths), size: scale.reduced(header.size))
    return DecodedPixels(bitmap, scale)
  }

  /// Returns the decoder; it is not called again.
  func close() { opened = nil }

  /// Returns the stored pixels with their transparency, not multiplied by it.
  func decodeWithAlpha() throws(Status) -> Bitmap {
    guard let opened else { return try ImageDecoder.decodeWithAlpha(bytes, token) }
    return try decode(opened, PixelForm(keepsAlpha: true), size: header.size)
  }

  private func decode(
    _ opened: any OpenedFile, _ form: PixelForm, size: PixelSize
  ) throws(Status) -> Bitmap {
    try ImageLimits.checkHeld(width: size.width, height: size.height)
    return try Bitmap(size: size, in: try opened.decode(form, size: size, token))
  }
}

extension ImageDecoder {
  /// Loads the library that decodes `kind`, if it is one that is loaded on demand and is installed: a process
  /// without access to files can decode such pictures after that.
  public static func load(_ kind: PictureKind) {
    OptionalCodec(kind)?.load()
  }
}
