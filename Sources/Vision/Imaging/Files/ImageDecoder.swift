import COptionalCodecs
import CPictureDecoders
public import FaceCore

/// Decodes whole picture files into pixels as they are stored, with the orientation of their EXIF: JPEG, PNG
/// and WebP, and, through libraries that may be missing, HEIC, AVIF, TIFF, BMP and GIF.
public enum ImageDecoder {
  public struct Decoded: ~Copyable {
    public let bitmap: Bitmap
    /// The orientation from the file's EXIF; `nil` if there is none.
    public let orientation: Orientation?
  }

  public struct Header: Equatable, Sendable {
    /// The stored size, within `ImageLimits`.
    public let size: PixelSize
    /// The orientation from the file's EXIF; `nil` if there is none.
    public let orientation: Orientation?
    /// The bytes that decoding takes beside the file and the pixels.
    public var workBytes = 0
  }

  /// Decodes a file. Throws `invalidArgument` for a file that is damaged or of another kind, `outOfRange` for
  /// one too large or small, `failedPrecondition` if the library for it is missing, `resourceExhausted`
  /// without memory, and the token's error; the token is checked every few milliseconds.
  public static func decode(
    _ file: UnsafeRawBufferPointer, _ token: CancellationToken? = nil
  ) throws(Status) -> Decoded {
    Decoded(
      bitmap: try decode(file, PixelForm(), token, Bitmap.init),
      orientation: try header(of: file, token).orientation)
  }

  /// Returns whether a file is a picture of a known kind by its first bytes, for which 32 are enough.
  public static func isPicture(_ beginning: UnsafeRawBufferPointer) -> Bool {
    (try? PictureKind(of: beginning)) != nil
  }

  /// Returns the header without reading pixels. Throws as `decode`, as far as the header shows.
  public static func header(
    of file: UnsafeRawBufferPointer, _ token: CancellationToken? = nil
  ) throws(Status) -> Header {
    switch try PictureKind(of: file) {
    case .jpeg: return try JPEG.header(of: file, token)
    case .png:
      return Header(
        size: try PNG.size(of: file, token), orientation: try Exif.orientation(ofPNG: file, token))
    case .webP:
      let (size, workBytes) = try WebP.size(of: file)
      return Header(
        size: size, orientation: try Exif.orientation(ofWebP: file, token), workBytes: workBytes)
    case let kind: return try optionalCodec(kind).header(of: file)
    }
  }

  /// Returns what a file says about its pixels, without reading them. Throws as `header`.
  public static func metadata(
    of file: UnsafeRawBufferPointer, _ token: CancellationToken? = nil
  ) throws(Status) -> PictureMetadata {
    switch try PictureKind(of: file) {
    case .jpeg: try JPEG.metadata(of: file, token)
    case .png: try PictureDecoder.metadata(of: file, PICTURE_PNG, "PNG", token)
    case .webP: try WebP.metadata(of: file, token)
    case let kind: try optionalCodec(kind).metadata(of: file)
    }
  }

  /// Returns how many full pictures a TIFF file has; the first is decoded. 0 for other files. Needs no library
  /// and no decoder.
  public static func pageCount(of file: UnsafeRawBufferPointer) -> Int {
    guard (try? PictureKind(of: file)) == .tiff else { return 0 }
    return Int(face_codec_tiff_pages(file.baseAddress, file.count))
  }

  /// Returns the stored pixels in `form`; its scale counts if the file's kind allows it.
  static func decode(
    _ file: UnsafeRawBufferPointer, _ form: PixelForm, _ token: CancellationToken?
  ) throws(Status) -> Bitmap {
    try decode(file, form, token, Bitmap.init)
  }

  private static func decode(
    _ file: UnsafeRawBufferPointer, _ form: PixelForm, _ token: CancellationToken?,
    _ makeBitmap: @escaping BitmapMaker
  ) throws(Status) -> Bitmap {
    switch try PictureKind(of: file) {
    case .jpeg: try JPEG.decode(file, at: JPEGScale(eighths: form.eighths), token, makeBitmap)
    case .png: try PNG.decode(file, form, token, makeBitmap)
    case .webP: try WebP.decode(file, keepingAlpha: form.keepsAlpha, token, makeBitmap)
    case let kind: try optionalCodec(kind).decode(file, token, makeBitmap)
    }
  }

  private static func optionalCodec(_ kind: PictureKind) throws(Status) -> OptionalCodec {
    guard let codec = OptionalCodec(kind) else { throw Status(.internal, "\(kind.name) has no decoder") }
    return codec
  }

  /// Decodes a file into the beginning of `memory`, as another process asked for it. Throws as `decode`, and
  /// `invalidArgument` if there is less room than the pixels need.
  /// - Returns: the size of the picture.
  public static func decode(
    _ file: UnsafeRawBufferPointer, _ form: PixelForm, into memory: any PixelMemory
  ) throws(Status) -> PixelSize {
    let bitmap = try decode(file, form, nil) { (size) throws(Status) in try Bitmap(size: size, in: memory) }
    return bitmap.size
  }
}

/// A decoded file that several readers share.
final class DecodedPixels {
  let bitmap: Bitmap
  let scale: JPEGScale
  /// Whether colours are multiplied by alpha; else all alpha is 255.
  let isTransparent: Bool

  /// - Parameter hasAlpha: whether alpha may be other than 255, with colours that are not multiplied by it.
  init(_ bitmap: consuming Bitmap, _ scale: JPEGScale, hasAlpha: Bool) throws(Status) {
    self.scale = scale
    isTransparent = hasAlpha ? !bitmap.isOpaque : false
    if isTransparent {
      self.bitmap = try bitmap.multipliedByAlpha()
    } else {
      self.bitmap = bitmap
    }
  }
}

extension PictureKind {
  /// Detects the kind of a file by its first bytes. Throws `invalidArgument` for any other kind.
  init(of file: UnsafeRawBufferPointer) throws(Status) {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if WebPChunks.isWebP(file) {
      self = .webP
    } else if let kind = PictureKind(optional: file) {
      self = kind
    } else {
      throw UnsupportedKind(of: file)?.status
        ?? Status(
          .invalidArgument,
          file.isEmpty
            ? "image has no bytes; send a whole picture file"
            : "image does not begin like a JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP or GIF file; convert it, or send raw pixels with their format"
        )
    }
  }
}
