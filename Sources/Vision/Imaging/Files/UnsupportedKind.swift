import FaceCore

/// A kind of file that is no picture that is decoded, known by its first bytes. Sources: the formats'
/// specifications; shared-mime-info, freedesktop.org.xml.in.
struct UnsupportedKind {
  /// The name with its article.
  private let name: String
  private let advice: String

  static func rawPhoto(_ format: String) -> UnsupportedKind {
    UnsupportedKind(
      name: "a camera's raw photo (\(format))",
      advice: "convert it to JPEG, PNG or an RGB TIFF with a raw converter, such as darktable-cli")
  }

  var status: Status { .unsupported(name, advice) }

  /// `nil` for a file of any other kind.
  init?(of file: UnsafeRawBufferPointer) {
    guard
      let found = UnsupportedKind.signatures.first(where: { $0.matches(file) })?.kind
        ?? UnsupportedKind.text(file)
    else { return nil }
    self = found
  }

  private init(name: String, advice: String) { (self.name, self.advice) = (name, advice) }

  private static func picture(_ name: String) -> UnsupportedKind {
    UnsupportedKind(name: name, advice: "convert it to JPEG or PNG")
  }

  private static func video(_ name: String) -> UnsupportedKind {
    UnsupportedKind(
      name: name, advice: "search it with face-engine watch, or send its frames as JPEG, PNG or raw pixels")
  }

  private static func archive(_ name: String) -> UnsupportedKind {
    UnsupportedKind(name: name, advice: "unpack it, and send the pictures inside")
  }

  /// Bytes at the beginning of a file, or at `place`.
  private struct Signature {
    let place: Int
    let bytes: [UInt8]
    let kind: UnsupportedKind

    init(_ text: String, at place: Int = 0, _ kind: UnsupportedKind) {
      self.init(Array(text.utf8), at: place, kind)
    }

    init(_ bytes: [UInt8], at place: Int = 0, _ kind: UnsupportedKind) {
      (self.place, self.bytes, self.kind) = (place, bytes, kind)
    }

    func matches(_ file: UnsafeRawBufferPointer) -> Bool {
      file.count >= place + bytes.count && file[place..<place + bytes.count].elementsEqual(bytes)
    }
  }

  private static let signatures = [
    // Raw photos, and video in the same container as HEIC.
    Signature("ftypcrx ", at: 4, rawPhoto("Canon CR3")), Signature("HEAPCCDR", at: 6, rawPhoto("Canon CRW")),
    Signature("FUJIFILMCCD-RAW", rawPhoto("Fujifilm RAF")), Signature("IIRO", rawPhoto("Olympus ORF")),
    Signature("IIRS", rawPhoto("Olympus ORF")), Signature("MMOR", rawPhoto("Olympus ORF")),
    Signature("IIU\0", rawPhoto("Panasonic RW2")), Signature("FOVb", rawPhoto("Sigma X3F")),
    Signature("\0MRM", rawPhoto("Minolta MRW")), Signature("ftyp", at: 4, video("an MP4 or QuickTime video")),
    // Pictures.
    Signature("jP  ", at: 4, picture("a JPEG 2000")),
    Signature([0xFF, 0x4F, 0xFF, 0x51], picture("a JPEG 2000")),
    Signature("JXL ", at: 4, picture("a JPEG XL")), Signature([0xFF, 0x0A], picture("a JPEG XL")),
    Signature([0x49, 0x49, 0xBC], picture("a JPEG XR")),
    Signature("8BPS", picture("a Photoshop document (PSD)")),
    Signature("gimp xcf", picture("a GIMP picture (XCF)")), Signature("%PDF-", picture("a PDF document")),
    Signature("%!PS", picture("a PostScript file")),
    Signature([0xC5, 0xD0, 0xD3, 0xC6], picture("an EPS file")),
    Signature([0, 0, 2, 0, 0, 0, 0, 0], picture("a TGA")),
    Signature([0, 0, 10, 0, 0, 0, 0, 0], picture("a TGA")),
    Signature([10, 5, 1], picture("a PCX")), Signature([0, 0, 1, 0], picture("an icon (ICO)")),
    Signature([0, 0, 2, 0], picture("a cursor (CUR)")),
    Signature([0x76, 0x2F, 0x31, 0x01], picture("an OpenEXR")), Signature("#?R", picture("a Radiance HDR")),
    Signature("DDS ", picture("a DirectDraw surface (DDS)")), Signature("qoif", picture("a QOI")),
    Signature("FLIF", picture("a FLIF")), Signature([0x42, 0x50, 0x47, 0xFB], picture("a BPG")),
    Signature("AT&TFORM", picture("a DjVu document")), Signature("SIMPLE  =", picture("a FITS file")),
    Signature("DICM", at: 128, picture("a DICOM file")), Signature("SDPX", picture("a DPX")),
    Signature("XPDS", picture("a DPX")), Signature([0x8A, 0x4D, 0x4E, 0x47], picture("an MNG")),
    Signature([0x8B, 0x4A, 0x4E, 0x47], picture("a JNG")),
    Signature(" EMF", at: 40, picture("a Windows metafile")),
    Signature([0xD7, 0xCD, 0xC6, 0x9A], picture("a Windows metafile")),
    // Videos and archives.
    Signature("AVI ", at: 8, video("an AVI video")), Signature("OggS", video("an Ogg video")),
    Signature([0x1A, 0x45, 0xDF, 0xA3], video("a WebM or Matroska video")),
    Signature("FLV", video("a Flash video")),
    Signature([0, 0, 1, 0xBA], video("an MPEG video")), Signature([0, 0, 1, 0xB3], video("an MPEG video")),
    Signature([0x30, 0x26, 0xB2, 0x75], video("a Windows Media video")),
    Signature("YUV4MPEG2", video("a Y4M video")), Signature("moov", at: 4, video("a QuickTime video")),
    Signature("mdat", at: 4, video("a QuickTime video")),
    Signature([0x50, 0x4B, 3, 4], archive("a ZIP archive")), Signature([0x1F, 0x8B], archive("a gzip file")),
    Signature([0x37, 0x7A, 0xBC, 0xAF], archive("a 7z archive")), Signature("Rar!", archive("a RAR archive")),
  ]

  /// Kinds of text, and the pictures whose header is text.
  private static func text(_ file: UnsafeRawBufferPointer) -> UnsupportedKind? {
    if file.count > 2, file[0] == UInt8(ascii: "P"), UInt8(ascii: "1")...UInt8(ascii: "7") ~= file[1],
      [0x0A, 0x0D, 0x20].contains(file[2])
    {
      return picture("a PNM (PBM, PGM, PPM or PAM)")
    }
    // In lower case, without a String, which would link the library for regular expressions.
    let letters = file.prefix(1024).map { $0 | 0x20 }
    func contains(_ tag: StaticString) -> Bool {
      let bytes = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
      return letters.indices.contains { letters[$0...].starts(with: bytes) }
    }
    if contains("<svg") { return picture("an SVG drawing") }
    guard contains("<html") || contains("<!doctype html") else { return nil }
    return UnsupportedKind(
      name: "a web page", advice: "download the picture itself, which the page may only show")
  }
}
