import FaceCore
import Imaging
import TestSupport
import Testing

/// The formulas are those of Tests/Fixtures/make_fixtures.py.
@Suite struct PNGTests {
  static func rgb(_ x: Int, _ y: Int) -> RGB {
    RGB(UInt8((7 * x + 3 * y) % 256), UInt8((5 * x + 11 * y + 40) % 256), UInt8((13 * x + 17 * y) % 256))
  }

  static func picture(_ colour: (Int, Int) -> RGB) -> Picture { Picture(37, 23, colour) }

  private func decoded(_ name: String) throws -> Picture {
    try Fixture.image(name).borrowed { file throws(Status) in
      Picture(try ImageDecoder.decode(file).bitmap)
    }
  }

  @Test(arguments: ["rgb.png", "rgb_interlaced.png", "rgb16.png", "exif_6.png", "animated.png"])
  func colourIsExact(name: String) throws {
    #expect(try decoded(name) == Self.picture(Self.rgb))
  }

  @Test(arguments: ["gray.png", "gray16.png"])
  func grayIsExact(name: String) throws {
    let expected = Self.picture { x, y in
      let value = UInt8((7 * x + 3 * y) % 256)
      return RGB(value, value, value)
    }
    #expect(try decoded(name) == expected)
  }

  @Test func oneBitGrayIsBlackAndWhite() throws {
    let expected = Self.picture { x, y in (x * y) % 2 == 1 ? RGB(255, 255, 255) : RGB(0, 0, 0) }
    #expect(try decoded("gray1.png") == expected)
  }

  @Test func aPaletteIsLookedUp() throws {
    let expected = Self.picture { x, y in
      let index = (x + 3 * y) % 16
      return RGB(UInt8(index * 16), UInt8(255 - index * 16), UInt8(index * 7))
    }
    #expect(try decoded("palette.png") == expected)
  }

  /// Three bands, 13 columns each: opaque, invisible, half.
  @Test(arguments: ["rgba.png", "rgba_interlaced.png"])
  func transparentPixelsShowWhite(name: String) throws {
    let picture = try decoded(name)
    for y in 0..<23 {
      for x in 0..<37 {
        let colour = Self.rgb(x, y)
        let shown = picture[x, y]
        switch x / 13 {
        case 0: #expect(shown == colour)
        case 1: #expect(shown == RGB(255, 255, 255))
        default:
          for (part, seen) in zip(
            [colour.red, colour.green, colour.blue], [shown.red, shown.green, shown.blue])
          {
            #expect(seen >= part && seen >= 127, "half of white shines through \(part)")
          }
        }
      }
    }
  }

  /// The passes of a 16-bit file give the same picture as its rows in sequence.
  @Test func interlacedSixteenBitsGiveTheSamePicture() throws {
    let (width, height) = (37, 23)
    func samples(_ x: Int, _ y: Int) -> [UInt8] {
      let colour = Self.rgb(x, y)
      return [colour.red, 0x12, colour.green, 0x80, colour.blue, 0xFE]
    }
    /// Source: PNG (third edition), 8.1, "Introduction" to interlacing.
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
    var rows: [UInt8] = []
    for (left, top, across, down) in passes {
      for y in stride(from: top, to: height, by: down) {
        rows.append(0)
        for x in stride(from: left, to: width, by: across) { rows += samples(x, y) }
      }
    }
    var plainRows: [UInt8] = []
    for y in 0..<height {
      plainRows.append(0)
      for x in 0..<width { plainRows += samples(x, y) }
    }
    let file = PNGBytes.storing(rows, width: width, height: height, bits: 16, isInterlaced: true)
    let plain = PNGBytes.storing(plainRows, width: width, height: height, bits: 16)
    let seen = try [file, plain].map { file in
      try file.borrowed { file throws(Status) in Picture(try ImageDecoder.decode(file).bitmap) }
    }
    #expect(seen[0] == seen[1])
    #expect(seen[0].distance(to: Self.picture(Self.rgb)) <= 1)
  }
}
