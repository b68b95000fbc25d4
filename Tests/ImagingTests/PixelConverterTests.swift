import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct PixelConverterTests {
  /// Widths round the widths of SIMD registers, so that both the wide and the leftover code runs.
  private static let widths = [16, 17, 31, 32, 33, 47, 64, 65, 127, 129]

  @Test(arguments: PixelFormat.packed, [0, 1, 13, 64])
  func everyFormatIsCopiedPixelByPixel(format: PixelFormat, padding: Int) throws {
    for width in Self.widths {
      let picture = Picture.noise(width, 19, seed: UInt64(width))
      let expected =
        format == .gray
        ? Picture(width, 19) { x, y in RGB(picture[x, y].green, picture[x, y].green, picture[x, y].green) }
        : picture
      let converted = try picture.withView(format, padding: padding) { view throws(Status) in
        Picture(try PixelConverter.bitmap(from: view))
      }
      #expect(converted == expected, "\(format) \(width) wide, \(padding) bytes between rows")
    }
  }

  @Test(arguments: Orientation.allCases)
  func uprightPutsEveryPixelWhereTheOrientationSays(orientation: Orientation) throws {
    for (width, height) in [(16, 16), (17, 31), (33, 18), (65, 67), (129, 23)] {
      let stored = Picture.noise(width, height, seed: 7)
      let size = orientation.uprightSize(of: stored.size)
      var expected = Picture(size.width, size.height) { _, _ in RGB(0, 0, 0) }
      for y in 0..<height {
        for x in 0..<width {
          let place = orientation.upright(x: x, y: y, stored: stored.size)
          expected[place.x, place.y] = stored[x, y]
        }
      }
      let turned = Picture(try PixelConverter.upright(try stored.bitmap(), from: orientation))
      #expect(turned == expected, "\(orientation) \(width)×\(height)")
    }
  }

  @Test func aBitmapIsSeenWithoutACopy() throws {
    let picture = Picture.noise(20, 17, seed: 8)
    let bitmap = try picture.bitmap()
    #expect(bitmap.stride == 80)
    #expect(bitmap.size == picture.size)
    let view = try bitmap.view
    #expect(view.bytes.baseAddress == UnsafeRawPointer(bitmap.pixels.baseAddress))
    #expect(view.bytes.count == 80 * 17)
    #expect(Picture(bitmap) == picture)
  }
}
