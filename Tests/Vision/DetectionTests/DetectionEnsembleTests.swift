import Detection
import FaceCore
import Imaging
import TestSupport
import Testing

/// Ensembles on a picture with one bright spot, which `BrightSpotNetwork` takes for a face.
@Suite struct DetectionEnsembleTests {
  private static let pipeline = BrightSpot.pipeline

  private func findFaces(
    _ passes: [DetectionEnsemble.Pass], _ picture: Picture = BrightSpot.picture,
    as orientation: Orientation = .up,
    _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> DetectionResult {
    var options = DetectionOptions()
    options.maxSide = 0
    change(&options)
    return try picture.withUpright(as: orientation) { image throws(Status) in
      try DetectionEnsemble(passes: passes).findFaces(in: image, options)
    }
  }

  private func check(_ result: DetectionResult, within: Float = 0.001) throws {
    #expect(result.imageSize == PixelSize(width: 200, height: 120))
    #expect(result.faces.count == 1)
    #expect(try #require(result.faces.first).distance(to: BrightSpot.face) < within)
  }

  /// Boxes and points are both mirrored: in a mirrored picture the subject's left eye is where the right one
  /// was.
  @Test(arguments: Orientation.allCases)
  func facesOfAMirroredPassAreMirroredBack(orientation: Orientation) throws {
    let mirrored = DetectionEnsemble.Pass(Self.pipeline, isMirrored: true)
    for passes in [[mirrored], [.init(Self.pipeline), mirrored]] {
      try check(try findFaces(passes, as: orientation))
    }
  }

  @Test func facesOfAReducedPassAreScaledBack() throws {
    try check(try findFaces([.init(Self.pipeline), .init(Self.pipeline, maxSide: 100)]))
    try check(try findFaces([.init(Self.pipeline, maxSide: 100, isMirrored: true), .init(Self.pipeline)]))
    try check(try findFaces([.init(Self.pipeline)]) { $0.maxSide = 100 })
  }

  /// A pass that has found no face counts; one that did not run does not.
  @Test func passIsSkippedIfThePictureIsAlreadySmallEnough() throws {
    for (side, confidence) in [(199, Float(0.5)), (200, 1)] {
      let passes = [DetectionEnsemble.Pass(Self.pipeline), .init(Self.script([]), maxSide: side)]
      #expect(try findFaces(passes) { $0.minConfidence = 0 }.faces.map(\.confidence) == [confidence])
    }
  }

  /// A pass never asks for more memory than its pipeline may have.
  @Test(arguments: [(200 * 128, 1), (100 * 100, 1), (200 * 128, 4), (64 * 64, 1)])
  func aPictureTooLargeForAPassIsScaledDown(pixels: Int, factor: Int) throws {
    let bounded = BrightSpot.pipeline(BrightSpotFamily(), maxInputPixels: pixels)
    let result = try findFaces([.init(bounded, memoryFactor: factor)])
    #expect(result.faces.count == 1)
    #expect(try #require(result.faces.first).box.intersectionOverUnion(BrightSpot.box) > 0.6)
  }

  private static func script(_ faces: [Face]) -> DetectionPipeline {
    BrightSpot.pipeline(FixedFamily(faces: faces))
  }

  private static func face(_ x: Float, _ side: Float, _ confidence: Float) -> Face {
    .square(x, 20, side, confidence)
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
      let large = DetectionEnsemble.Pass(Self.script(second), maxSide: 300, isForLargeFaces: true)
      return try findFaces([.init(Self.script(first)), large], .black(600, 400)) { $0.minConfidence = 0.1 }
        .faces.map { Int(($0.confidence * 100).rounded()) }
    }
    let (near, far) = (Self.face(300, 213, 0.8), Self.face(0, 100, 0.9))
    #expect(try confidences([far], [Self.face(200, 60, 1)]) == [90])
    #expect(try confidences([near, far], []) == [90, 40])
    // In pixels of a picture half as large.
    let again = Face.square(150, 10, 110, 0.6)
    let both = try confidences([near, far], [again])
    #expect(both.count == 2 && both.first == 90 && (68...72).contains(both.last ?? 0))
    // Not sure enough to start it.
    #expect(try confidences([Self.face(300, 213, 0.29)], []) == [29])
  }

  @Test(arguments: Orientation.allCases)
  func facesOfAnEnlargedPassAreScaledBack(orientation: Orientation) throws {
    let small = Self.script([Self.face(120, 20, 0.5)])
    let found = try findFaces(
      [.init(small, weight: 0), .init(Self.pipeline, enlargement: 1.5)], as: orientation
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
