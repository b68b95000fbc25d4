import FaceCore
import Imaging
import TestSupport
import Testing

/// The image that the network sees, and its place in the whole image.
@Suite struct UprightImageTests {
  /// An image without two equal places: red increases to the right, green downwards.
  private static let map = Picture(240, 160) { x, y in RGB(UInt8(x), UInt8(y), 40) }

  private func seen(
    _ image: ImageInput, maxSide: Int, multiple: Int = 1
  ) throws(Status) -> (picture: Picture, letterbox: Letterbox) {
    let input = try UprightImage(image).networkInput(maxSide: maxSide, multiple: multiple)
    let letterbox = input.letterbox
    return (Picture(try input.intoBitmap()), letterbox)
  }

  /// Every pixel of the input shows its place by the letterbox, since the colours of the map encode the
  /// place.
  private func check(
    _ seen: (picture: Picture, letterbox: Letterbox), tolerance: Double = 2, _ comment: Comment
  ) {
    #expect(seen.picture.size == seen.letterbox.content, comment)
    var worst = 0.0
    for y in stride(from: 1, to: seen.picture.size.height - 1, by: 3) {
      for x in stride(from: 1, to: seen.picture.size.width - 1, by: 3) {
        let place = seen.letterbox.toImage(Point(x: Float(x) + 0.5, y: Float(y) + 0.5))
        let colour = seen.picture[x, y]
        worst = max(
          worst, abs(Double(colour.red) + 0.5 - Double(place.x)),
          abs(Double(colour.green) + 0.5 - Double(place.y)))
      }
    }
    #expect(worst <= tolerance, comment)
  }

  /// Borrowed or copied, the pixels are the same; pixels are borrowed if the network can read them in place.
  @Test(arguments: Orientation.allCases, [PixelFormat.bgra, .rgb])
  func borrowedPixelsAreThoseOfTheCopy(orientation: Orientation, format: PixelFormat) throws {
    for (region, side) in [
      (nil, 0), (nil, 100), (Box(x: 31, y: 20, width: 100, height: 61), 0),
      (Box(x: 31, y: 20, width: 100, height: 61), 50),
    ] as [(Box?, Int)] {
      try Self.map.stored(orientation).withView(format, padding: 4) { view throws(Status) in
        let picture = try UprightImage(ImageInput(.pixels(view), orientation: orientation))
        let copy = try picture.networkInput(of: region, maxSide: side, multiple: 32)
        let input = try picture.networkInput(of: region, maxSide: side, multiple: 32, mayBorrow: true)
        let start = view.bytes.baseAddress.unsafelyUnwrapped
        let isCopied = input.pixels.bytes.baseAddress.map { !(start..<start + view.bytes.count).contains($0) }
        #expect(isCopied == (orientation != .up || format != .bgra || side != 0))
        #expect(input.letterbox == copy.letterbox)
        let (borrowed, copied) = (Picture(try input.intoBitmap()), Picture(try copy.intoBitmap()))
        #expect(borrowed == copied)
      }
    }
  }

  @Test(arguments: Orientation.allCases, [PixelFormat.bgra, .rgb])
  func regionIsShownAndMapsToTheWholeImage(orientation: Orientation, format: PixelFormat) throws {
    for (region, side) in [
      (Box(x: 30, y: 20, width: 100, height: 60), 0), (Box(x: 31.4, y: 19.7, width: 77.2, height: 90.1), 0),
      (Box(x: 30, y: 20, width: 100, height: 60), 60), (Box(x: 101, y: 51, width: 120, height: 100), 40),
      (Box(x: -50, y: 90, width: 100, height: 500), 0),
    ] {
      try Self.map.stored(orientation).withView(format, padding: 3) { view throws(Status) in
        var image = ImageInput(.pixels(view), orientation: orientation)
        image.region = region
        let result = try seen(image, maxSide: side)
        #expect(result.letterbox.image == Self.map.size)
        let shown = result.letterbox.shown
        let inside = region.clamped(to: Self.map.size)
        #expect(shown.x <= inside.x && shown.y <= inside.y)
        #expect(shown.maxX >= inside.maxX && shown.maxY >= inside.maxY)
        #expect(shown.width <= inside.width + 2 && shown.height <= inside.height + 2)
        check(result, "\(orientation) \(region)")
      }
    }
  }

  @Test(arguments: YUVConversionTests.formats, Orientation.allCases)
  func aRegionOfLumaAndChromaBeginsAtWholeSamples(format: PixelFormat, orientation: Orientation) throws {
    let stored = YUVPicture(Self.map.stored(orientation), format, .bt601Full)
    for region in [
      Box(x: 31, y: 21, width: 99, height: 61), Box(x: 30, y: 20, width: 17, height: 16),
      Box(x: 223, y: 143, width: 17, height: 17),
    ] {
      try stored.withView(format, padding: 4) { view throws(Status) in
        var image = ImageInput(.pixels(view), orientation: orientation)
        image.region = region
        let result = try seen(image, maxSide: 0)
        #expect(result.letterbox.shown.width <= region.width + 2)
        check(result, tolerance: 6, "\(format) \(orientation) \(region)")
      }
    }
  }

  /// Left and right are the subject's after mirroring back, and the region is one of the picture mirrored
  /// back.
  @Test(arguments: Orientation.allCases)
  func aMirroredPictureIsMirroredBack(orientation: Orientation) throws {
    let mirrored = Picture(240, 160) { x, y in Self.map[239 - x, y] }
    try mirrored.stored(orientation).withView(.bgra) { view throws(Status) in
      var image = ImageInput(.pixels(view), orientation: orientation)
      image.isMirrored = true
      #expect(try seen(image, maxSide: 0).picture == Self.map)
      image.region = Box(x: 10, y: 30, width: 50, height: 40)
      let result = try seen(image, maxSide: 0)
      #expect(result.picture == Picture(50, 40) { x, y in Self.map[x + 10, y + 30] })
      #expect(result.letterbox.toImage(Point(x: 0, y: 0)) == Point(x: 10, y: 30))
    }
  }

  @Test func invalidRegionIsRefused() throws {
    func code(_ region: Box) -> StatusCode? {
      failure { () throws(Status) in
        try Self.map.withView(.bgra) { view throws(Status) in
          var image = ImageInput(.pixels(view))
          image.region = region
          _ = try UprightImage(image)
        }
      }?.code
    }
    for region in [
      Box(x: .nan, y: 0, width: 50, height: 50), Box(x: 0, y: .infinity, width: 50, height: 50),
      Box(x: 0, y: 0, width: .infinity, height: 50), Box(x: 0, y: 0, width: 50, height: .nan),
      Box(x: 3e38, y: 0, width: 3e38, height: 50),
    ] {
      #expect(code(region) == .invalidArgument, "\(region)")
    }
    for region in [
      Box(x: 0, y: 0, width: 15, height: 50), Box(x: 230, y: 0, width: 50, height: 50),
      Box(x: 500, y: 500, width: 50, height: 50), Box(x: 0, y: 0, width: 50, height: -50),
      Box(x: -3e38, y: 0, width: 10, height: 50),
    ] {
      #expect(code(region) == .outOfRange, "\(region)")
    }
    #expect(code(Box(x: -3e38, y: -3e38, width: 3.1e38, height: 3.1e38)) == nil)
    #expect(code(Box(x: 224, y: 144, width: 16, height: 16)) == nil)
  }

  /// A JPEG decoded at a reduced scale shows the same places as one decoded in full.
  @Test(arguments: Orientation.allCases, [400, 242, 200, 121, 100, 61, 40])
  func reducedJPEGKeepsPlacesAndColours(orientation: Orientation, maxSide: Int) throws {
    let whole = try Fixture.image("quarters_large.jpg").borrowed { file throws(Status) in
      try seen(ImageInput(.encoded(file), orientation: orientation), maxSide: 0).picture
    }
    try Fixture.image("quarters_large.jpg").borrowed { file throws(Status) in
      for region in [nil, Box(x: 61, y: 83, width: 201, height: 190)] as [Box?] {
        var image = ImageInput(.encoded(file), orientation: orientation)
        image.region = region
        let result = try seen(image, maxSide: maxSide)
        #expect(result.letterbox.image == whole.size)
        #expect(result.picture.size == result.letterbox.content)
        let part = region ?? PixelRect(whole.size).box
        let shown = result.letterbox.shown
        // The offset is less than a decoded pixel.
        #expect(abs(shown.x - part.x) < 8 && abs(shown.y - part.y) < 8)
        #expect(abs(shown.maxX - part.maxX) < 8 && abs(shown.maxY - part.maxY) < 8)
        var different = 0
        for y in 0..<result.picture.size.height {
          for x in 0..<result.picture.size.width {
            let place = result.letterbox.toImage(Point(x: Float(x) + 0.5, y: Float(y) + 0.5))
            let there = whole[
              min(max(Int(place.x), 0), whole.size.width - 1),
              min(max(Int(place.y), 0), whole.size.height - 1)]
            different += result.picture[x, y].distance(to: there) > 24 ? 1 : 0
          }
        }
        // Differences are only along the two borders between the quarters, two pixels wide each.
        let borders = result.picture.size.width + result.picture.size.height
        #expect(different <= 2 * borders, "\(orientation) \(maxSide)")
        guard region == nil else { continue }
        // The mix of colours at a border between two pixels tells its place to a fraction of a pixel.
        let full = Letterbox(image: whole.size, maxSide: 0, multiple: 1)
        let (seen, expected) = (border(result.picture, result.letterbox), border(whole, full))
        #expect(abs(seen.x - expected.x) < 0.5 && abs(seen.y - expected.y) < 0.5, "\(orientation) \(maxSide)")
      }
    }
  }

  /// The right end of the left quarters and the lower end of the upper ones, in pixels of the image, by the
  /// share of a line with their colour.
  private func border(_ picture: Picture, _ letterbox: Letterbox) -> Point {
    let size = picture.size
    func share(_ line: [RGB]) -> Float {
      let colours = line.map { SIMD3(Float($0.red), Float($0.green), Float($0.blue)) }
      let last = colours[colours.count - 1]
      let contrast = colours[0] - last
      return colours.map { (($0 - last) * contrast).sum() }.reduce(0, +) / (contrast * contrast).sum()
    }
    let across = share((0..<size.width).map { picture[$0, size.height / 4] })
    let down = share((0..<size.height).map { picture[size.width / 4, $0] })
    return letterbox.toImage(Point(x: across, y: down))
  }

  /// Crops have full detail from the same object, before and after the network's input was reduced.
  @Test(arguments: [false, true])
  func cropsOfAFileAreInFullDetail(willCrop: Bool) throws {
    let square = RotatedSquare(center: Point(x: 30, y: 80), side: 40, angle: 15)
    for name in ["exif_6.jpg", "quarters_large.jpg", "exif_6.png", "exif_6.webp"] {
      try Fixture.image(name).borrowed { file throws(Status) in
        let image = try UprightImage(ImageInput(.encoded(file)), willCrop: willCrop)
        let before = Picture(try image.crop(square, side: 32))
        _ = try image.networkInput(maxSide: 16, multiple: 1)
        #expect(Picture(try image.crop(square, side: 32)) == before)
        let other = try UprightImage(ImageInput(.encoded(file)))
        _ = try other.networkInput(maxSide: 16, multiple: 1)
        #expect(Picture(try other.crop(square, side: 32)) == before, "\(name)")
        let whole = Picture(
          try UprightImage(ImageInput(.encoded(file))).networkInput(maxSide: 0, multiple: 1).intoBitmap())
        #expect(before.distance(to: NaiveCrop.crop(whole, square, side: 32)) <= 3, "\(name)")
      }
    }
  }
}
