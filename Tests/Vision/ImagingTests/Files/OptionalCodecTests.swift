import FaceCore
import Imaging
import TestSupport
import Testing

/// The pictures of PNGTests and JPEGTests, in formats whose libraries the set-up for tests installs.
@Suite struct OptionalCodecTests {
  private func header(_ file: [UInt8]) throws(Status) -> ImageDecoder.Header {
    try file.borrowed { file throws(Status) in try ImageDecoder.header(of: file) }
  }

  @Test(arguments: ["rgb.bmp", "rgb_top_down.bmp", "rgb.tiff", "exif_6.tiff"])
  func colourIsExact(name: String) throws {
    #expect(try Fixture.image(name).decoded() == PNGTests.picture(PNGTests.rgb))
  }

  @Test(arguments: ["palette.gif", "animated.gif"])
  func theFirstPictureOfAGIFIsTaken(name: String) throws {
    #expect(try Fixture.image(name).decoded() == Fixture.image("palette.png").decoded())
  }

  /// `palette.gif` with `count` blocks of 255 bytes before its picture (a comment), or after the data of the
  /// picture, which then go on beyond its pixels. Source: GIF89a, "Comment Extension".
  private static func gif(blocks count: Int, insidePicture: Bool) throws -> [UInt8] {
    var file = try Fixture.image("palette.gif")
    let blocks = Array(repeatElement([255] + [UInt8](repeating: 0, count: 255), count: count).joined())
    if insidePicture {
      file.insert(contentsOf: blocks, at: file.count - 2)
    } else {
      file.insert(contentsOf: [0x21, 0xFE] + blocks + [0], at: 13 + 48)
    }
    return file
  }

  /// Its loader is given the file in pieces of some kilobytes.
  @Test func aGIFIsReadInPieces() throws {
    #expect(
      try Self.gif(blocks: 100, insidePicture: false).decoded() == Fixture.image("palette.gif").decoded())
  }

  @Test func dataOfAGIFAreBoundedByItsPixels() throws {
    #expect(
      try Self.gif(blocks: 200, insidePicture: true).decoded() == Fixture.image("palette.gif").decoded())
    expectFailure(.invalidArgument) { try Self.gif(blocks: 300, insidePicture: true).decoded() }
  }

  @Test(arguments: ["quarters.heic", "quarters.avif"])
  func heicAndAVIFColoursAreAsPaintedAwayFromBorders(name: String) throws {
    JPEGTests.expectQuarters(try Fixture.image(name).decoded(), within: 6)
  }

  @Test func orientationIsReadFromTIFF() throws {
    let header = try header(try Fixture.image("exif_6.tiff"))
    #expect(header.orientation == .right && header.size == PixelSize(width: 37, height: 23))
    #expect(try self.header(try Fixture.image("rgb.tiff")).orientation == .up)
  }

  /// A clockwise quarter turn moves the lower left corner to the upper left. It is applied once.
  @Test func heicIsTurnedOnceByItsLibrary() throws {
    let file = try Fixture.image("turned.heic")
    let header = try header(file)
    #expect(header.orientation == .up && header.size == PixelSize(width: 32, height: 48))
    let (turned, plain) = (try file.decoded(), try Fixture.image("quarters.heic").decoded())
    #expect(turned.size == PixelSize(width: 32, height: 48))
    #expect(turned[4, 8].distance(to: plain[8, 28]) <= 6 && turned[28, 8].distance(to: plain[8, 4]) <= 6)
  }

  /// Such headers are refused before any pixel is decoded.
  @Test func headersWithTooManyPixelsAreRefused() throws {
    var bmp = try Fixture.image("rgb.bmp")
    bmp.replaceSubrange(18..<26, with: [0, 0x40, 0, 0, 0, 0x40, 0, 0])
    expectFailure(.outOfRange) { try bmp.decoded() }
    var gif = try Fixture.image("palette.gif")
    gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
    expectFailure(.outOfRange) { try gif.decoded() }
    // The picture lies beyond the screen.
    var large = try Fixture.image("palette.gif")
    let place = 13 + 48
    #expect(large[place] == 0x2C)
    large.replaceSubrange(place + 5..<place + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    expectFailure(.invalidArgument) { try large.decoded() }
    var tiff = try Fixture.image("rgb.tiff")
    tiff.replaceSubrange(18..<20, with: [0, 0x40])
    tiff.replaceSubrange(30..<32, with: [0, 0x40])
    expectFailure(.outOfRange) { try tiff.decoded() }
  }
}
