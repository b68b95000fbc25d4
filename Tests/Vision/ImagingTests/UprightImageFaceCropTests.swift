import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct UprightImageFaceCropTests {
  /// A portrait at the picture's own scale is a copy of its part.
  @Test(arguments: [PixelFormat.bgra, .rgb, .gray])
  func unscaledPortraitCopiesItsPart(format: PixelFormat) throws {
    let picture = Picture.noise(200, 120, seed: 9)
    let gray = format == .gray
    try picture.withUpright(format, padding: 5, willCrop: true) { image throws(Status) in
      let crop = FaceCrop(size: PixelSize(width: 60, height: 60), margin: 0.25)
      let cut = Picture(try image.portrait(of: Box(x: 80, y: 50, width: 40, height: 40), crop))
      let whole = Picture(try image.whole())
      for y in 0..<60 {
        for x in 0..<60 {
          #expect(cut[x, y] == whole[70 + x, 40 + y])
          if !gray { #expect(cut[x, y] == picture[70 + x, 40 + y]) }
        }
      }
    }
  }

  /// D6: in a turned, mirrored picture that is not square, the face's middle is the crop's.
  @Test(arguments: Orientation.allCases)
  func portraitIsCentredInEveryOrientation(orientation: Orientation) throws {
    let spot = (x: 140, y: 70)
    let picture = Picture(240, 120) { x, y in
      abs(x - spot.x) <= 4 && abs(y - spot.y) <= 4 ? RGB(255, 255, 255) : RGB(0, 0, 0)
    }
    try picture.withUpright(.rgb, padding: 1, as: orientation, willCrop: true) { image throws(Status) in
      let face = Box(x: 130.5, y: 60.5, width: 20, height: 20)
      let crop = FaceCrop(size: PixelSize(width: 100, height: 50), margin: 0.5)
      let cut = Picture(try image.portrait(of: face, crop))
      #expect(cut.size == PixelSize(width: 100, height: 50))
      #expect(cut[49, 24] == RGB(255, 255, 255) && cut[50, 25] == RGB(255, 255, 255))
      #expect(cut[10, 25] == RGB(0, 0, 0) && cut[50, 3] == RGB(0, 0, 0))
    }
  }

  /// Scaled down far, fine stripes become their mean.
  @Test func reducedPortraitIsAMean() throws {
    let stripes = Picture(800, 800) { x, _ in x % 2 == 0 ? RGB(0, 0, 0) : RGB(255, 255, 255) }
    try stripes.withUpright(.rgb, padding: 0, willCrop: true) { image throws(Status) in
      let crop = FaceCrop(size: PixelSize(width: 50, height: 50))
      let cut = Picture(try image.portrait(of: Box(x: 300, y: 300, width: 100, height: 100), crop))
      #expect(cut.distance(to: Picture(50, 50) { _, _ in RGB(128, 128, 128) }) <= 2)
    }
  }

  /// Outside the picture its last pixels are repeated, and the face stays in the middle.
  @Test func paddedPortraitRepeatsTheLastPixels() throws {
    let picture = Picture(100, 80) { x, _ in x < 30 ? RGB(200, 100, 50) : RGB(10, 20, 30) }
    try picture.withUpright(.rgb, padding: 3, willCrop: true) { image throws(Status) in
      let crop = FaceCrop(size: PixelSize(width: 100, height: 100), margin: 0.5, overflow: .pad)
      let cut = Picture(try image.portrait(of: Box(x: 5, y: 15, width: 50, height: 50), crop))
      for (x, y) in [(0, 0), (10, 50), (49, 99)] { #expect(cut[x, y] == RGB(200, 100, 50)) }
      for (x, y) in [(51, 0), (99, 50), (60, 99)] { #expect(cut[x, y] == RGB(10, 20, 30)) }
      let far = Box(x: -900_000, y: 0, width: 900_050, height: 50)
      let tooFar = failure { () throws(Status) in _ = try image.portrait(of: far, crop) }
      #expect(tooFar?.code == .outOfRange || tooFar?.code == .invalidArgument)
    }
  }

  /// White spots at the five points move to the places of the template.
  @Test func anAlignedFaceHasItsPointsInPlace() throws {
    let crop = AlignedCrop()
    let toPicture = AffineMap(xx: 1.1, xy: -0.5, dx: 120, yx: 0.5, yy: 1.1, dy: 40)
    let points = crop.points.map { toPicture($0) }
    let picture = Picture(320, 280) { x, y in
      points.all.contains { abs(Float(x) + 0.5 - $0.x) < 3 && abs(Float(y) + 0.5 - $0.y) < 3 }
        ? RGB(255, 255, 255) : RGB(0, 0, 0)
    }
    try picture.withUpright(.bgr, padding: 0, willCrop: true) { image throws(Status) in
      let cut = Picture(try image.aligned(points, crop))
      #expect(cut.size == PixelSize(width: 112, height: 112))
      for point in crop.points.all { #expect(cut[Int(point.x), Int(point.y)].red > 200) }
      #expect(cut[5, 5] == RGB(0, 0, 0))
    }
  }
}
