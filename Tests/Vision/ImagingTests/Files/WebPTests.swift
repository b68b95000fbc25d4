import FaceCore
import Imaging
import TestSupport
import Testing

/// The pictures of PNGTests and JPEGTests.
@Suite struct WebPTests {
  private func orientation(_ file: [UInt8]) throws(Status) -> Orientation? {
    try file.borrowed { file throws(Status) in
      let header = try ImageDecoder.header(of: file)
      #expect(header.orientation == (try ImageDecoder.decode(file).orientation))
      return header.orientation
    }
  }

  @Test(arguments: ["rgb.webp", "exif_6.webp"])
  func colourIsExact(name: String) throws {
    #expect(try Fixture.image(name).decoded() == PNGTests.picture(PNGTests.rgb))
  }

  /// Of an animation, the first picture.
  @Test(arguments: ["quarters.webp", "animated.webp"])
  func lossyColourIsAsPaintedAwayFromBorders(name: String) throws {
    JPEGTests.expectQuarters(try Fixture.image(name).decoded(), within: 6)
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
    #expect(try Fixture.image("rgba.webp").decoded().distance(to: expected) <= 1)
  }

  /// A first picture, with and without transparency, that covers a part of the canvas.
  @Test(arguments: ["rgb.webp", "rgba.webp"])
  func theFirstPictureHasItsPlaceOnTheCanvas(name: String) throws {
    let still = try Fixture.image(name).decoded()
    let file = try animation(of: name, at: (6, 4), on: PixelSize(width: 60, height: 50))
    let size = try file.borrowed { file throws(Status) in try ImageDecoder.header(of: file).size }
    #expect(size == PixelSize(width: 60, height: 50))
    let expected = Picture(60, 50) { x, y in
      (6..<6 + still.size.width).contains(x) && (4..<4 + still.size.height).contains(y)
        ? still[x - 6, y - 4] : RGB(255, 255, 255)
    }
    #expect(try file.decoded() == expected)
  }

  @Test(arguments: [(26, 0), (0, 28), (1 << 24, 0)])
  func aFirstPictureOutsideOfItsCanvasIsRefused(x: Int, y: Int) throws {
    let file = try animation(of: "rgb.webp", at: (x, y), on: PixelSize(width: 60, height: 50))
    expectFailure(.invalidArgument) { try file.decoded() }
  }

  @Test func anAnimationThatIsCutShortIsRefused() throws {
    let file = try animation(of: "rgb.webp", at: (6, 4), on: PixelSize(width: 60, height: 50))
    for count in 1...file.count {
      #expect(
        failure { () throws(Status) in _ = try file.dropLast(count).decoded() } != nil, "\(count) bytes")
    }
  }

  /// An animation of one picture. Source: WebP Container Specification, "Extended File Format" and "Animation".
  private func animation(of name: String, at place: (x: Int, y: Int), on canvas: PixelSize) throws -> [UInt8] {
    func number(_ value: Int, bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
      Array(name.utf8) + number(data.count, bytes: 4) + data + (data.count % 2 == 0 ? [] : [0])
    }
    let still = try Fixture.image(name)
    let size = try still.decoded().size
    let sides = { (size: PixelSize) in number(size.width - 1, bytes: 3) + number(size.height - 1, bytes: 3) }
    let lossless = try #require(self.place(of: "VP8L", in: still))
    let frame =
      number(place.x / 2, bytes: 3) + number(place.y / 2, bytes: 3) + sides(size) + number(100, bytes: 3) + [
        0
      ]
      + still[lossless...]
    let flags: [UInt8] = [0x12, 0, 0, 0]  // animation and alpha
    let chunks =
      chunk("VP8X", flags + sides(canvas)) + chunk("ANIM", [255, 0, 0, 255, 0, 0]) + chunk("ANMF", frame)
    return Array("RIFF".utf8) + number(4 + chunks.count, bytes: 4) + Array("WEBP".utf8) + chunks
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

  @Test func aWrongSizeInTheHeaderIsRefused() throws {
    // Lossy: width and height are 14 bits each, six bytes into the frame. Source: RFC 6386, 9.1.
    let file = try Fixture.image("quarters.webp")
    let frame = try #require(place(of: "VP8 ", in: file)) + 8
    for (width, height, code) in [
      (48, 32, nil), (16_000, 16_000, .outOfRange), (15, 32, .outOfRange), (16_383, 16_383, .outOfRange),
      (4000, 4000, .invalidArgument),
    ] as [(Int, Int, StatusCode?)] {
      var changed = file
      changed.replaceSubrange(
        frame + 6..<frame + 10, with: [width & 255, width >> 8, height & 255, height >> 8].map { UInt8($0) })
      #expect(failure { () throws(Status) in _ = try changed.decoded() }?.code == code, "\(width)×\(height)")
    }
  }

  private func place(of chunk: String, in file: [UInt8]) -> Int? {
    (0..<file.count - 4).first { file[$0..<$0 + 4].elementsEqual(chunk.utf8) }
  }
}
