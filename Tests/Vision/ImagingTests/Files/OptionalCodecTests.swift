import FaceCore
import Imaging
import TestSupport
import Testing

/// The pictures of PNGTests and JPEGTests, in formats whose libraries the set-up for tests installs.
@Suite struct OptionalCodecTests {
  private func decoded(_ file: [UInt8]) throws(Status) -> Picture {
    try file.borrowed { file throws(Status) in Picture(try ImageDecoder.decode(file).bitmap) }
  }

  private func header(_ file: [UInt8]) throws(Status) -> ImageDecoder.Header {
    try file.borrowed { file throws(Status) in try ImageDecoder.header(of: file) }
  }

  private func problem(_ file: [UInt8]) -> Status? {
    failure { () throws(Status) in _ = try decoded(file) }
  }

  @Test(arguments: ["rgb.bmp", "rgb_top_down.bmp", "rgb.tiff", "exif_6.tiff"])
  func colourIsExact(name: String) throws {
    #expect(try decoded(try Fixture.image(name)) == PNGTests.picture(PNGTests.rgb))
  }

  @Test(arguments: ["palette.gif", "animated.gif"])
  func theFirstPictureOfAGIFIsTaken(name: String) throws {
    #expect(try decoded(try Fixture.image(name)) == decoded(try Fixture.image("palette.png")))
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
      try decoded(Self.gif(blocks: 100, insidePicture: false)) == decoded(try Fixture.image("palette.gif")))
  }

  @Test func dataOfAGIFAreBoundedByItsPixels() throws {
    #expect(
      try decoded(Self.gif(blocks: 200, insidePicture: true)) == decoded(try Fixture.image("palette.gif")))
    #expect(problem(try Self.gif(blocks: 300, insidePicture: true))?.code == .invalidArgument)
  }

  @Test(arguments: ["quarters.heic", "quarters.avif"])
  func heicAndAVIFColoursAreAsPaintedAwayFromBorders(name: String) throws {
    let picture = try decoded(try Fixture.image(name))
    #expect(picture.size == JPEGTests.size)
    for (x, y) in [(8, 4), (40, 4), (8, 28), (40, 28)] {
      #expect(picture[x, y].distance(to: JPEGTests.picture[x, y]) <= 6)
    }
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
    let (turned, plain) = (try decoded(file), try decoded(try Fixture.image("quarters.heic")))
    #expect(turned.size == PixelSize(width: 32, height: 48))
    #expect(turned[4, 8].distance(to: plain[8, 28]) <= 6 && turned[28, 8].distance(to: plain[8, 4]) <= 6)
  }

  /// A cut spares neither the last row of an uncompressed picture nor the last byte of a compressed one.
  @Test(arguments: [
    "rgb.bmp", "rgb_top_down.bmp", "rgb.tiff", "palette.gif", "animated.gif", "quarters.heic",
    "quarters.avif",
  ])
  func everyCutIsRefusedOrGivesTheWholePicture(name: String) throws {
    let file = try Fixture.image(name)
    let whole = try decoded(file)
    for count in stride(from: 0, to: file.count, by: 7) {
      do throws(Status) {
        #expect(try decoded(Array(file.prefix(count))) == whole, "cut to \(count) bytes")
      } catch {
        #expect([.invalidArgument, .failedPrecondition].contains(error.code), "cut to \(count): \(error)")
      }
    }
    #expect(problem(Array(file.prefix(file.count / 2))) != nil || name == "animated.gif")
  }

  @Test(arguments: ["rgb.bmp", "rgb.tiff", "palette.gif", "quarters.heic", "quarters.avif"])
  func changedBytesNeverCrash(name: String) throws {
    let whole = try Fixture.image(name)
    var generator = SeededGenerator(seed: 52)
    var refused = 0
    for _ in 0..<300 {
      var file = whole
      for _ in 0..<3 {
        file[Int.random(in: 0..<file.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      do throws(Status) {
        try file.borrowed { bytes throws(Status) in
          let input = try NetworkInput(ImageInput(.encoded(bytes)), maxSide: 32, multiple: 32)
          #expect(input.pixels.size == input.letterbox.content)
        }
      } catch {
        refused += 1
        #expect([.invalidArgument, .outOfRange, .failedPrecondition].contains(error.code), "\(error)")
      }
    }
    #expect(refused > 0)
  }

  /// Such headers are refused before any pixel is decoded.
  @Test func headersWithTooManyPixelsAreRefused() throws {
    var bmp = try Fixture.image("rgb.bmp")
    bmp.replaceSubrange(18..<26, with: [0, 0x40, 0, 0, 0, 0x40, 0, 0])
    #expect(problem(bmp)?.code == .outOfRange)
    var gif = try Fixture.image("palette.gif")
    gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(problem(gif)?.code == .outOfRange)
    // The picture lies beyond the screen.
    var large = try Fixture.image("palette.gif")
    let place = 13 + 48
    #expect(large[place] == 0x2C)
    large.replaceSubrange(place + 5..<place + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(problem(large)?.code == .invalidArgument)
    var tiff = try Fixture.image("rgb.tiff")
    tiff.replaceSubrange(18..<20, with: [0, 0x40])
    tiff.replaceSubrange(30..<32, with: [0, 0x40])
    #expect(problem(tiff)?.code == .outOfRange)
  }
}
