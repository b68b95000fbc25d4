import Detection
import FaceCore
import Imaging
import Inference
import TestSupport
import Testing

@Suite struct DetectionPipelineTests {
  private static let input = InputSpecification(
    blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1])

  /// A dark picture, 200×120, with one bright spot far from every middle.
  private static let spot = Box(x: 32, y: 68, width: 20, height: 32)
  private static let picture = Picture(200, 120) { x, y in
    (32..<52).contains(x) && (68..<100).contains(y) ? RGB(255, 255, 255) : RGB(0, 0, 0)
  }

  private func findFaces(
    _ picture: Picture, _ family: any DetectorFamily, orientation: Orientation = .up,
    format: PixelFormat = .bgra,
    _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> DetectionResult {
    var options = DetectionOptions()
    change(&options)
    let pipeline = DetectionPipeline(network: BrightSpotNetwork(), family: family, input: Self.input)
    return try picture.withView(format, padding: 3) { view throws(Status) in
      try pipeline.findFaces(
        in: UprightImage(ImageInput(.pixels(view), orientation: orientation)), options)
    }
  }

  /// At full size and half of it places are exact, at three quarters within a pixel of the input.
  @Test(arguments: Orientation.allCases, [(0, Float(0.001)), (100, 0.001), (150, 1.4)])
  func facesAreGivenInPixelsOfTheUprightImage(orientation: Orientation, scale: (maxSide: Int, within: Float))
    throws
  {
    let result = try findFaces(Self.picture.stored(orientation), BrightSpotFamily(), orientation: orientation)
    {
      $0.maxSide = scale.maxSide
    }
    #expect(result.imageSize == PixelSize(width: 200, height: 120))
    #expect(result.faces.count == 1)
    let spot = Self.spot
    let expected = Face(
      box: spot, confidence: 1,
      points: FivePoints(
        leftEye: Point(x: spot.maxX, y: spot.y), rightEye: Point(x: spot.x, y: spot.y),
        noseTip: Point(x: spot.x + spot.width / 2, y: spot.y + spot.height / 2),
        mouthLeft: Point(x: spot.maxX, y: spot.maxY), mouthRight: Point(x: spot.x, y: spot.maxY)))
    let distance = try #require(result.faces.first).distance(to: expected)
    #expect(distance <= scale.within * 2)
  }

  /// Many regions share one input, some at their own size and some scaled down: the spot is found in the
  /// region that shows it.
  @Test(arguments: Orientation.allCases, [1, 2, 8, 9, 17])
  func facesAreAssignedToTheirRegions(orientation: Orientation, count: Int) throws {
    let pipeline = DetectionPipeline(
      network: BrightSpotNetwork(), family: BrightSpotFamily(), input: Self.input)
    let dark = [
      Box(x: 100, y: 0, width: 40, height: 40), Box(x: 170, y: 100, width: 60, height: 60),
      Box(x: 90, y: 20, width: 100, height: 100),
    ]
    let bright = [
      Box(x: 16, y: 60, width: 64, height: 60), Box(x: -20, y: 40, width: 128, height: 128),
      Box(x: 30, y: 66, width: 40, height: 40),
    ]
    for (place, part) in zip([0, count - 1, count / 2], bright) {
      var parts = (0..<count).map { dark[$0 % dark.count] }
      parts[place] = part
      let found = try Self.picture.stored(orientation).withView(.bgra, padding: 3) { view throws(Status) in
        try pipeline.search(
          UprightImage(ImageInput(.pixels(view), orientation: orientation)), regions: parts, maxSide: 64,
          minConfidence: 0.5)
      }
      #expect(found.map(\.count) == (0..<count).map { $0 == place ? 1 : 0 })
      let face = try #require(found[place].first)
      let expected = Self.spot
      for (side, other) in [
        (face.box.x, expected.x), (face.box.y, expected.y), (face.box.maxX, expected.maxX),
        (face.box.maxY, expected.maxY), (face.points?.leftEye.x, expected.maxX),
        (face.points?.leftEye.y, expected.y),
      ] {
        #expect(abs(try #require(side) - other) <= 2)
      }
    }
  }

  /// A network may return any number: boxes outside all regions are dropped, however far they are.
  @Test(arguments: [-1e30, -1e3, 1e3, 1e19, 1e30] as [Float])
  func boxesOutsideAllRegionsAreDropped(place: Float) throws {
    let boxes = [(place, Float(0)), (0, place), (place, place)].map { x, y in
      Face(box: Box(x: x, y: y, width: 8, height: 8), confidence: 1, points: nil)
    }
    let pipeline = DetectionPipeline(
      network: BrightSpotNetwork(), family: FixedFamily(faces: boxes), input: Self.input)
    let parts = [Box(x: 0, y: 0, width: 40, height: 40), Box(x: 60, y: 40, width: 40, height: 40)]
    let found = try Self.picture.withView(.bgra, padding: 0) { view throws(Status) in
      try pipeline.search(
        UprightImage(ImageInput(.pixels(view))), regions: parts, maxSide: 64, minConfidence: 0.5)
    }
    #expect(found.count == parts.count)
    #expect(found.joined().allSatisfy { $0.box.width > 0 })
  }

  @Test func aPictureWithoutFacesGivesNone() throws {
    let result = try findFaces(Picture(64, 48) { _, _ in RGB(0, 0, 0) }, BrightSpotFamily())
    #expect(result == DetectionResult(imageSize: PixelSize(width: 64, height: 48), faces: []))
  }

  /// The size is in pixels of the image; the input is half as large here.
  @Test func smallFacesAreLeftOutByTheirShorterSide() throws {
    for (size, kept) in [(Float(0), 1), (20, 1), (20.5, 0), (32, 0)] {
      let result = try findFaces(Self.picture, BrightSpotFamily()) {
        $0.maxSide = 100
        $0.minFaceSize = size
      }
      #expect(result.faces.count == kept, "at least \(size)")
    }
  }

  private static let three = FixedFamily(
    faces: [(0, 0.5), (40, 0.9), (42, 0.7), (100, 0.8)].map { x, confidence in
      Face(box: Box(x: x, y: 10, width: 20, height: 20), confidence: confidence, points: nil)
    })

  @Test func facesAreSortedByConfidenceWithoutOverlaps() throws {
    let result = try findFaces(Self.picture, Self.three) { $0.minConfidence = 0.1 }
    #expect(result.faces.map(\.confidence) == [0.9, 0.8, 0.5])
    let overlapping = try findFaces(Self.picture, Self.three) {
      $0.minConfidence = 0.1
      $0.overlapThreshold = 1
    }
    #expect(overlapping.faces.map(\.confidence) == [0.9, 0.8, 0.7, 0.5])
  }

  @Test func theOptionsReachTheirStages() throws {
    #expect(try findFaces(Self.picture, Self.three) { $0.minConfidence = 0.85 }.faces.count == 1)
    #expect(
      try findFaces(Self.picture, Self.three) { $0.maxFaces = 2 }.faces.map(\.confidence) == [0.9, 0.8])
  }
}
