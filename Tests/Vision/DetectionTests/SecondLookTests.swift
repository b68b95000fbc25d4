import Detection
import FaceCore
import Imaging
import Synchronization
import TestSupport
import Testing

/// Doubtful faces that another network sees in squares of their own, with scripted networks.
@Suite struct SecondLookTests {
  private static func face(_ x: Float, _ y: Float, _ side: Float, _ confidence: Float) -> Face {
    Face(box: Box(x: x, y: y, width: side, height: side), confidence: confidence, points: nil)
  }

  private static func pipeline(
    _ faces: [Int: [Face]], _ searches: SearchedSides, maxInputPixels: Int = .max
  ) -> DetectionPipeline {
    DetectionPipeline(
      network: WidthNetwork(searches: searches), family: ScriptedFamily(faces: faces),
      input: InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1]),
      maxInputPixels: maxInputPixels)
  }

  /// - Parameter second: what the other network finds in an input of each width: 96 for each square.
  private func findFaces(
    _ first: [Face], second: [Int: [Face]], width: Int = 1024, height: Int = 256, maxInputPixels: Int = .max
  ) throws -> (found: [Face], widths: [Int]) {
    var options = DetectionOptions()
    options.minConfidence = 0.1
    let searches = SearchedSides()
    let other = Self.pipeline(second, searches, maxInputPixels: maxInputPixels)
    let look = SecondLook(calibration: .none) { other }
    let detector = SmallFaceDetector(
      Self.pipeline([width: first], SearchedSides()), secondLook: look,
      ensemble: { DetectionEnsemble(passes: [.init(other)]) })
    let picture = Picture(width, height) { _, _ in RGB(0, 0, 0) }
    let faces = try picture.withView(.bgra) { view throws(Status) in
      try detector.findFaces(in: UprightImage(ImageInput(.pixels(view))), options).faces
    }
    return (faces, searches.sides.withLock { $0 })
  }

  /// The square is twice the face, and 96 pixels wide.
  @Test func bothNetworksDecideAboutADoubtfulFace() throws {
    let doubtful = Self.face(100, 100, 40, 0.5)
    let (sure, widths) = try findFaces([doubtful], second: [96: [Self.face(24, 24, 48, 0.9)]])
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
      [Self.face(100, 100, 40, 0.6)], second: [96: [Self.face(30, 24, 48, 0.9)]])
    // The other one is 5 pixels further right, with three parts of five.
    #expect(found.count == 1)
    #expect(abs(try #require(found.first).box.x - 103) < 0.01)
  }

  @Test(arguments: [Float(0.9), 0.75, 0.19])
  func facesWithoutDoubtOrHopeAreLeftAlone(confidence: Float) throws {
    let face = Self.face(100, 100, 40, confidence)
    let (found, widths) = try findFaces([face], second: [96: [Self.face(24, 24, 48, 0.9)]])
    #expect(widths.isEmpty && found == [face])
  }

  @Test func facesShareOneInputUpToABound() throws {
    let faces = (0..<30).map { Self.face(Float($0) * 32 + 8, 100, 20 + 13, 0.3) }
    #expect(try findFaces(Array(faces.prefix(3)), second: [:]).widths == [288])
    // 12 squares in two rows.
    #expect(try findFaces(faces, second: [:]).widths == [576])
    // An engine that takes fewer pixels searches as many squares, in several inputs.
    for (squares, widths) in [(11, [768, 384]), (5, [480, 480, 192])] {
      #expect(try findFaces(faces, second: [:], maxInputPixels: squares * 96 * 96).widths == widths)
    }
  }

  @Test func theEnsembleSearchesASmallPicture() throws {
    let face = Self.face(100, 100, 40, 0.7)
    let (small, widths) = try findFaces([], second: [320: [face]], width: 320, height: 240)
    #expect(small.count == 1 && widths == [320])
    #expect(try findFaces([face], second: [:], width: 416, height: 320).widths == [96])
  }
}
