import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct UprightImageCropTests {
  private static let squares: [RotatedSquare] = [
    RotatedSquare(center: Point(x: 60, y: 40), side: 32, angle: 0),
    RotatedSquare(center: Point(x: 60.3, y: 41.8), side: 27, angle: 33),
    RotatedSquare(center: Point(x: 50, y: 40), side: 45.5, angle: -120),
    RotatedSquare(center: Point(x: 10, y: 75), side: 60, angle: 90),  // leaves the picture at two sides
    RotatedSquare(center: Point(x: -200, y: -100), side: 20, angle: 10),  // all of it outside
  ]

  private func crop(
    _ picture: Picture, _ square: RotatedSquare, side: Int, as orientation: Orientation = .up,
    format: PixelFormat = .bgra
  ) throws -> Picture {
    try picture.withUpright(format, padding: 3, as: orientation, willCrop: true) { image throws(Status) in
      #expect(image.size == picture.size)
      return Picture(try image.crop(square, side: side))
    }
  }

  @Test(arguments: Orientation.allCases, [PixelFormat.bgra, .rgb])
  func cropAgreesWithTheNaiveReference(orientation: Orientation, format: PixelFormat) throws {
    let picture = Picture.noise(121, 83, seed: 20)
    for square in Self.squares {
      let expected = NaiveCrop.crop(picture, square, side: 32)
      let seen = try crop(picture, square, side: 32, as: orientation, format: format)
      #expect(seen.distance(to: expected) <= 2, "\(orientation) \(square)")
    }
  }

  /// Two pixels or more become one: the mean, not one of them.
  @Test(arguments: [Float(0), 30, 135])
  func reducedCropIsTheMeanOfItsPixels(angle: Float) throws {
    let picture = Picture(400, 300) { x, y in
      RGB(UInt8(127 + 100 * sin(Double(x) / 25)), UInt8(127 + 100 * cos(Double(y) / 30)), UInt8((x + y) / 4))
    }
    for side in [Float(70), 130, 201.5] {
      let square = RotatedSquare(center: Point(x: 190, y: 160), side: side, angle: angle)
      let expected = NaiveCrop.crop(picture, square, side: 32, samples: 8)
      #expect(try crop(picture, square, side: 32, as: .left, format: .rgb).distance(to: expected) <= 6)
    }
    let stripes = Picture(400, 300) { x, _ in x % 2 == 0 ? RGB(0, 0, 0) : RGB(255, 255, 255) }
    let square = RotatedSquare(center: Point(x: 200, y: 150), side: 200, angle: angle)
    let gray = Picture(32, 32) { _, _ in RGB(128, 128, 128) }
    #expect(try crop(stripes, square, side: 32).distance(to: gray) <= 24)
  }

  @Test func aSquareWithoutPlaceOrSizeIsRefused() throws {
    let picture = Picture.noise(32, 32, seed: 21)
    for square in [
      RotatedSquare(center: Point(x: .nan, y: 0), side: 10, angle: 0),
      RotatedSquare(center: Point(x: 0, y: .infinity), side: 10, angle: 0),
      RotatedSquare(center: Point(x: 0, y: 0), side: 0, angle: 0),
      RotatedSquare(center: Point(x: 0, y: 0), side: -1, angle: 0),
      RotatedSquare(center: Point(x: 0, y: 0), side: .infinity, angle: 0),
      RotatedSquare(center: Point(x: 0, y: 0), side: 5, angle: .nan),
    ] {
      expectFailure(.invalidArgument) { try self.cropped(picture, square) }
    }
    for side in [Float.leastNonzeroMagnitude, 1e-6, 1e9, 1e38, 3.4e38] {
      let square = RotatedSquare(center: Point(x: 1e38, y: -1e38), side: side, angle: 1e30)
      #expect(failure { () throws(Status) in try self.cropped(picture, square) } == nil)
    }
  }

  private func cropped(_ picture: Picture, _ square: RotatedSquare) throws(Status) {
    try picture.withView(.bgra) { view throws(Status) in
      _ = try UprightImage(ImageInput(.pixels(view))).crop(square, side: 16)
    }
  }
}

/// The naive reference: looks up every place of the crop by trigonometry, `samples` × `samples` places per
/// pixel.
enum NaiveCrop {
  static func crop(_ picture: Picture, _ square: RotatedSquare, side: Int, samples: Int = 1) -> Picture {
    let turn = Double(square.angle) * .pi / 180
    let scale = Double(square.side) / Double(side)
    return Picture(side, side) { column, row in
      var sum = SIMD3<Double>()
      for part in 0..<samples * samples {
        let right =
          (Double(column) + (Double(part % samples) + 0.5) / Double(samples) - Double(side) / 2) * scale
        let down = (Double(row) + (Double(part / samples) + 0.5) / Double(samples) - Double(side) / 2) * scale
        sum += bilinear(
          picture, Double(square.center.x) + right * cos(turn) - down * sin(turn),
          Double(square.center.y) + right * sin(turn) + down * cos(turn))
      }
      let mean = (sum / Double(samples * samples)).rounded(.toNearestOrAwayFromZero)
      return RGB(UInt8(mean.x), UInt8(mean.y), UInt8(mean.z))
    }
  }

  static func bilinear(_ picture: Picture, _ x: Double, _ y: Double) -> SIMD3<Double> {
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    var sum = SIMD3<Double>()
    for (dx, dy) in [(0.0, 0.0), (1, 0), (0, 1), (1, 1)] {
      let weight = (1 - abs(x - 0.5 - left - dx)) * (1 - abs(y - 0.5 - top - dy))
      let column = min(max(Int(left + dx), 0), picture.size.width - 1)
      let row = min(max(Int(top + dy), 0), picture.size.height - 1)
      let colour = picture[column, row]
      sum += SIMD3(Double(colour.red), Double(colour.green), Double(colour.blue)) * weight
    }
    return sum
  }
}
