import Detection
import FaceCore
import Imaging
import Synchronization
import TestSupport
import Testing

/// Doubtful faces that another network sees in squares of their own, with scripted networks.
@Suite struct SecondLookTests {
  /// - Parameter second: what the other network finds in an input of each width: 96 for each square.
  private func findFaces(
    _ first: [Face], second: [Int: [Face]], width: Int = 1024, height: Int = 256, maxInputPixels: Int = .max
  ) throws -> (found: [Face], widths: [Int]) {
    let options = adjusted(DetectionOptions()) { $0.minConfidence = 0.1 }
    let searches = ScriptedSearches(second, maxInputPixels: maxInputPixels)
    let detector = SmallFaceDetector(
      ScriptedSearches([width: first]).pipeline,
      secondLook: SecondLook(calibration: .none) { searches.pipeline },
      ensemble: { DetectionEnsemble(passes: [.init(searches.pipeline)]) })
    let faces = try Picture.black(width, height).withUpright { image throws(Status) in
      try detector.findFaces(in: image, options).faces
    }
    return (faces, searches.widths)
  }

  /// The square is twice the face, and 96 pixels wide.
  @Test func bothNetworksDecideAboutADoubtfulFace() throws {
    let doubtful = Face.square(100, 100, 40, 0.5)
    let (sure, widths) = try findFaces([doubtful], second: [96: [Face.square(24, 24, 48, 0.9)]])
    #expect(widths == [96])
    // Half of the other logit, and the offset.
    #expect(abs(try #require(sure.first).confidence - 0.7788) < 1e-3)
    #expect(try #require(sure.first).box.intersectionOverUnion(doubtful.box) > 0.99)
    let (denied, _) = try findFaces([doubtful], second: [:])
    #expect(abs(try #require(denied.first).confidence - 0.1436) < 1e-3)
    #expect(try #require(denied.first).box == doubtful.box)
  }

  @Test func theBoxIsTheMeanOfBoth() throws {
    let (found, _) = try findFaces(
      [Face.square(100, 100, 40, 0.6)], second: [96: [Face.square(30, 24, 48, 0.9)]])
    // The other one is 5 pixels further right, with three parts of five.
    #expect(found.count == 1)
    #expect(abs(try #require(found.first).box.x - 103) < 0.01)
  }

  @Test(arguments: [Float(0.9), 0.75, 0.19])
  func facesWithoutDoubtOrHopeAreLeftAlone(confidence: Float) throws {
    let face = Face.square(100, 100, 40, confidence)
    let (found, widths) = try findFaces([face], second: [96: [Face.square(24, 24, 48, 0.9)]])
    #expect(widths.isEmpty && found == [face])
  }

  @Test func facesShareOneInputUpToABound() throws {
    let faces = (0..<30).map { Face.square(Float($0) * 32 + 8, 100, 20 + 13, 0.3) }
    #expect(try findFaces(Array(faces.prefix(3)), second: [:]).widths == [288])
    // 24 squares in three rows.
    #expect(try findFaces(faces, second: [:]).widths == [768])
    // An engine that takes fewer pixels searches as many squares, in several inputs.
    for (squares, widths) in [(11, [768, 768, 768]), (5, [480, 480, 480, 480, 384])] {
      #expect(try findFaces(faces, second: [:], maxInputPixels: squares * 96 * 96).widths == widths)
    }
  }

  @Test func theEnsembleSearchesASmallPicture() throws {
    let face = Face.square(100, 100, 40, 0.7)
    let (small, widths) = try findFaces([], second: [320: [face]], width: 320, height: 240)
    #expect(small.count == 1 && widths == [320])
    #expect(try findFaces([face], second: [:], width: 416, height: 320).widths == [96])
  }
}
