import FaceCore
import Imaging
import TestSupport
import Testing

/// The pictures of PNGTests and JPEGTests.
@Suite struct WebPTests {
  private func decoded(_ file: [UInt8]) throws(Status) -> Picture {
    try file.borrowed { file throws(Status) in Picture(try ImageDecoder.decode(file).bitmap) }
  }

  private func orientation(_ file: [UInt8]) throws(Status) -> Orientation? {
    try file.borrowed { file throws(Status) in
      let header = try ImageDecoder.header(of: file)
      #expect(header.orientation == (try ImageDecoder.decode(file).orientation))
      return header.orientation
    }
  }

  @Test(arguments: ["rgb.webp", "exif_6.webp"])
  func colourIsExact(name: String) throws {
    #expect(try decoded(try Fixture.image(name)) == PNGTests.picture(PNGTests.rgb))
  }

  @Test func lossyColourIsAsPaintedAwayFromBorders() throws {
    let picture = try decoded(try Fixture.image("quarters.webp"))
    #expect(picture.size == JPEGTests.size)
    for (x, y) in [(8, 4), (40, 4), (8, 28), (40, 28)] {
      #expect(picture[x, y].distance(to: JPEGTests.picture[x, y]) <= 6)
    }
  }

  /// Three bands, 13 columns each: opaque, invisible, half.
  @Test func transparentPixelsShowWhite() throws {
    let expected = PNGTests.picture { x, y in
      let colour = PNGTests.rgb(x, y)
      func half(_ part: UInt8) -> UInt8 {
        UInt8(((Double(part) * 128 + 255 * 127) / 255).rounded(.toNearestOrAwayFromZero))
      }
      return switch x / 13 {
      case 0: colour
      case 1: RGB(255, 255, 255)
      default: RGB(half(colour.red), half(colour.green), half(colour.blue))
      }
    }
    #expect(try decoded(try Fixture.image("rgba.webp")).distance(to: expected) <= 1)
  }

  @Test func anAnimationIsRefusedWithAdvice() throws {
    let file = try Fixture.image("animated.webp")
    let problem = failure { () throws(Status) in _ = try decoded(file) }
    #expect(problem?.code == .unimplemented)
    #expect(problem?.message.contains("animated") == true)
  }

  @Test func exifIsRead() throws {
    #expect(try orientation(try Fixture.image("exif_6.webp")) == .right)
    #expect(try orientation(try Fixture.image("rgb.webp")) == nil)
  }

  /// Some writers put the header of JPEG before the TIFF structure.
  @Test func exifWithAHeaderIsRead() throws {
    let file = try Fixture.image("exif_6.webp")
    let chunk = try #require(place(of: "EXIF", in: file))
    var changed = Array(file[..<(chunk + 8)]) + Array("Exif\0\0".utf8) + Array(file[(chunk + 8)...])
    changed[chunk + 4] += 6
    changed[4] += 6
    #expect(try orientation(changed) == .right)
  }

  @Test func damagedExifDoesNotStopThePicture() throws {
    let whole = try Fixture.image("exif_6.webp")
    let chunk = try #require(place(of: "EXIF", in: whole))
    var generator = SeededGenerator(seed: 50)
    for _ in 0..<300 {
      var file = whole
      file[Int.random(in: chunk + 8..<file.count, using: &generator)] = UInt8.random(
        in: 0...255, using: &generator)
      #expect(failure { () throws(Status) in _ = try orientation(file) } == nil)
    }
  }

  @Test func aWrongSizeInTheHeaderIsRefused() throws {
    // Lossy: width and height are 14 bits each, six bytes into the frame. Source: RFC 6386, 9.1.
    let file = try Fixture.image("quarters.webp")
    let frame = try #require(place(of: "VP8 ", in: file)) + 8
    func sized(_ width: Int, _ height: Int) -> Status? {
      var changed = file
      changed.replaceSubrange(
        frame + 6..<frame + 10, with: [width & 255, width >> 8, height & 255, height >> 8].map { UInt8($0) })
      return failure { () throws(Status) in _ = try decoded(changed) }
    }
    #expect(sized(48, 32) == nil)
    #expect(sized(16_000, 16_000)?.code == .outOfRange)
    #expect(sized(15, 32)?.code == .outOfRange)
    #expect(sized(16_383, 16_383)?.code == .outOfRange)
    #expect(sized(4000, 4000)?.code == .invalidArgument)
  }

  private func place(of chunk: String, in file: [UInt8]) -> Int? {
    (0..<file.count - 4).first { file[$0..<$0 + 4].elementsEqual(chunk.utf8) }
  }
}
