import Detection
import FaceCore
import Imaging
import Synchronization
import TestSupport
import Testing

/// Faces too small for one search: a second one of the enlarged picture, with scripted networks.
@Suite struct SmallFaceDetectorTests {
  /// - Parameter faces: the faces found in an input of each width.
  private func findFaces(
    _ faces: [Int: [Face]], side: Int = 1024, maxInputPixels: Int = .max, prior: SizePrior = .none,
    _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> (found: [Face], sides: [Int]) {
    var options = DetectionOptions()
    options.minConfidence = 0.1
    change(&options)
    let searches = ScriptedSearches(faces, maxInputPixels: maxInputPixels)
    let result = try Picture.black(side, side / 4).withUpright { image throws(Status) in
      try SmallFaceDetector(searches.pipeline, sizePrior: prior).findFaces(in: image, options)
    }
    return (result.faces, searches.widths)
  }

  private static let small = Face.square(30, 30, 30, 0.6)

  @Test func aPictureWithASmallFaceIsSearchedTwice() throws {
    #expect(try findFaces([1024: [Self.small]]).sides == [1024, 1792])
    for other in [Face.square(30, 30, 33, 0.9), Face.square(30, 30, 31, 0.29)] {
      let (found, sides) = try findFaces([1024: [other], 1792: [Face.square(0, 0, 40, 0.9)]])
      #expect(sides == [1024] && found == [other])
    }
    // Within a larger face it is the same face.
    #expect(
      try findFaces([1024: [Face.square(30, 30, 34, 0.9), Face.square(31, 31, 31, 0.8)]]).sides == [1024])
  }

  /// Small means small in the first search's input; the second takes its detail from the picture if it has
  /// that much.
  @Test(arguments: [(400, [416, 704]), (1200, [1024, 1792]), (1800, [1024, 1792])])
  func theSecondSearchIsThreeQuartersLarger(side: Int, sides: [Int]) throws {
    let large = Face.square(0, 0, 33, 0.6)
    #expect(try findFaces([sides[0]: [Self.small]], side: side).sides == sides)
    #expect(try findFaces([sides[0]: [large]], side: side).sides == Array(sides.prefix(1)))
    let scale = Float(side) / Float(min(side, 1024))
    let (found, _) = try findFaces(
      [sides[0]: [Self.small], sides[1]: [Face.square(52.5, 52.5, 52.5, 0.8)]], side: side)
    #expect(found.count == 1)
    let expected = Face.square(30 * scale, 30 * scale, 30 * scale, 0.7)
    #expect(try #require(found.first).distance(to: expected) < 0.2)
  }

  @Test func bothSearchesVoteOnSmallFaces() throws {
    let (found, _) = try findFaces([
      1024: [Self.small, Face.square(300, 30, 28, 0.9), Face.square(500, 30, 9, 0.5)],
      1792: [Face.square(52.5, 52.5, 52.5, 0.8), Face.square(1050, 52.5, 18.7, 0.8)],
    ])
    // The first search does not see faces of 10 pixels.
    #expect(found.map { ($0.confidence * 100).rounded() } == [80, 70, 45])
    #expect(found.map { $0.box.x.rounded() } == [600, 30, 300])
  }

  /// A face from 64 pixels on is the same whether there is a small one beside it or not.
  @Test func largerFacesAreLeftAlone() throws {
    let large = [Face.square(200, 30, 64, 0.9), Face.square(400, 30, 200, 0.7)]
    let (found, sides) = try findFaces([
      1024: large + [Self.small],
      1792: [Face.square(52.5, 52.5, 52.5, 0.6), Face.square(1166, 52.5, 175, 0.9)],
    ])
    #expect(sides == [1024, 1792])
    #expect(found.prefix(2).map(\.confidence) == [0.9, 0.7])
    #expect(found.count == 3)
    for (one, other) in zip(found, large) { #expect(one.distance(to: other) < 0.01) }
  }

  @Test func aSizeInPixelsIsOneSearch() throws {
    for (side, width) in [(0, 1024), (512, 512), (1024, 1024)] {
      #expect(try findFaces([width: [Self.small]]) { $0.maxSide = side }.sides.count == 1)
    }
  }

  /// Where the enlarged input is too large for the engine, the first search is the only one.
  @Test func aPictureIsEnlargedOnlyAsFarAsTheEngineAllows() throws {
    let (found, sides) = try findFaces([1024: [Self.small]], maxInputPixels: 1792 * 448 - 1)
    #expect(sides == [1024] && found == [Self.small])
    #expect(try findFaces([1024: [Self.small]], maxInputPixels: 1792 * 448).sides == [1024, 1792])
  }

  @Test(arguments: [(1024, 16), (16, 1024), (2000, 16)])
  func aThinPictureIsEnlargedToo(width: Int, height: Int) throws {
    let searches = ScriptedSearches([min(1024, max(32, width)): [Face.square(2, 2, 10, 0.9)]])
    let result = try Picture.black(width, height).withUpright { image throws(Status) in
      try SmallFaceDetector(searches.pipeline).findFaces(in: image, DetectionOptions())
    }
    #expect(result.imageSize == PixelSize(width: width, height: height) && searches.widths.count == 2)
  }

  @Test func theSizePriorIsThatOfTheFirstSearch() throws {
    let prior = SizePrior(side: 40, logitPerHalving: 1)
    let face = Face.square(30, 30, 40, 0.5)
    #expect(try findFaces([1024: [face]], prior: prior).found.map(\.confidence) == [0.5])
    let (found, _) = try findFaces([1024: [Face.square(30, 30, 20, 0.5)]], side: 2048, prior: prior) {
      $0.minConfidence = 0
    }
    // Only one of the searches has found it: half of a half, and one logit less.
    #expect(abs(try #require(found.first).confidence - 0.1093) < 1e-3)
  }

  /// The searches are the same, whatever is returned of them.
  @Test func minConfidenceOnlyFiltersTheFaces() throws {
    let script = [
      1024: [Self.small, Face.square(300, 30, 28, 0.9)], 1792: [Face.square(52.5, 52.5, 52.5, 0.8)],
    ]
    let all = try findFaces(script) { $0.minConfidence = 0 }
    for least in [0.1, 0.45, 0.6, 0.9] as [Float] {
      let some = try findFaces(script) { $0.minConfidence = least }
      #expect(some.sides == all.sides)
      #expect(some.found == all.found.filter { $0.confidence >= least })
    }
  }

  /// The pixels themselves are enlarged, in upright order.
  @Test(arguments: Orientation.allCases)
  func facesAreMappedBackToThePicture(orientation: Orientation) throws {
    let result = try BrightSpot.picture.withUpright(as: orientation) { image throws(Status) in
      try SmallFaceDetector(BrightSpot.pipeline).findFaces(in: image, DetectionOptions())
    }
    #expect(result.imageSize == PixelSize(width: 200, height: 120))
    #expect(result.faces.count == 1)
    let face = try #require(result.faces.first)
    #expect(face.confidence == 1 && face.box.intersectionOverUnion(BrightSpot.box) > 0.9)
  }
}
