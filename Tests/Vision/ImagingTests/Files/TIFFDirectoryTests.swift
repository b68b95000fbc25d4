import FaceCore
import Imaging
import TestSupport
import Testing

/// Which of a TIFF file's directories is its picture.
@Suite struct TIFFDirectoryTests {
  private static let (subfile, oldSubfile, compression, colours, dng) = (254, 255, 259, 262, 50706)
  private static let sensor = [colours: 32803]

  private func pages(_ file: [UInt8]) -> Int { file.withUnsafeBytes { ImageDecoder.pageCount(of: $0) } }

  /// The full picture is the one of 32 pixels.
  private static let files: [(pages: [TIFFPage], count: Int)] = [
    ([TIFFPage(32)], 1),
    ([TIFFPage(32), TIFFPage(16, [subfile: 1])], 1),
    ([TIFFPage(16, [subfile: 1]), TIFFPage(32)], 1),
    ([TIFFPage(16, [subfile: 1], [TIFFPage(32, [subfile: 0])])], 1),
    ([TIFFPage(16, [subfile: 1], [TIFFPage(20, [subfile: 1]), TIFFPage(32)])], 1),
    ([TIFFPage(16, [subfile: 1], [TIFFPage(20, [subfile: 1], [TIFFPage(32)])])], 1),
    ([TIFFPage(16, [oldSubfile: 2]), TIFFPage(32, [oldSubfile: 1])], 1),
    ([TIFFPage(16, [subfile: 4]), TIFFPage(32)], 1),
    ([TIFFPage(32, [subfile: 2]), TIFFPage(64, [subfile: 2]), TIFFPage(16, [subfile: 2])], 3),
    ([TIFFPage(32), TIFFPage(64)], 2),
    ([TIFFPage(32, [:], [TIFFPage(16, [subfile: 1])]), TIFFPage(64)], 2),
    // There is no full one.
    ([TIFFPage(16, [subfile: 1]), TIFFPage(32, [subfile: 1])], 0),
    // The data of a sensor, smaller than the picture.
    ([TIFFPage(32), TIFFPage(16, sensor)], 1),
  ]

  @Test(arguments: [false, true])
  func theFirstFullPictureIsTaken(isBig: Bool) throws {
    for (index, (pages, count)) in Self.files.enumerated() {
      let file = TIFFPage.file(pages, isBig: isBig)
      #expect(try file.decoded() == Picture(32, 32) { _, _ in RGB(32, 32, 32) }, "file \(index)")
      #expect(self.pages(file) == count, "file \(index)")
    }
    #expect(try pages(Fixture.image("rgb.png")) == 0 && pages([]) == 0)
  }

  @Test(arguments: [
    ([TIFFPage(16, [subfile: 1, dng: 0x401], [TIFFPage(32, sensor)])], "(DNG)"),
    ([TIFFPage(16, [subfile: 1], [TIFFPage(32, [colours: 34892])])], "(in a TIFF)"),
    ([TIFFPage(16, [subfile: 1], [TIFFPage(32, [compression: 34713])])], "(in a TIFF)"),
    ([TIFFPage(16), TIFFPage(32, [compression: 65535])], "(in a TIFF)"),
  ])
  func aRawPhotoIsRefusedByItsName(pages: [TIFFPage], name: String) throws {
    expectFailure(.invalidArgument, "raw photo \(name)", "convert it to JPEG") {
      try TIFFPage.file(pages).decoded()
    }
  }

  /// The name of the camera's maker, in eight letters at the end of the file.
  @Test(arguments: [("NIKON CO", "Nikon NEF"), ("SONY\0\0\0\0", "Sony ARW"), ("Unknown ", "in a TIFF")])
  func theMakerNamesTheFormat(maker: String, format: String) throws {
    var file = TIFFPage.file([TIFFPage(16, [Self.subfile: 1, 271: 0], [TIFFPage(32, Self.sensor)])])
    let entry = try #require(file.indices.dropLast(4).first { file[$0..<$0 + 4] == [0x0F, 1, 4, 0] })
    file.replaceSubrange(
      entry..<entry + 12,
      with: [0x0F, 1, 2, 0, 8, 0, 0, 0] + PNGBytes.bigEndian(UInt32(file.count)).reversed())
    file += Array(maker.utf8)
    expectFailure("raw photo (\(format))") { try file.decoded() }
  }

  /// The last four bytes say that no directory follows, as does the end of the file.
  @Test func aCutFileIsNotItsThumbnail() throws {
    let file = TIFFPage.file([TIFFPage(16, [Self.subfile: 1]), TIFFPage(32)])
    for count in 0...4 { #expect(try file.dropLast(count).decoded().size.width == 32) }
    for count in 5..<file.count - 4 {
      expectFailure(.invalidArgument, comment: "without the last \(count) bytes") {
        try file.dropLast(count).decoded()
      }
    }
  }

  /// A directory that leads to itself, in its chain or as its own subdirectory.
  @Test func aCircleEnds() throws {
    var file = TIFFPage.file([TIFFPage(32)])
    file.replaceSubrange(file.count - 4..<file.count, with: file[4..<8])
    #expect(try file.decoded().size.width == 32)
    var below = TIFFPage.file([TIFFPage(32, [330: 0])])
    let entry = try #require(below.indices.dropLast(4).first { below[$0..<$0 + 4] == [0x4A, 1, 4, 0] })
    below.replaceSubrange(entry + 8..<entry + 12, with: below[4..<8])
    #expect(try below.decoded().size.width == 32)
  }
}
