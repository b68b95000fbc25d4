import Engine
import FaceCore
import Imaging
import TestSupport

import func Foundation.atan2
import func Foundation.cos
import func Foundation.sin

/// Photos as plain upright pictures.
enum Photo {
  /// One of Examples/photos.
  static func picture(_ name: String) throws -> Picture { try Fixture.photo(name).decoded() }

  /// A picture without a face, as large as those of `twoPeople`.
  static let empty = Picture(420, 420) { _, _ in RGB(90, 90, 90) }

  /// A person who does not smile and one who does, in pictures of the same size, with the eyes in the same
  /// place and at the same distance.
  static func twoPeople() throws -> (unsmiling: Picture, smiling: Picture) {
    func view(_ photo: Picture, eyes: (x: Int, y: Int)) -> Picture {
      Picture(420, 420) { x, y in photo[max(x + eyes.x - 210, 0), max(y + eyes.y - 190, 0)] }
    }
    let smiling = bilinear(try picture("astronaut.png"), to: PixelSize(width: 879, height: 879))
    return (
      view(try picture("grace_hopper.jpg"), eyes: (268, 194)), view(smiling, eyes: (384, 176))
    )
  }

  /// Scales with pixel centres at halves; each new pixel is weighted from the four around its place.
  static func bilinear(_ picture: Picture, to size: PixelSize) -> Picture {
    Picture(size.width, size.height) { x, y in
      let (left, right, weightX) = neighbours(x, size.width, picture.size.width)
      let (above, below, weightY) = neighbours(y, size.height, picture.size.height)
      return mean(
        picture[left, above], picture[right, above], picture[left, below], picture[right, below],
        right: weightX, below: weightY)
    }
  }

  /// A camera's view of a picture: turned by degrees and scaled about the middle of the view, then moved.
  /// - Parameter place: maps a place in the view to the one in the picture, whose edge pixels repeat outside.
  static func view(
    of picture: Picture, _ size: PixelSize, turned: Double, scale: Double,
    _ place: (Double, Double) -> (x: Double, y: Double)
  ) -> Picture {
    let (cosine, sine) = (cos(turned * .pi / 180) * scale, sin(turned * .pi / 180) * scale)
    let (middleX, middleY) = (Double(size.width) / 2, Double(size.height) / 2)
    func pixel(_ x: Int, _ y: Int) -> RGB {
      picture[min(max(x, 0), picture.size.width - 1), min(max(y, 0), picture.size.height - 1)]
    }
    return Picture(size.width, size.height) { x, y in
      let (fromX, fromY) = (Double(x) - middleX, Double(y) - middleY)
      let at = place(cosine * fromX - sine * fromY + middleX, sine * fromX + cosine * fromY + middleY)
      let (left, above) = (at.x.rounded(.down), at.y.rounded(.down))
      let (right, below) = (at.x - left, at.y - above)
      return mean(
        pixel(Int(left), Int(above)), pixel(Int(left) + 1, Int(above)), pixel(Int(left), Int(above) + 1),
        pixel(Int(left) + 1, Int(above) + 1), right: right, below: below)
    }
  }

  /// The whole picture turned about its middle, in a view large enough for it.
  static func turned(_ picture: Picture, clockwise degrees: Int) -> Picture {
    let size = size(of: picture, turned: degrees)
    let (dx, dy) = (
      Double(picture.size.width - size.width) / 2, Double(picture.size.height - size.height) / 2
    )
    return view(of: picture, size, turned: -Double(degrees), scale: 1) { (x: $0 + dx, y: $1 + dy) }
  }

  /// The smallest view that holds the turned picture.
  private static func size(of picture: Picture, turned degrees: Int) -> PixelSize {
    let (cosine, sine) = (
      cos(Double(degrees) * .pi / 180).magnitude, sin(Double(degrees) * .pi / 180).magnitude
    )
    let (width, height) = (Double(picture.size.width), Double(picture.size.height))
    return PixelSize(
      width: Int((width * cosine + height * sine).rounded(.up)),
      height: Int((width * sine + height * cosine).rounded(.up)))
  }

  /// The position of a place of a picture after the picture is turned.
  static func turned(_ place: Point, of picture: Picture, clockwise degrees: Int) -> Point {
    let size = size(of: picture, turned: degrees)
    let (cosine, sine) = (cos(Double(degrees) * .pi / 180), sin(Double(degrees) * .pi / 180))
    let (x, y) = (
      Double(place.x) - Double(picture.size.width) / 2, Double(place.y) - Double(picture.size.height) / 2
    )
    return Point(
      x: Float(cosine * x - sine * y + Double(size.width) / 2),
      y: Float(sine * x + cosine * y + Double(size.height) / 2))
  }

  /// Degrees between two directions, 0…180.
  static func difference(_ one: Float, _ other: Float) -> Float {
    (one - other).remainder(dividingBy: 360).magnitude
  }

  /// The direction from one place to another, in degrees clockwise.
  static func angle(_ from: Point, _ to: Point) -> Float {
    Float(atan2(Double(to.y - from.y), Double(to.x - from.x)) * 180 / .pi)
  }

  /// A square picture scaled down; each new pixel is the mean of the old ones whose place it takes.
  static func areas(_ picture: Picture, side: Int) -> Picture {
    func span(_ index: Int) -> Range<Int> {
      index * picture.size.width
        / side..<max(
          (index + 1) * picture.size.width / side, index * picture.size.width / side + 1)
    }
    return Picture(side, side) { x, y in
      var sum = (0, 0, 0)
      for row in span(y) {
        for column in span(x) {
          let colour = picture[column, row]
          sum = (sum.0 + Int(colour.red), sum.1 + Int(colour.green), sum.2 + Int(colour.blue))
        }
      }
      let count = span(x).count * span(y).count
      return RGB(UInt8(sum.0 / count), UInt8(sum.1 / count), UInt8(sum.2 / count))
    }
  }

  /// The mean of four neighbours, for a place that is `right` and `below` of the first.
  private static func mean(
    _ first: RGB, _ second: RGB, _ third: RGB, _ fourth: RGB, right: Double, below: Double
  ) -> RGB {
    func mean(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> UInt8 {
      let upper = Double(first) * ((1 - right) * (1 - below)) + Double(second) * (right * (1 - below))
      return UInt8(
        (upper + Double(third) * ((1 - right) * below) + Double(fourth) * (right * below)).rounded())
    }
    return RGB(
      mean(first.red, second.red, third.red, fourth.red),
      mean(first.green, second.green, third.green, fourth.green),
      mean(first.blue, second.blue, third.blue, fourth.blue))
  }

  private static func neighbours(_ index: Int, _ side: Int, _ source: Int) -> (Int, Int, Double) {
    let place = (Double(index) + 0.5) * Double(source) / Double(side) - 0.5
    let first = Int(place.rounded(.down))
    return (max(first, 0), min(first + 1, source - 1), place - Double(first))
  }
}

/// Tests with an engine, made anew for each.
class EngineSuite {
  let engine: Engine

  init() throws { engine = try Engine.yunet() }
}

/// Tests with an engine and a photo.
class PhotoSuite: EngineSuite {
  let photo: Picture

  override init() throws {
    photo = try Photo.picture("astronaut.png")
    try super.init()
  }
}
