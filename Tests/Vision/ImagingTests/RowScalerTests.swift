import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct RowScalerTests {
  private func scaled(_ picture: Picture, to size: PixelSize) throws -> Picture {
    try picture.withView(.bgra) { view throws(Status) in
      Picture(try PixelConverter.bitmap(from: view, scaledTo: size))
    }
  }

  /// Every packed format and both filters, compared with the naive ones; noise shows each weight.
  @Test(
    arguments: PixelFormat.packed, [(187, 93), (100, 61), (64, 32), (31, 17), (129, 20), (20, 64), (16, 16)])
  func scaledNoiseAgreesWithTheNaiveReference(format: PixelFormat, to: (Int, Int)) throws {
    let noise = Picture.noise(187, 93, seed: 19)
    let picture =
      format == .gray
      ? Picture(187, 93) { x, y in RGB(noise[x, y].green, noise[x, y].green, noise[x, y].green) } : noise
    let size = PixelSize(width: to.0, height: to.1)
    let seen = try picture.withView(format, padding: 9) { view throws(Status) in
      Picture(try PixelConverter.bitmap(from: view, scaledTo: size))
    }
    let isBilinear = to.0 * 2 > 187 && to.1 * 2 > 93
    let expected =
      isBilinear ? Bilinear.scaled(picture, to: size) : AreaAverage.scaled(picture, to: size)
    #expect(seen.distance(to: expected) <= 4)
  }

  @Test(arguments: [(32, 32), (34, 66), (128, 50), (258, 130)])
  func exactHalvesAreTheMeanOfFour(width: Int, height: Int) throws {
    let picture = Picture.noise(width, height, seed: 9)
    let size = PixelSize(width: width / 2, height: height / 2)
    let difference = try scaled(picture, to: size).distance(to: AreaAverage.scaled(picture, to: size))
    #expect(difference <= 1)
  }
}

/// The naive reference: each pixel is the mean of the source area that it covers, with partial pixels counted
/// in part.
enum AreaAverage {
  static func scaled(_ picture: Picture, to size: PixelSize) -> Picture {
    let stepX = Double(picture.size.width) / Double(size.width)
    let stepY = Double(picture.size.height) / Double(size.height)
    return Picture(size.width, size.height) { x, y in
      var sum = SIMD4<Double>()
      for (sourceY, weightY) in covered(from: Double(y) * stepY, step: stepY, limit: picture.size.height) {
        for (sourceX, weightX) in covered(from: Double(x) * stepX, step: stepX, limit: picture.size.width) {
          let colour = picture[sourceX, sourceY]
          let parts = SIMD4(Double(colour.red), Double(colour.green), Double(colour.blue), 1)
          sum += parts * (weightX * weightY)
        }
      }
      let mean = (sum / sum.w).rounded(.toNearestOrAwayFromZero)
      return RGB(UInt8(mean.x), UInt8(mean.y), UInt8(mean.z))
    }
  }

  private static func covered(from start: Double, step: Double, limit: Int) -> [(Int, Double)] {
    let end = start + step
    return (Int(start)..<min(limit, Int(end.rounded(.up)))).map { index in
      (index, min(end, Double(index + 1)) - max(start, Double(index)))
    }
  }
}
