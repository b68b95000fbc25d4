import COptionalCodecs
import FaceCore

import func Glibc.free

/// Decoders of rarer kinds of pictures, through libraries that are loaded on first use and need not be
/// installed.
struct OptionalCodec {
  let kind: PictureKind
  private let raw: face_codec_kind
  /// The Debian package of the library, and those with plugins that it needs where it is built in parts.
  private let package: String
  private let plugins: String

  private static let all = [
    OptionalCodec(
      kind: .heif, raw: FACE_CODEC_HEIF, package: "libheif1",
      plugins: "libheif-plugin-libde265 for HEIC, libheif-plugin-dav1d for AVIF"),
    OptionalCodec(kind: .tiff, raw: FACE_CODEC_TIFF, package: "libtiff6", plugins: "libtiff6 in full"),
    OptionalCodec(
      kind: .bmp, raw: FACE_CODEC_BMP, package: "libgdk-pixbuf-2.0-0", plugins: "libgdk-pixbuf-2.0-0 in full"),
    OptionalCodec(
      kind: .gif, raw: FACE_CODEC_GIF, package: "libgdk-pixbuf-2.0-0", plugins: "libgdk-pixbuf-2.0-0 in full"),
  ]

  /// Reads the header in place. That is in proportion to the file, except for a HEIC or AVIF that attacks libheif.
  func header(of file: UnsafeRawBufferPointer) throws(Status) -> ImageDecoder.Header {
    let opened = try Opened(file, self)
    return ImageDecoder.Header(
      size: opened.size, orientation: opened.orientation,
      workBytes: workBytesPerPixel * opened.size.width * opened.size.height)
  }

  /// Reads in place what a file says about its pixels.
  func metadata(of file: UnsafeRawBufferPointer) throws(Status) -> PictureMetadata {
    try Opened(file, self).metadata
  }

  /// Decodes a file, or the first full picture of one that has several.
  func decode(
    _ file: UnsafeRawBufferPointer, _ token: CancellationToken?, _ makeBitmap: @escaping BitmapMaker
  ) throws(Status) -> Bitmap {
    try DetachedDecoding.run(file, name, token) { (file) throws(Status) in
      try Opened(file, self).decode(makeBitmap)
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
        raw, codec.raw, file.baseAddress, file.count, UInt32(ImageLimits.maxHeldPixels))
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

    var metadata: PictureMetadata {
      var description = face_codec_description()
      face_codec_describe(raw, &description)
      defer { free(description.profile) }
      return PictureMetadata(
        profile: UnsafeRawBufferPointer(start: description.profile, count: description.profile_size),
        PictureMetadata.Resolution(x: description.x_per_metre, y: description.y_per_metre))
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
      case FACE_CODEC_UNSUPPORTED: throw .unsupported(reason)
      case FACE_CODEC_RAW_PHOTO: throw UnsupportedKind.rawPhoto(reason).status
      case FACE_CODEC_OVER_LIMIT:
        throw Status(
          .outOfRange,
          "image is \(codec.name) that takes far more work to decode than a picture of its size (\(reason)): save it "
            + "again, or convert it to JPEG")
      case FACE_CODEC_NO_DESCRIPTOR:
        throw Status(
          .resourceExhausted,
          "image is \(codec.name), and no descriptor is left to open \(reason); close files that are not needed, or "
            + "raise the limit of open files (ulimit -n)")
      case FACE_CODEC_NO_KEY:
        throw Status(
          .resourceExhausted,
          "image is \(codec.name), and no thread key is left for \(reason) (pthread_key_create); free some, or set "
            + "decoder_process")
      case FACE_CODEC_NO_MEMORY: throw .noMemory(toDecode: codec.name)
      default:
        throw .damaged(codec.name, reason)
      }
    }
  }

}

extension OptionalCodec {
  /// The codec of a kind; `nil` if its library is always there.
  init?(_ kind: PictureKind) {
    guard let codec = OptionalCodec.all.first(where: { $0.kind == kind }) else { return nil }
    self = codec
  }

  private var name: String { kind.name }

  /// The bytes per pixel that a library takes at most beside file and pixels: planes and a packed copy of them, strips
  /// of 16 bits, or a picture that it returns.
  private var workBytesPerPixel: Int { kind == .heif ? 12 : 8 }

  /// Loads the library, with what it loads itself at its first picture.
  func load() { face_codec_load(raw) }
}

extension PictureKind {
  /// Detects the kind of a file that needs an optional codec by its first bytes. Sources: ISO/IEC 14496-12,
  /// "File Type Box", with the brands of ISO/IEC 23008-12 and AV1 Image File Format; TIFF 6.0, section 2;
  /// BigTIFF; GIF89a, "Header"; Microsoft, BITMAPFILEHEADER.
  init?(optional file: UnsafeRawBufferPointer) {
    if PictureKind.tiffHeaders.contains(where: { file.starts(with: $0) }) {
      self = .tiff
    } else if file.starts(with: Array("GIF87a".utf8)) || file.starts(with: Array("GIF89a".utf8)) {
      self = .gif
    } else if file.starts(with: Array("BM".utf8)), file.count > 18,
      PictureKind.bmpHeaders.contains(file[14]), file[15] == 0, file[16] == 0, file[17] == 0
    {
      self = .bmp
    } else if PictureKind.isHEIF(file) {
      self = .heif
    } else {
      return nil
    }
  }

  /// The last two are those of BigTIFF.
  private static let tiffHeaders: [[UInt8]] = [
    [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2B],
  ]

  /// Whether the file is of one of the brands, or compatible with it.
  private static func isHEIF(_ file: UnsafeRawBufferPointer) -> Bool {
    guard file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8) else { return false }
    let size = (0..<4).reduce(0) { $0 << 8 | Int(file[$1]) }
    return stride(from: 8, through: max(8, min(size, file.count, maxBrands) - 4), by: 4).contains { place in
      place != 12 && brands.contains { file[place..<place + 4].elementsEqual($0.utf8) }
    }
  }

  private static let brands = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis",
  ]
  /// The bytes in which a brand is looked for; some videos have more.
  private static let maxBrands = 64
  /// The sizes of the known headers, in bytes.
  private static let bmpHeaders: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]
}
