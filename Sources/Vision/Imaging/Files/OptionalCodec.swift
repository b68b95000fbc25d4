import COptionalCodecs
import FaceCore

/// Decoders of rarer kinds of pictures, through libraries that are loaded on first use and need not be
/// installed.
enum OptionalCodec: CaseIterable {
  case heif
  case tiff
  case bmp
  case gif

  /// Reads the header in place: what the libraries read for it is checked before, so that it is in
  /// proportion to the file.
  static func header(
    of file: UnsafeRawBufferPointer, _ codec: OptionalCodec, _ token: CancellationToken?
  ) throws(Status) -> ImageDecoder.Header {
    let opened = try Opened(file, codec)
    return ImageDecoder.Header(size: opened.size, orientation: opened.orientation)
  }

  /// Decodes a file, or the first picture of one that has several.
  static func decode(
    _ file: UnsafeRawBufferPointer, _ codec: OptionalCodec, _ token: CancellationToken?,
    _ makeBitmap: @escaping BitmapMaker = Bitmap.init
  ) throws(Status) -> Bitmap {
    try DetachedDecoding.run(file, codec.name, token) { (file) throws(Status) in
      try Opened(file, codec).decode(makeBitmap)
    }
  }

  /// One file whose header was read.
  private final class Opened {
    private let codec: OptionalCodec
    // libtiff keeps the address.
    private let raw: UnsafeMutablePointer<face_codec>
    let size: PixelSize

    init(_ file: UnsafeRawBufferPointer, _ codec: OptionalCodec) throws(Status) {
      self.codec = codec
      raw = .allocate(capacity: 1)
      let status = face_codec_open(
        raw, codec.rawKind, file.baseAddress, file.count, UInt32(ImageLimits.maxHeldPixels))
      size = PixelSize(width: Int(raw.pointee.width), height: Int(raw.pointee.height))
      try check(status)
      try ImageLimits.checkHeld(width: size.width, height: size.height, alternative: ImageLimits.asJPEG)
    }

    deinit {
      face_codec_close(raw)
      raw.deallocate()
    }

    var orientation: Orientation? {
      UInt8(exactly: raw.pointee.orientation).flatMap(Orientation.init(rawValue:))
    }

    func decode(_ makeBitmap: BitmapMaker) throws(Status) -> Bitmap {
      let bitmap = try makeBitmap(size)
      try check(face_codec_decode(raw, bitmap.pixels.baseAddress))
      return bitmap
    }

    private func check(_ status: face_codec_status) throws(Status) {
      if status == FACE_CODEC_DONE { return }
      let reason = withUnsafeBytes(of: raw.pointee.reason) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      switch status {
      case FACE_CODEC_NO_LIBRARY:
        throw Status(
          .failedPrecondition,
          "image is \(codec.name), which needs \(reason): install the Debian package \(codec.package), or convert it to JPEG"
        )
      case FACE_CODEC_NO_DECODER:
        throw Status(
          .failedPrecondition,
          "image is \(codec.name), which \(codec.package) cannot decode here (\(reason)): install \(codec.plugins), or "
            + "convert it to JPEG")
      case FACE_CODEC_OVER_LIMIT:
        throw Status(
          .outOfRange,
          "image is \(codec.name) that takes far more work to decode than a picture of its size (\(reason)): save it "
            + "anew, or convert it to JPEG")
      case FACE_CODEC_NO_DESCRIPTOR:
        throw Status(
          .resourceExhausted,
          "image is \(codec.name), and no descriptor is left to open \(reason); close files that are not needed, or "
            + "raise the limit of open files (ulimit -n)")
      case FACE_CODEC_NO_MEMORY: throw .noMemory(toDecode: codec.name)
      default:
        throw .damaged(codec.name, reason)
      }
    }
  }

  /// The codec of a kind; `nil` if its library is always there.
  init?(_ kind: PictureKind) {
    guard let codec = OptionalCodec.allCases.first(where: { $0.kind == kind }) else { return nil }
    self = codec
  }

  var kind: PictureKind {
    switch self {
    case .heif: .heif
    case .tiff: .tiff
    case .bmp: .bmp
    case .gif: .gif
    }
  }

  private var rawKind: face_codec_kind {
    switch self {
    case .heif: FACE_CODEC_HEIF
    case .tiff: FACE_CODEC_TIFF
    case .bmp: FACE_CODEC_BMP
    case .gif: FACE_CODEC_GIF
    }
  }

  private var name: String { kind.name }

  /// Loads the library, with what it loads itself at its first picture.
  func load() { face_codec_load(rawKind) }

  /// The Debian package of the library.
  private var package: String {
    switch self {
    case .heif: "libheif1"
    case .tiff: "libtiff6"
    case .bmp, .gif: "libgdk-pixbuf-2.0-0"
    }
  }

  /// The package with plugins that the library also needs where it is built in parts.
  private var plugins: String {
    self == .heif ? "libheif-plugin-libde265 for HEIC, libheif-plugin-dav1d for AVIF" : "\(package) in full"
  }

  /// Detects the kind of a file by its first bytes. Sources: ISO/IEC 14496-12, "File Type Box", with the
  /// brands of ISO/IEC 23008-12 and AV1 Image File Format; TIFF 6.0, section 2; GIF89a, "Header"; Microsoft,
  /// BITMAPFILEHEADER.
  init?(of file: UnsafeRawBufferPointer) {
    if file.starts(with: [0x49, 0x49, 0x2A, 0]) || file.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      self = .tiff
    } else if file.starts(with: Array("GIF87a".utf8)) || file.starts(with: Array("GIF89a".utf8)) {
      self = .gif
    } else if file.starts(with: Array("BM".utf8)), file.count > 18,
      OptionalCodec.bmpHeaders.contains(file[14]),
      file[15] == 0, file[16] == 0, file[17] == 0
    {
      self = .bmp
    } else if file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8),
      OptionalCodec.brands.contains(where: { file[8..<12].elementsEqual($0.utf8) })
    {
      self = .heif
    } else {
      return nil
    }
  }

  private static let brands = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis",
  ]
  /// The sizes of the known headers, in bytes.
  private static let bmpHeaders: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]
}
