import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct PixelConverterTests {
  /// Widths around those of SIMD registers, so that both the wide and the leftover code runs.
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
  func uprightMovesEveryPixelByTheOrientation(orientation: Orientation) throws {
    for (width, height) in [(16, 16), (17, 31), (33, 18), (65, 67), (129, 23), (1101, 503)] {
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

  private func upright(
    _ picture: Picture, from orientation: Orientation, _ token: CancellationToken
  ) throws(Status) -> PixelSize {
    let bitmap = try picture.bitmap()
    let turned = try PixelConverter.upright(bitmap, from: orientation, token)
    return turned.size
  }

  private func scaled(_ picture: Picture, to size: PixelSize, _ token: CancellationToken) throws(Status)
    -> PixelSize
  {
    try picture.withView(.bgra) { view throws(Status) in
      let scaled = try PixelConverter.bitmap(from: view, scaledTo: size, token)
      return scaled.size
    }
  }

  /// The conversion polls the token between rows: work on more rows than one step may cover ends.
  @Test func workOnManyPixelsEndsWithItsCall() throws {
    let canceller = Canceller()
    let token = CancellationToken(canceller: canceller)
    let picture = Picture.noise(1100, 500, seed: 4)
    let sizes = [picture.size, PixelSize(width: 1000, height: 400)]
    let orientations: [Orientation] = [.right, .left, .down, .upMirrored]
    for size in sizes { #expect(try scaled(picture, to: size, token) == size) }
    for orientation in orientations { _ = try upright(picture, from: orientation, token) }
    canceller.cancel()
    for size in sizes {
      #expect(failure { () throws(Status) in _ = try scaled(picture, to: size, token) } == Canceller.status)
    }
    for orientation in orientations {
      #expect(
        failure { () throws(Status) in _ = try upright(picture, from: orientation, token) }
          == Canceller.status)
    }
  }

  /// Pixel centres are at halves, and edge pixels repeat outside.
  @Test(arguments: [Float(1), 1.25, 1.5, 2])
  func anEnlargedPictureLiesBetweenItsPixels(scale: Float) throws {
    let picture = Picture.noise(33, 20, seed: 3)
    let enlarged = try picture.withView(.bgra, padding: 4) { view throws(Status) in
      Picture(try PixelConverter.enlarged(view, by: scale))
    }
    #expect(enlarged.size == PixelSize(width: Int((33 * scale).rounded()), height: Int(20 * scale)))
    let expected = Picture(enlarged.size.width, enlarged.size.height) { x, y in
      func neighbours(_ index: Int, _ side: Int, _ source: Int) -> (Int, Int, Double) {
        let place = (Double(index) + 0.5) * Double(source) / Double(side) - 0.5
        let first = place.rounded(.down)
        return (max(Int(first), 0), min(Int(first) + 1, source - 1), place - first)
      }
      let (left, right, across) = neighbours(x, enlarged.size.width, 33)
      let (above, below, down) = neighbours(y, enlarged.size.height, 20)
      func mean(_ part: KeyPath<RGB, UInt8>) -> UInt8 {
        func at(_ x: Int, _ y: Int) -> Double { Double(picture[x, y][keyPath: part]) }
        let upper = at(left, above) * (1 - across) + at(right, above) * across
        let lower = at(left, below) * (1 - across) + at(right, below) * across
        return UInt8((upper * (1 - down) + lower * down).rounded())
      }
      return RGB(mean(\.red), mean(\.green), mean(\.blue))
    }
    #expect(enlarged.distance(to: expected) <= 3)
  }
}
