import Detection
import FaceCore
import Imaging
import Inference
import TestSupport
import Testing

@Suite struct DetectionPipelineTests {
  private func findFaces(
    _ picture: Picture = BrightSpot.picture, _ family: any DetectorFamily = BrightSpotFamily(),
    as orientation: Orientation = .up, _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> DetectionResult {
    var options = DetectionOptions()
    change(&options)
    return try picture.withUpright(padding: 3, as: orientation) { image throws(Status) in
      try BrightSpot.pipeline(family).findFaces(in: image, options)
    }
  }

  /// At full size and half of it places are exact, at three quarters within a pixel of the input.
  @Test(arguments: Orientation.allCases, [(0, Float(0.001)), (100, 0.001), (150, 1.4)])
  func facesAreGivenInPixelsOfTheUprightImage(orientation: Orientation, scale: (maxSide: Int, within: Float))
    throws
  {
    let result = try findFaces(as: orientation) { $0.maxSide = scale.maxSide }
    #expect(result.imageSize == PixelSize(width: 200, height: 120))
    #expect(result.faces.count == 1)
    #expect(try #require(result.faces.first).distance(to: BrightSpot.face) <= scale.within * 2)
  }

  /// Many regions share one input, some at their own size and some scaled down: the spot is found in the
  /// region that shows it.
  @Test(arguments: Orientation.allCases, [1, 2, 8, 9, 17])
  func facesAreAssignedToTheirRegions(orientation: Orientation, count: Int) throws {
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
      let found = try BrightSpot.picture.withUpright(padding: 3, as: orientation) { image throws(Status) in
        try BrightSpot.pipeline.search(image, regions: parts, maxSide: 64, minConfidence: 0.5)
      }
      #expect(found.map(\.count) == (0..<count).map { $0 == place ? 1 : 0 })
      #expect(try #require(found[place].first).distance(to: BrightSpot.face) <= 4)
    }
  }

  /// A network may return any number: boxes outside all regions are dropped, however far they are.
  @Test(arguments: [-1e30, -1e3, 1e3, 1e19, 1e30] as [Float])
  func boxesOutsideAllRegionsAreDropped(place: Float) throws {
    let boxes = [(place, Float(0)), (0, place), (place, place)].map { Face.square($0, $1, 8, 1) }
    let parts = [Box(x: 0, y: 0, width: 40, height: 40), Box(x: 60, y: 40, width: 40, height: 40)]
    let found = try BrightSpot.picture.withUpright { image throws(Status) in
      try BrightSpot.pipeline(FixedFamily(faces: boxes)).search(
        image, regions: parts, maxSide: 64, minConfidence: 0.5)
    }
    #expect(found.count == parts.count)
    #expect(found.joined().allSatisfy { $0.box.width > 0 })
  }

  @Test func aPictureWithoutFacesGivesNone() throws {
    let result = try findFaces(.black(64, 48))
    #expect(result == DetectionResult(imageSize: PixelSize(width: 64, height: 48), faces: []))
  }

  /// The size is in pixels of the image; the input is half as large here.
  @Test func smallFacesAreLeftOutByTheirShorterSide() throws {
    for (size, kept) in [(Float(0), 1), (20, 1), (20.5, 0), (32, 0)] {
      let result = try findFaces {
        $0.maxSide = 100
        $0.minFaceSize = size
      }
      #expect(result.faces.count == kept, "at least \(size)")
    }
  }

  private static let three = FixedFamily(
    faces: [(0, 0.5), (40, 0.9), (42, 0.7), (100, 0.8)].map { .square($0, 10, 20, $1) })

  @Test func facesAreSortedByConfidenceWithoutOverlaps() throws {
    let result = try findFaces(BrightSpot.picture, Self.three) { $0.minConfidence = 0.1 }
    #expect(result.faces.map(\.confidence) == [0.9, 0.8, 0.5])
    let overlapping = try findFaces(BrightSpot.picture, Self.three) {
      $0.minConfidence = 0.1
      $0.overlapThreshold = 1
    }
    #expect(overlapping.faces.map(\.confidence) == [0.9, 0.8, 0.7, 0.5])
  }

  @Test func theOptionsReachTheirStages() throws {
    #expect(try findFaces(BrightSpot.picture, Self.three) { $0.minConfidence = 0.85 }.faces.count == 1)
    #expect(
      try findFaces(BrightSpot.picture, Self.three) { $0.maxFaces = 2 }.faces.map(\.confidence) == [0.9, 0.8])
  }
}
