import FaceCore
import TestSupport
import Testing

@Suite struct FaceCropTests {
  private static let wide = PixelSize(width: 600, height: 400)
  private static let face = Box(x: 300, y: 100, width: 80, height: 100)
  private static let square = PixelSize(width: 300, height: 300)

  /// D6: in a picture that is not square, the crop is centred on the face.
  @Test func aspectFillTakesTheLargestPartOfTheRequestedShape() throws {
    let part = try FaceCrop(size: Self.square).part(around: Self.face, in: Self.wide)
    #expect(part == Box(x: 140, y: 0, width: 400, height: 400))
    let tall = try FaceCrop(size: Self.square).part(
      around: Self.face, in: PixelSize(width: 400, height: 600))
    #expect(tall == Box(x: 0, y: 0, width: 400, height: 400))  // the face's middle is above the part's
    let flat = try FaceCrop(size: PixelSize(width: 200, height: 100)).part(around: Self.face, in: Self.wide)
    #expect(flat == Box(x: 0, y: 0, width: 600, height: 300))
  }

  @Test func marginAndHeadroomAreInUnitsOfTheFace() throws {
    let near = try FaceCrop(size: Self.square, margin: 0.5).part(around: Self.face, in: Self.wide)
    #expect(near == Box(x: 240, y: 50, width: 200, height: 200))
    let higher = try FaceCrop(size: Self.square, margin: 0.5, headroom: 0.25)
      .part(around: Self.face, in: Self.wide)
    #expect(higher == Box(x: 240, y: 25, width: 200, height: 200))
    let bare = try FaceCrop(size: Self.square, margin: 0).part(around: Self.face, in: Self.wide)
    #expect(bare == Box(x: 290, y: 100, width: 100, height: 100))
  }

  /// The part is inside the picture, has the requested shape and contains the whole face, wherever the face
  /// is.
  @Test func thePartIsInsideAndHoldsTheFace() throws {
    var generator = SeededGenerator(seed: 5)
    var fitted = 0
    for _ in 0..<2000 {
      func number(_ below: Int) -> Int { Int(generator.next() % UInt64(below)) }
      let image = PixelSize(width: 100 + number(900), height: 100 + number(900))
      let face = Box(
        x: Float(number(image.width) - 20), y: Float(number(image.height) - 20),
        width: Float(10 + number(200)),
        height: Float(10 + number(200)))
      let size = PixelSize(width: 16 + number(400), height: 16 + number(400))
      let crop = FaceCrop(
        size: size, margin: number(3) == 0 ? nil : Float(number(10)) / 10, headroom: Float(number(5)) / 10)
      guard let part = try? crop.part(around: face, in: image) else { continue }
      fitted += 1
      let seen = face.clamped(to: image)
      #expect(part.x >= 0 && part.y >= 0)
      #expect(part.maxX <= Float(image.width) + 0.01 && part.maxY <= Float(image.height) + 0.01)
      #expect(abs(part.width * Float(size.height) - part.height * Float(size.width)) < 1)
      #expect(part.x <= seen.x + 0.01 && part.maxX >= seen.maxX - 0.01)
      #expect(part.y <= seen.y + 0.01 && part.maxY >= seen.maxY - 0.01)
    }
    #expect(fitted > 500)
  }

  @Test func clampedCropHasLessMargin() throws {
    let crop = FaceCrop(size: Self.square, margin: 3, overflow: .clamp)
    #expect(try crop.part(around: Self.face, in: Self.wide) == Box(x: 140, y: 0, width: 400, height: 400))
    let flat = FaceCrop(size: PixelSize(width: 300, height: 100), margin: 1, overflow: .clamp)
    let tall = Box(x: 50, y: 10, width: 300, height: 380)
    expectFailure(.outOfRange, "pad") { try flat.part(around: tall, in: Self.wide) }
  }

  /// Also where the shape would cut it off, and without a margin.
  @Test func paddedCropStaysCentredOnTheFace() throws {
    let wide = FaceCrop(size: Self.square, margin: 3, overflow: .pad)
    #expect(try wide.part(around: Self.face, in: Self.wide) == Box(x: -10, y: -200, width: 700, height: 700))
    let corner = Box(x: -20, y: 350, width: 80, height: 100)
    let near = FaceCrop(size: Self.square, margin: 0.5, headroom: 0.25, overflow: .pad)
    #expect(try near.part(around: corner, in: Self.wide) == Box(x: -80, y: 275, width: 200, height: 200))
    let tall = Box(x: 50, y: 10, width: 300, height: 380)
    for margin in [nil, 0] as [Float?] {
      let flat = FaceCrop(size: PixelSize(width: 300, height: 100), margin: margin, overflow: .pad)
      #expect(try flat.part(around: tall, in: Self.wide) == Box(x: -370, y: 10, width: 1140, height: 380))
    }
    let filled = FaceCrop(size: Self.square, overflow: .pad)
    #expect(
      try filled.part(around: Self.face, in: Self.wide)
        == FaceCrop(size: Self.square).part(around: Self.face, in: Self.wide))
  }

  @Test func cropThatDoesNotFitOrIsNotFiniteIsRefused() {
    let size = PixelSize(width: 300, height: 100)
    let huge = Box(x: 50, y: 10, width: 300, height: 380)
    expectFailure(.outOfRange) { try FaceCrop(size: size).part(around: huge, in: Self.wide) }
    let margin = failure { () throws(Status) in
      _ = try FaceCrop(size: Self.square, margin: 3).part(around: Self.face, in: Self.wide)
    }
    #expect(margin?.code == .outOfRange && margin?.message.contains("margin") == true)
    for box in [
      Box(x: .nan, y: 0, width: 10, height: 10), Box(x: 0, y: 0, width: .infinity, height: 10),
      Box(x: 0, y: 0, width: 0, height: 0), Box(x: 900, y: 0, width: 10, height: 10),
      Box(x: 0, y: 0, width: 1e38, height: 1e38),
    ] {
      expectFailure(.invalidArgument) {
        try FaceCrop(size: Self.square, margin: 0).part(around: box, in: Self.wide)
      }
    }
    for crop in [
      FaceCrop(size: Self.square, margin: .nan), FaceCrop(size: Self.square, margin: -1),
      FaceCrop(size: Self.square, headroom: .infinity),
    ] {
      expectFailure(.invalidArgument) { try crop.validate() }
    }
    expectFailure(.outOfRange) { try FaceCrop(size: PixelSize(width: 0, height: 300)).validate() }
  }

  @Test func faceChoiceExpectsOneFaceOrTakesTheLargest() throws {
    let small = Box(x: 0, y: 0, width: 10, height: 10)
    for choice in FaceChoice.allCases {
      expectFailure(.notFound) { try choice.index(among: []) }
      #expect(try choice.index(among: [small]) == 0)
    }
    expectFailure(.failedPrecondition) { try FaceChoice.only.index(among: [small, Self.face]) }
    #expect(try FaceChoice.largest.index(among: [small, Self.face, small]) == 1)
  }
}

@Suite struct AlignedCropTests {
  /// Turns, scales and shifts the template into a picture; the crop brings it back to its own places.
  @Test(arguments: [112, 224, 96])
  func alignedCropMapsTheTemplateToThePointsOfTheFace(side: Int) throws {
    let crop = AlignedCrop(side: side)
    let toPicture = AffineMap(xx: 1.6, xy: -0.9, dx: 200, yx: 0.9, yy: 1.6, dy: 90)
    let map = try crop.toImage(crop.points.map { toPicture($0) })
    for (place, expected) in zip(crop.points.all, crop.points.all.map { toPicture($0) }) {
      let found = map(place)
      #expect(abs(found.x - expected.x) < 0.01 && abs(found.y - expected.y) < 0.01)
    }
  }

  /// The subject's left eye is at the right, at the place the networks expect.
  @Test func templatePointsAreAtTheStandardPlaces() {
    let points = AlignedCrop().points
    #expect(abs(points.leftEye.x - 74.0318) < 1e-4 && abs(points.rightEye.x - 38.7946) < 1e-4)
    #expect(abs(points.leftEye.y - points.rightEye.y) < 0.2)
  }

  @Test(arguments: [Float(5), .nan, .infinity, 1e38])
  func alignedCropRefusesCoincidentAndNonFinitePoints(value: Float) {
    let point = Point(x: value, y: value)
    let points = FivePoints(
      leftEye: point, rightEye: point, noseTip: point, mouthLeft: point, mouthRight: point)
    expectFailure(.invalidArgument) { try AlignedCrop().toImage(points) }
    expectFailure(.outOfRange) { try AlignedCrop(side: 8).toImage(AlignedCrop().points) }
  }
}
