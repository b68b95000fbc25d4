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

  @Test(arguments: ["rgb.png", "rgb_interlaced.png", "rgb16.png", "exif_6.png", "animated.png"])
  func colourIsExact(name: String) throws {
    #expect(try Fixture.image(name).decoded() == Self.picture(Self.rgb))
  }

  @Test(arguments: ["gray.png", "gray16.png"])
  func grayIsExact(name: String) throws {
    let expected = Self.picture { x, y in
      let value = UInt8((7 * x + 3 * y) % 256)
      return RGB(value, value, value)
    }
    #expect(try Fixture.image(name).decoded() == expected)
  }

  @Test func oneBitGrayIsBlackAndWhite() throws {
    let expected = Self.picture { x, y in (x * y) % 2 == 1 ? RGB(255, 255, 255) : RGB(0, 0, 0) }
    #expect(try Fixture.image("gray1.png").decoded() == expected)
  }

  @Test func aPaletteIsLookedUp() throws {
    let expected = Self.picture { x, y in
      let index = (x + 3 * y) % 16
      return RGB(UInt8(index * 16), UInt8(255 - index * 16), UInt8(index * 7))
    }
    #expect(try Fixture.image("palette.png").decoded() == expected)
  }

  /// Three bands, 13 columns each: opaque, invisible, half.
  @Test(arguments: ["rgba.png", "rgba_interlaced.png"])
  func transparentPixelsShowWhite(name: String) throws {
    let picture = try Fixture.image(name).decoded()
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
    func rows(_ passes: [(left: Int, top: Int, across: Int, down: Int)]) -> [UInt8] {
      passes.flatMap { pass in
        stride(from: pass.top, to: height, by: pass.down).flatMap { y in
          [0] + stride(from: pass.left, to: width, by: pass.across).flatMap { x in samples(x, y) }
        }
      }
    }
    let file = PNGBytes.storing(rows(passes), width: width, height: height, bits: 16, isInterlaced: true)
    let plain = PNGBytes.storing(rows([(0, 0, 1, 1)]), width: width, height: height, bits: 16)
    let seen = try file.decoded()
    #expect(try seen == plain.decoded())
    #expect(seen.distance(to: Self.picture(Self.rgb)) <= 1)
  }
}
