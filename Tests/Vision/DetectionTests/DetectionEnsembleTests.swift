import Detection
import FaceCore
import Imaging
import TestSupport
import Testing

/// Ensembles on a picture with one bright spot, which `BrightSpotNetwork` takes for a face.
@Suite struct DetectionEnsembleTests {
  private static let pipeline = DetectionPipeline(
    network: BrightSpotNetwork(), family: BrightSpotFamily(),
    input: InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1]))
  private static let spot = Box(x: 32, y: 68, width: 20, height: 32)
  private static let picture = Picture(200, 120) { x, y in
    (32..<52).contains(x) && (68..<100).contains(y) ? RGB(255, 255, 255) : RGB(0, 0, 0)
  }

  private func findFaces(
    _ passes: [DetectionEnsemble.Pass], _ picture: Picture = Self.picture, orientation: Orientation = .up,
    _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> DetectionResult {
    var options = DetectionOptions()
    options.maxSide = 0
    change(&options)
    return try picture.withView(.bgra) { view throws(Status) in
      try DetectionEnsemble(passes: passes).findFaces(
        in: UprightImage(ImageInput(.pixels(view), orientation: orientation)), options)
    }
  }

  private func check(_ result: DetectionResult, within: Float = 0.001) throws {
    #expect(result.imageSize == PixelSize(width: 200, height: 120))
    #expect(result.faces.count == 1)
    let spot = Self.spot
    let expected = Face(
      box: spot, confidence: 1,
      points: FivePoints(
        leftEye: Point(x: spot.maxX, y: spot.y), rightEye: Point(x: spot.x, y: spot.y),
        noseTip: Point(x: spot.x + spot.width / 2, y: spot.y + spot.height / 2),
        mouthLeft: Point(x: spot.maxX, y: spot.maxY), mouthRight: Point(x: spot.x, y: spot.maxY)))
    #expect(try #require(result.faces.first).distance(to: expected) < within)
  }

  /// Boxes and points are both mirrored: in a mirrored picture the subject's left eye is where the right one
  /// was.
  @Test(arguments: Orientation.allCases)
  func facesOfAMirroredPassAreMirroredBack(orientation: Orientation) throws {
    let stored = Self.picture.stored(orientation)
    try check(try findFaces([.init(Self.pipeline, isMirrored: true)], stored, orientation: orientation))
    try check(
      try findFaces(
        [.init(Self.pipeline), .init(Self.pipeline, isMirrored: true)], stored, orientation: orientation))
  }

  @Test func facesOfAReducedPassAreScaledBack() throws {
    try check(try findFaces([.init(Self.pipeline), .init(Self.pipeline, maxSide: 100)]))
    try check(try findFaces([.init(Self.pipeline, maxSide: 100, isMirrored: true), .init(Self.pipeline)]))
    try check(try findFaces([.init(Self.pipeline)]) { $0.maxSide = 100 })
  }

  /// A pass that has found no face counts; one that did not run does not.
  @Test func passIsSkippedIfThePictureIsAlreadySmallEnough() throws {
    let blind = DetectionPipeline(
      network: BrightSpotNetwork(), family: FixedFamily(faces: []),
      input: InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1]))
    let both = try findFaces([.init(Self.pipeline), .init(blind, maxSide: 199)]) { $0.minConfidence = 0 }
    #expect(both.faces.map(\.confidence) == [0.5])
    let alone = try findFaces([.init(Self.pipeline), .init(blind, maxSide: 200)]) { $0.minConfidence = 0 }
    #expect(alone.faces.map(\.confidence) == [1])
  }

  /// A pass never asks for more memory than its pipeline may have.
  @Test(arguments: [(200 * 128, 1), (100 * 100, 1), (200 * 128, 4), (64 * 64, 1)])
  func aPictureTooLargeForAPassIsScaledDown(pixels: Int, factor: Int) throws {
    let bounded = DetectionPipeline(
      network: BrightSpotNetwork(), family: BrightSpotFamily(),
      input: InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1]),
      maxInputPixels: pixels)
    let result = try findFaces([.init(bounded, memoryFactor: factor)])
    #expect(result.faces.count == 1)
    #expect(try #require(result.faces.first).box.intersectionOverUnion(Self.spot) > 0.6)
  }

  private static func script(_ faces: [Face]) -> DetectionPipeline {
    DetectionPipeline(
      network: BrightSpotNetwork(), family: FixedFamily(faces: faces),
      input: InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1]))
  }

  private static func face(_ x: Float, _ side: Float, _ confidence: Float) -> Face {
    Face(box: Box(x: x, y: 20, width: side, height: side), confidence: confidence, points: nil)
  }

  /// An enlarged pass is for small faces: it runs where there is one, if the picture may be enlarged.
  @Test func anEnlargedPassRunsForSmallFaces() throws {
    let enlarged = DetectionEnsemble.Pass(Self.script([Self.face(150, 30, 0.5)]), enlargement: 1.5)
    let widths = try [Self.face(20, 31, 0.3), Self.face(20, 33, 0.9), Self.face(20, 31, 0.2)].map { first in
      try findFaces([.init(Self.script([first])), enlarged]) {
        $0.maxSide = nil
        $0.accuracy = .high
        $0.minConfidence = 0.1
      }.faces.map(\.box.width).sorted()
    }
    #expect(widths == [[20, 31], [33], [31]])
    for side in [0, 200, 1024] {
      let bounded = try findFaces([.init(Self.script([Self.face(20, 31, 0.3)])), enlarged]) {
        $0.maxSide = side
        $0.minConfidence = 0.1
      }
      #expect(bounded.faces.map(\.box.width) == [31])
    }
  }

  /// A pass for large faces runs where there is one, has no vote on others, and a whole one where the passes at
  /// the picture's own size begin to abstain.
  @Test func aPassForLargeFacesVotesOnTheseAlone() throws {
    func confidences(_ first: [Face], _ second: [Face]) throws -> [Int] {
      let wide = Picture(600, 400) { _, _ in RGB(0, 0, 0) }
      return try findFaces(
        [
          .init(Self.script(first)),
          .init(Self.script(second), maxSide: 300, isForLargeFaces: true),
        ], wide
      ) { $0.minConfidence = 0.1 }.faces.map { Int(($0.confidence * 100).rounded()) }
    }
    let (near, far) = (Self.face(300, 213, 0.8), Self.face(0, 100, 0.9))
    #expect(try confidences([far], [Self.face(200, 60, 1)]) == [90])
    #expect(try confidences([near, far], []) == [90, 40])
    // In pixels of a picture half as large.
    let again = Face(box: Box(x: 150, y: 10, width: 110, height: 110), confidence: 0.6, points: nil)
    let both = try confidences([near, far], [again])
    #expect(both.count == 2 && both.first == 90 && (68...72).contains(both.last ?? 0))
    // Not sure enough to start it.
    #expect(try confidences([Self.face(300, 213, 0.29)], []) == [29])
  }

  @Test(arguments: Orientation.allCases)
  func facesOfAnEnlargedPassAreScaledBack(orientation: Orientation) throws {
    let small = Self.script([Self.face(120, 20, 0.5)])
    let found = try findFaces(
      [.init(small, weight: 0), .init(Self.pipeline, enlargement: 1.5)], Self.picture.stored(orientation),
      orientation: orientation
    ) {
      $0.maxSide = nil
      $0.accuracy = .high
    }
    try check(found, within: 4)
  }

  /// The allowed overlap is half as much again as in the options.
  @Test func fusedFacesMayOverlapMore() throws {
    // One is shifted by 8 of 20 pixels: an overlap of 0.43.
    let two = [
      DetectionEnsemble.Pass(Self.script([Self.face(20, 20, 0.9)])),
      .init(Self.script([Self.face(28, 20, 0.8)])),
    ]
    for (threshold, count) in [(Float(0.3), 2), (0.2, 1)] {
      let found = try findFaces(two) {
        $0.minConfidence = 0.3
        $0.overlapThreshold = threshold
      }
      #expect(found.faces.count == count)
    }
  }

  @Test func optionsApplyToTheFusedFaces() throws {
    let passes = [DetectionEnsemble.Pass(Self.pipeline)]
    #expect(try findFaces(passes) { $0.minFaceSize = 21 }.faces.isEmpty)
  }
}
