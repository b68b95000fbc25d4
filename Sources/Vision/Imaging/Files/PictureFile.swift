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

  /// Reads what the file says about its pixels. To be called before `close`.
  func metadata() throws(Status) -> PictureMetadata {
    if let opened { try opened.metadata(token) } else { try ImageDecoder.metadata(of: bytes, token) }
  }

  /// Returns the stored pixels.
  /// - Parameter form: its scale counts if the file's kind allows it.
  func decode(_ form: PixelForm) throws(Status) -> DecodedPixels {
    var form = form
    if !isReducible { form.eighths = JPEGScale.full.eighths }
    let scale = JPEGScale(eighths: form.eighths)
    return try DecodedPixels(try bitmap(form, scale.reduced(header.size)), scale, hasAlpha: form.keepsAlpha)
  }

  /// Returns the decoder; it is not called again.
  func close() { opened = nil }

  /// Returns the stored pixels with their transparency, not multiplied by it.
  func decodeWithAlpha() throws(Status) -> Bitmap {
    try bitmap(PixelForm(keepsAlpha: true), header.size)
  }

  private func bitmap(_ form: PixelForm, _ size: PixelSize) throws(Status) -> Bitmap {
    guard let opened else { return try ImageDecoder.decode(bytes, form, token) }
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
