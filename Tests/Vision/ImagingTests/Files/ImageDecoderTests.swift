import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct ImageDecoderTests {
  private func decoded(_ file: [UInt8]) throws(Status) -> Picture {
    try file.borrowed { file throws(Status) in Picture(try ImageDecoder.decode(file).bitmap) }
  }

  private func problem(_ file: [UInt8]) -> Status? {
    failure { () throws(Status) in _ = try decoded(file) }
  }

  /// A cut may spare every pixel, as in the last bytes of a PNG; otherwise it must be refused, never shown as
  /// gray.
  @Test(arguments: [
    "rgb.png", "rgb_interlaced.png", "palette.png", "quarters.jpg", "quarters_progressive.jpg",
    "quarters_cmyk.jpg", "quarters_ycck.jpg", "rgb.webp", "rgba.webp", "quarters.webp",
  ])
  func everyCutIsRefusedOrGivesTheWholePicture(name: String) throws {
    let file = try Fixture.image(name)
    let whole = try decoded(file)
    var refused = 0
    for count in 0..<file.count {
      do throws(Status) {
        #expect(try decoded(Array(file.prefix(count))) == whole, "cut to \(count) bytes")
      } catch {
        #expect(error.code == .invalidArgument, "cut to \(count) bytes: \(error)")
        refused += 1
      }
    }
    #expect(refused >= file.count - 16)
  }

  /// The sender closes the file properly after half the picture.
  @Test func aJPEGThatEndsEarlyWithItsEndMarkerIsRefused() throws {
    let file = try Fixture.image("quarters.jpg")
    let scan = try #require(JPEGBytes.firstSegment(0xDA, in: file))
    #expect(problem(file.prefix(scan + 20) + [0xFF, 0xD9])?.code == .invalidArgument)
  }

  /// The warning about stray bytes comes first and must not hide the one about missing data.
  @Test func aCutJPEGWithStrayBytesIsRefused() throws {
    var file = try Fixture.image("quarters.jpg")
    let table = try #require(JPEGBytes.firstSegment(0xDB, in: file))
    file.insert(contentsOf: [0, 0, 0, 0], at: table)
    let scan = try #require(JPEGBytes.firstSegment(0xDA, in: try Fixture.image("quarters.jpg"))) + 4
    #expect(problem(Array(file.prefix(scan + 20)))?.code == .invalidArgument)
  }

  @Test func aPNGWithADamagedByteIsRefused() throws {
    var file = try Fixture.image("rgb.png")
    file[file.count / 2] ^= 0x10
    #expect(problem(file)?.code == .invalidArgument)
  }

  @Test func headersWithMorePixelsThanTheDataAreRefused() throws {
    #expect(problem(try PNGBytes.withSize(64, 64))?.code == .invalidArgument)
    #expect(problem(try jpeg(width: 48, height: 320))?.code == .invalidArgument)
    #expect(problem(try jpeg(width: 480, height: 32))?.code == .invalidArgument)
  }

  @Test func headersWithSizesBeyondTheLimitsAreRefusedBeforeAnyPixel() throws {
    #expect(problem(try PNGBytes.withSize(16_385, 23))?.code == .outOfRange)
    #expect(problem(try PNGBytes.withSize(8192, 8193))?.code == .outOfRange)
    #expect(problem(try PNGBytes.withSize(100_000, 100_000))?.code == .outOfRange)
    #expect(problem(try PNGBytes.withSize(37, 15))?.code == .outOfRange)
    #expect(problem(try jpeg(width: 65_500, height: 65_500))?.code == .outOfRange)
    #expect(problem(try jpeg(width: 15, height: 32))?.code == .outOfRange)
  }

  @Test func headersWithoutPixelsAreRefused() throws {
    #expect(problem(try PNGBytes.withSize(0, 23))?.code == .invalidArgument)
    #expect(problem(try PNGBytes.withSize(0x8000_0000, 23))?.code == .invalidArgument)
    #expect(problem(try jpeg(width: 48, height: 0))?.code == .invalidArgument)
  }

  /// Any changed byte gives a picture or a status, and no read beyond the end.
  @Test(arguments: [
    "rgb.png", "palette.png", "quarters_420.jpg", "quarters_cmyk.jpg", "quarters_ycck.jpg", "rgb.webp",
    "rgba.webp",
    "quarters.webp",
    "animated.webp", "animated.png",
  ])
  func changedBytesNeverCrash(name: String) throws {
    let whole = try Fixture.image(name)
    var generator = SeededGenerator(seed: 51)
    for _ in 0..<400 {
      var file = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        file[Int.random(in: 0..<file.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      do throws(Status) {
        try file.borrowed { bytes throws(Status) in
          let input = try NetworkInput(ImageInput(.encoded(bytes)), maxSide: 32, multiple: 32)
          #expect(input.pixels.size == input.letterbox.content)
        }
      } catch {
        #expect([.invalidArgument, .outOfRange, .unimplemented].contains(error.code), "\(error)")
      }
    }
  }

  @Test func otherFilesAreRefusedByTheirFirstBytes() {
    for file in [[], [0xFF], [0xFF, 0xD8], Array("GIF90a".utf8), [UInt8](repeating: 0, count: 4096)] {
      #expect(problem(file)?.code == .invalidArgument)
    }
    #expect(problem([])?.message.contains("no bytes") == true)
    #expect(problem(Array("GIF90a".utf8))?.message.contains("does not begin like a JPEG") == true)
  }

  private func jpeg(width: Int, height: Int) throws -> [UInt8] {
    var file = try Fixture.image("quarters.jpg")
    let frame = try #require(JPEGBytes.firstSegment(0xC0, in: file))
    file.replaceSubrange(
      frame + 5..<frame + 9,
      with: [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) })
    return file
  }
}
