public import FaceCore

/// A picture file of one call whose header was read: decoded by the call's decoder if it has one for the
/// file's kind, else on the calling thread.
final class PictureFile {
  let header: ImageDecoder.Header
  /// Whether the pixels can be decoded at a reduced scale.
  let isReducible: Bool
  /// The bytes of pictures that are made of the decoded one, and live beside it.
  var bytesMade = 0
  private let bytes: UnsafeRawBufferPointer
  private let kind: PictureKind
  private let token: CancellationToken?
  private let memory: (any PictureMemory)?
  /// The memory of the file's copy and, once it is decoded, of the pixels.
  private var share: (any PictureShare)?
  /// What decodes it, if the calling thread does not; the file it has opened.
  private let decoder: (any FileDecoder)?
  private var opened: (any OpenedFile)?

  /// The bytes of a decoder's own copy of the file; a process has stacks and small allocations, too.
  private var copyBytes: Int {
    if decoder != nil { return bytes.count + Self.processBytes }
    return kind.canBeStopped ? 0 : bytes.count
  }

  private static let processBytes = 1 << 20

  /// Throws as `ImageDecoder.header`, `FileDecoder.open` and `PictureMemory.take`.
  /// - Parameters:
  ///   - bytes: borrowed until this is released.
  ///   - image: the image whose decoder, memory and token are used.
  init(_ bytes: UnsafeRawBufferPointer, of image: ImageInput) throws(Status) {
    self.bytes = bytes
    (token, memory) = (image.cancellation, image.memory)
    kind = try PictureKind(of: bytes)
    isReducible = kind == .jpeg
    decoder = image.decoder.flatMap { [kind] in $0.takesAllKinds || !kind.canBeStopped ? $0 : nil }
    if let decoder {
      share = try memory?.take(bytes.count + Self.processBytes, token)
      let opened = try decoder.open(bytes, kind, token)
      header = ImageDecoder.Header(
        size: opened.size, orientation: opened.orientation, workBytes: opened.workBytes)
      self.opened = opened
    } else {
      header = try ImageDecoder.header(of: bytes, token)
    }
  }

  // The memory is free before another call gets it.
  deinit { opened = nil }

  /// Reads what the file says about its pixels. To be called before `decode`.
  func metadata() throws(Status) -> PictureMetadata {
    if let opened { try opened.metadata(token) } else { try ImageDecoder.metadata(of: bytes, token) }
  }

  /// Returns the stored pixels. Those of an earlier call are not used any more.
  /// - Parameter form: its scale counts if the file's kind allows it.
  func decode(_ form: PixelForm) throws(Status) -> DecodedPixels {
    var form = form
    if !isReducible { form.eighths = JPEGScale.full.eighths }
    let scale = JPEGScale(eighths: form.eighths)
    return try DecodedPixels(try bitmap(form, scale.reduced(header.size)), scale, hasAlpha: form.keepsAlpha)
  }

  /// Returns the decoder; the file is not decoded again.
  func close() {
    opened = nil
    if let share { _ = share.resize(to: min(share.byteCount, pixelBytes)) }
  }

  /// Returns the stored pixels with their transparency, not multiplied by it.
  func decodeWithAlpha() throws(Status) -> Bitmap { try bitmap(PixelForm(keepsAlpha: true), header.size) }

  private func bitmap(_ form: PixelForm, _ size: PixelSize) throws(Status) -> Bitmap {
    try reserve(size)
    guard let opened else { return try ImageDecoder.decode(bytes, form, token) }
    try ImageLimits.checkHeld(width: size.width, height: size.height)
    return try Bitmap(size: size, in: try opened.decode(form, size: size, token))
  }

  /// The bytes of the largest pixels for which memory was reserved.
  private var pixelBytes = 0

  /// Reserves the memory for everything at once. If it is not free, holds nothing while it waits: no two calls may wait
  /// for each other.
  private func reserve(_ size: PixelSize) throws(Status) {
    guard let memory else { return }
    pixelBytes = max(pixelBytes, size.width * size.height * Bitmap.bytesPerPixel + bytesMade)
    let byteCount = copyBytes + header.workBytes + pixelBytes
    if let share, share.byteCount >= byteCount || share.resize(to: byteCount) { return }
    let isOpened = opened != nil
    (opened, share) = (nil, nil)
    share = try memory.take(byteCount, token)
    if isOpened, let decoder { opened = try decoder.open(bytes, kind, token) }
  }
}

extension ImageDecoder {
  /// Loads the library that decodes `kind`, if it is one that is loaded on demand and is installed: a process
  /// without access to files can decode such pictures after that.
  public static func load(_ kind: PictureKind) {
    OptionalCodec(kind)?.load()
  }
}
