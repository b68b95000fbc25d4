import FaceCore
import Imaging
import TestSupport
import Testing

/// I4: luma and chroma compared with the standards' formulas, in memory that ends with the last pixel.
@Suite struct YUVConversionTests {
  static let formats = PixelFormat.allCases.filter(\.isYUV)

  /// Odd and even sizes, below and above the width of SIMD registers.
  private static let sizes = [(16, 16), (17, 19), (33, 16), (64, 21), (65, 18), (131, 17)]

  @Test(arguments: formats, YUVColour.allCases)
  func coloursAgreeWithTheStandards(format: PixelFormat, colour: YUVColour) throws {
    for (width, height) in Self.sizes {
      let stored = YUVPicture(.noise(width, height, seed: UInt64(width)), format, colour)
      for padding in [0, 1, 2, 37] {
        let seen = try stored.withView(format, padding: padding) { view throws(Status) in
          Picture(try PixelConverter.bitmap(from: view))
        }
        #expect(
          seen.distance(to: stored.colours) <= 2, "\(format) \(colour) \(width)×\(height) padding \(padding)")
      }
    }
  }

  /// All lumas and chromas are converted, not only those of valid colours.
  @Test(arguments: YUVColour.allCases)
  func everyLumaAndChromaIsConvertedClosely(colour: YUVColour) throws {
    // Colours that are encoded by another matrix leave this one's range.
    let other: YUVColour = colour == .bt601Full ? .bt709Video : .bt601Full
    let picture = YUVPicture(.noise(128, 128, seed: 40), .i420, other)
    let stored = picture.as(colour)
    let seen = try stored.withView(.i420) { view throws(Status) in
      Picture(try PixelConverter.bitmap(from: view))
    }
    #expect(seen.distance(to: stored.colours) <= 2)
  }

  /// Scaling during conversion gives the same as scaling afterwards.
  @Test(arguments: formats, [(96, 54), (100, 61), (47, 29), (192, 54), (30, 108), (192, 108)])
  func scalingAgreesWithScalingTheColours(format: PixelFormat, to: (Int, Int)) throws {
    let stored = YUVPicture(.pale(192, 108, seed: 41), format, .bt709Video)
    let size = PixelSize(width: to.0, height: to.1)
    let seen = try stored.withView(format, padding: 5) { view throws(Status) in
      Picture(try PixelConverter.bitmap(from: view, scaledTo: size))
    }
    let isBilinear = to.0 * 2 > 192 && to.1 * 2 > 108
    let expected =
      isBilinear
      ? Bilinear.scaled(stored.colours, to: size) : AreaAverage.scaled(stored.colours, to: size)
    // libyuv's bilinear filter gives up to two levels less; partial means round once per direction.
    #expect(seen.distance(to: expected) <= (isBilinear ? 6 : 4))
  }

  /// The whole conversion, with odd sizes and every orientation.
  @Test(arguments: formats, Orientation.allCases)
  func aFrameIsTurnedAndFitted(format: PixelFormat, orientation: Orientation) throws {
    let stored = YUVPicture(.pale(131, 67, seed: 42), format, .bt601Full)
    let seen = try stored.withView(format, padding: 3) { view throws(Status) in
      let input = try NetworkInput(
        ImageInput(.pixels(view), orientation: orientation), maxSide: 50, multiple: 32)
      #expect(input.letterbox.image == orientation.uprightSize(of: stored.size))
      return Picture(try input.intoBitmap())
    }
    let size = PixelSize(width: 50, height: 26)
    let expected = AreaAverage.scaled(stored.colours, to: size)
    #expect(seen.stored(orientation).distance(to: expected) <= 4)
  }

  /// A crop converts only the needed part of the frame, and equals the crop of the whole frame.
  @Test(arguments: formats, [Float(0), 40])
  func cropAgreesWithCroppingTheColours(format: PixelFormat, angle: Float) throws {
    let stored = YUVPicture(.pale(161, 97, seed: 43), format, .bt601Video)
    for (x, y, side) in [(80.5, 50.2, 30), (91, 33, 31.7), (5, 90, 40)] as [(Float, Float, Float)] {
      let square = RotatedSquare(center: Point(x: x, y: y), side: side, angle: angle)
      let seen = try stored.withView(format, padding: 2) { view throws(Status) in
        Picture(try UprightImage(ImageInput(.pixels(view))).crop(square, side: 32))
      }
      #expect(seen.distance(to: NaiveCrop.crop(stored.colours, square, side: 32)) <= 4, "\(square)")
    }
  }
}

extension Picture {
  /// Noise near gray, whose means remain valid colours.
  static func pale(_ width: Int, _ height: Int, seed: UInt64) -> Picture {
    let noise = Picture.noise(width, height, seed: seed)
    return Picture(width, height) { x, y in
      let colour = noise[x, y]
      return RGB(96 + colour.red / 4, 96 + colour.green / 4, 96 + colour.blue / 4)
    }
  }
}

/// The naive reference: the four pixels around a new pixel's centre, weighted by their distance.
enum Bilinear {
  static func scaled(_ picture: Picture, to size: PixelSize) -> Picture {
    Picture(size.width, size.height) { x, y in
      let colour = NaiveCrop.bilinear(
        picture, (Double(x) + 0.5) * Double(picture.size.width) / Double(size.width),
        (Double(y) + 0.5) * Double(picture.size.height) / Double(size.height))
      let rounded = colour.rounded(.toNearestOrAwayFromZero)
      return RGB(UInt8(rounded.x), UInt8(rounded.y), UInt8(rounded.z))
    }
  }
}
