import FaceCore
import Imaging
import TestSupport
import Testing

/// Whole files of kinds that are not decoded: the error names the kind, and says nothing of damage.
@Suite struct UnsupportedKindTests {
  private func refusal(_ file: [UInt8]) -> Status? {
    failure { () throws(Status) in
      try file.borrowed { file throws(Status) in _ = try ImageDecoder.decode(file) }
    }
  }

  private func expect(_ file: [UInt8], isCalled name: String) {
    let refused = refusal(file)
    #expect(refused?.code == .invalidArgument, "\(name): \(refused?.message ?? "decoded")")
    let message = refused?.message ?? ""
    #expect(message.contains(name) && message.contains("which is not supported; "), "\(name): \(message)")
    #expect(!message.contains("damaged"))
  }

  /// The kind of a JPEG is in its frame: marker, length, precision, height.
  @Test(arguments: [
    (0xC1, 12, "a JPEG of 12 bits a sample"), (0xC3, 8, "a lossless JPEG"), (0xC5, 8, "a hierarchical JPEG"),
    (0xCB, 8, "a lossless JPEG in arithmetic coding"), (0xF7, 8, "a JPEG-LS"),
  ])
  func jpeg(frame: Int, bits: Int, name: String) throws {
    var file = try Fixture.image("quarters.jpg")
    let place = try #require(JPEGBytes.firstSegment(0xC0, in: file))
    (file[place + 1], file[place + 4]) = (UInt8(frame), UInt8(bits))
    expect(file, isCalled: name)
  }

  @Test func aJPEGWithItsHeightAtTheEnd() throws {
    var file = try Fixture.image("quarters.jpg")
    let place = try #require(JPEGBytes.firstSegment(0xC0, in: file))
    let height = Array(file[place + 5..<place + 7])
    file.replaceSubrange(place + 5..<place + 7, with: [0, 0])
    file.replaceSubrange(file.count - 2..<file.count, with: [0xFF, 0xDC, 0, 4] + height + [0xFF, 0xD9])
    expect(file, isCalled: "states its height after its pixels (DNL)")
  }

  @Test func png() throws {
    let late = try PNGBytes.inserting("CgBI", [0x50, 0, 0x20, 2], into: "rgb.png")
    expect(late, isCalled: "a PNG with a chunk")
    var apple = try Fixture.image("rgb.png")
    apple.insert(contentsOf: PNGBytes.chunk("CgBI", [0x50, 0, 0x20, 2]), at: 8)
    expect(apple, isCalled: "Apple's own form (CgBI)")
  }

  /// Samples of 32 bits that are floating-point numbers, and of 16 bits with a compression that nobody knows.
  @Test func tiff() {
    expect(TIFFPage.file([TIFFPage(16, [258: 32, 262: 1, 277: 1, 339: 3])]), isCalled: "a TIFF that libtiff")
    expect(TIFFPage.file([TIFFPage(16, [258: 64, 262: 1, 277: 1])]), isCalled: "a TIFF that libtiff")
  }

  /// Bytes of the header of rgb.bmp: its size, bits a pixel, and compression.
  @Test(arguments: [
    (14, 16, "a BMP with a header of 16 bytes"), (28, 64, "a BMP of 64 bits"),
    (30, 4, "a BMP with a JPEG inside"), (30, 11, "a BMP of compression 11"),
  ])
  func bmp(place: Int, value: Int, name: String) throws {
    var file = try Fixture.image("rgb.bmp")
    file[place] = UInt8(value)
    expect(file, isCalled: name)
  }

  @Test(arguments: [
    ("avis\0\0\0\0", "moov", "sequence without a still picture"),
    ("avif\0\0\0\0", "mini", "a short header (mini)"),
    // Known by a brand that it is compatible with.
    ("xxxx\0\0\0\0xxxxmif1", "moov", "sequence without a still picture"),
  ])
  func heif(brands: String, box: String, name: String) {
    let size = UInt8(8 + brands.utf8.count)
    expect([0, 0, 0, size] + Array("ftyp\(brands)\0\0\0\u{8}\(box)".utf8), isCalled: name)
  }

  /// By their first bytes; zeros follow.
  private static let beginnings: [(start: [UInt8], name: String)] =
    [
      ("\0\0\0\u{18}ftypcrx ", "Canon CR3"), ("FUJIFILMCCD-RAW 0201", "Fujifilm RAF"),
      ("IIRO\u{8}", "Olympus ORF"),
      ("IIU\0", "Panasonic RW2"), ("II*\0\u{10}\0\0\0CR\u{2}\0", "Canon CR2"),
      ("\0\0\0\u{18}ftypisom", "an MP4"),
      ("\0\0\0\u{C}jP  \r\n", "JPEG 2000"), ("\0\0\0\u{C}JXL \r\n", "JPEG XL"), ("8BPS", "Photoshop"),
      ("%PDF-1.7", "PDF"), ("\0\0\u{1}\0", "ICO"), ("P6\n4 4\n255\n", "PNM"), ("RIFF\0\0\0\0AVI ", "AVI"),
      ("<?xml version=\"1.0\"?><svg>", "SVG"), ("<!DOCTYPE HTML><title>", "a web page"),
      ("PK\u{3}\u{4}", "ZIP"),
    ].map { (Array($0.utf8), $1) }

  @Test func otherFiles() {
    for (start, name) in Self.beginnings {
      let file = start + [UInt8](repeating: 0, count: 200)
      expect(file, isCalled: name)
      let isTIFF = start.starts(with: [0x49, 0x49, 0x2A])
      #expect(file.withUnsafeBytes(ImageDecoder.isPicture) == isTIFF, "\(name) in a folder")
    }
  }
}
