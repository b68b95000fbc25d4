import Detection
import FaceCore
import Imaging
import Synchronization
import TestSupport
import Testing

/// Faces larger than a network sees: two searches of one picture, with scripted networks.
@Suite struct DetectionPipelineLargeFaceTests {
  /// - Parameter faces: the faces found in an input of each width.
  private func findFaces(
    _ faces: [Int: [Face]], side: Int = 1024, _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> (found: [Face], sides: [Int]) {
    var options = DetectionOptions()
    change(&options)
    let searches = ScriptedSearches(faces)
    let result = try Picture.black(side, side / 4).withUpright { image throws(Status) in
      try searches.pipeline.findFaces(in: image, options)
    }
    return (result.faces, searches.widths)
  }

  private static let far = Face.square(900, 10, 50, 0.8)  // too small for the second search to see
  private static let lowScore = Face.square(100, 100, 400, 0.4)
  /// The number of pixels of a picture of 1024 per pixel of one of 448.
  private static let scale = Float(1024) / 448

  @Test func largeFacesComeFromTheReducedSearchAndSmallOnesFromTheFull() throws {
    let (found, sides) = try findFaces([
      1024: [Self.lowScore, Self.far],
      448: [Face.square(42, 42, 175, 0.95), Face.square(394, 42, 21, 0.9)],
    ])
    #expect(sides == [1024, 448])
    #expect(found == [Face.square(42 * Self.scale, 42 * Self.scale, 175 * Self.scale, 0.95), Self.far])
  }

  /// A face that only one search sees is hair, a hand or a part of the large face.
  @Test func facesThatBothSearchesSeeWellAreVotedOn() throws {
    let (found, _) = try findFaces([
      1024: [
        Self.lowScore, Face.square(600, 50, 100, 0.9), Face.square(800, 50, 100, 0.9),
        Face.square(200, 200, 100, 0.7),
      ],
      448: [
        Face.square(42, 42, 175, 0.95), Face.square(600 / Self.scale, 50 / Self.scale, 100 / Self.scale, 0.7),
        Face.square(112, 112, 44, 0.7),
      ],
    ]) { $0.minConfidence = 0.2 }
    #expect(found.map { ($0.confidence * 100).rounded() } == [95, 80, 45, 35, 35])
    let both = try #require(found.dropFirst().first)
    #expect(both.distance(to: Face.square(600, 50, 100, both.confidence)) < 0.01)
  }

  /// A face that is a little larger in one search and a little smaller in the other is still one face.
  @Test(arguments: [(Float(319), Float(143)), (330, 137), (350, 120), (220, 90), (40, 16)])
  func aFaceAtTheEdgeIsFoundOnce(whole: Float, near: Float) throws {
    let (found, _) = try findFaces([
      1024: [Face.square(0, 0, whole, 0.8), Face.square(600, 0, 340, 0.9)],
      448: [Face.square(0, 0, near, 0.9), Face.square(262, 0, 150, 0.9)],
    ])
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.confidence >= 0.79 })
  }

  @Test func pictureWithoutALargeFaceIsSearchedOnce() throws {
    let small = [Self.far, Face.square(100, 0, 213, 0.9)]
    let (found, sides) = try findFaces([1024: small, 448: [Face.square(0, 0, 448, 1)]])
    #expect(sides == [1024] && found == [small[1], small[0]])
    // A face of very low confidence does not count.
    #expect(try findFaces([1024: [Face.square(0, 0, 600, 0.29)]]) { $0.minConfidence = 0.1 }.sides == [1024])
  }

  /// The face is as large as possible: a smaller picture is impossible, or not wanted.
  @Test func smallPictureOrMaxSideIsSearchedOnce() throws {
    let large = [Face.square(0, 0, 400, 0.9)]
    #expect(try findFaces([448: large], side: 448).sides == [448])
    #expect(try findFaces([448: large]) { $0.accuracy = .low }.sides == [448])
    for side in [1024, 2048] {
      let (found, sides) = try findFaces([1024: large]) { $0.maxSide = side }
      #expect(sides == [1024] && found == large)
    }
  }

  /// A face may be so large at that size that it is not seen: the next search needs no face to trigger it.
  @Test(arguments: [
    (448, [448]), (1024, [1024]), (1056, [1056, 448]), (2560, [2560, 448]), (2688, [2688, 672]),
    (4096, [4096, 1024]),
    (8192, [8192, 2048, 448]),
  ])
  func aLargePictureAtItsOwnSizeIsSearchedAgain(side: Int, sides: [Int]) throws {
    #expect(try findFaces([:], side: side) { $0.maxSide = 0 }.sides == sides)
  }

  @Test func facesOfAllSizesAreFoundInALargePicture() throws {
    let (found, sides) = try findFaces(
      [
        4096: [
          Face.square(10, 10, 30, 0.8), Face.square(500, 10, 180, 0.6), Face.square(900, 100, 700, 0.8),
        ],
        1024: [Face.square(125, 2, 45, 0.8), Face.square(300, 30, 300, 0.8)],
        448: [Face.square(131, 13, 131, 0.9)],
      ], side: 4096
    ) { $0.maxSide = 0 }
    #expect(sides == [4096, 1024, 448])
    #expect(found.map { ($0.confidence * 100).rounded() } == [89, 80, 70])
    #expect(found.map { $0.box.width.rounded() } == [1198, 30, 180])
  }

  /// The searches are the same, whatever is returned of them.
  @Test func minConfidenceOnlyFiltersTheFaces() throws {
    let script = [1024: [Self.lowScore, Self.far], 448: [Face.square(42, 42, 175, 0.5)]]
    let all = try findFaces(script) { $0.minConfidence = 0 }
    for least in [0.1, 0.45, 0.6, 0.9] as [Float] {
      let some = try findFaces(script) { $0.minConfidence = least }
      #expect(some.sides == all.sides)
      #expect(some.found == all.found.filter { $0.confidence >= least })
    }
  }
}
