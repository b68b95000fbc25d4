import Detection
import FaceCore
import Imaging
import Inference
import Synchronization
import TestSupport
import Testing

/// Faces larger than a network sees: two searches of one picture, with scripted networks.
@Suite struct DetectionPipelineLargeFaceTests {
  /// Long sides that were searched, in order.
  private final class Searches: Sendable {
    let sides = Mutex<[Int]>([])
  }

  /// Outputs the width of its input.
  private struct WidthNetwork: Network {
    let engine = "none"
    let searches: Searches

    func run<Result>(
      _ input: borrowing Tensor, inputBlob: String, outputs: [String],
      _ body: ([TensorView]) throws(Status) -> Result
    ) throws(Status) -> Result {
      let width = input.shape.width
      searches.sides.withLock { $0.append(width) }
      let value = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1)
      defer { value.deallocate() }
      value.initialize(repeating: Float(width))
      return try body([
        TensorView(shape: TensorShape(channels: 1, height: 1, width: 1), values: UnsafeBufferPointer(value))
      ])
    }
  }

  /// Finds scripted faces in an input of each width.
  private struct ScriptedFamily: DetectorFamily {
    let outputs = ["width"]
    let inputMultiple = 32
    let faces: [Int: [Face]]

    func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
      maps.flatMap { faces[Int($0.values[0])] ?? [] }.filter { $0.confidence >= minConfidence }
    }
  }

  private static func face(_ x: Float, _ y: Float, _ side: Float, _ confidence: Float) -> Face {
    Face(box: Box(x: x, y: y, width: side, height: side), confidence: confidence, points: nil)
  }

  /// - Parameter faces: found in an input of each width.
  private func findFaces(
    _ faces: [Int: [Face]], side: Int = 1024, _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> (found: [Face], sides: [Int]) {
    var options = DetectionOptions()
    change(&options)
    let searches = Searches()
    let pipeline = DetectionPipeline(
      network: WidthNetwork(searches: searches), family: ScriptedFamily(faces: faces),
      input: InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1]))
    let result = try Picture(side, side / 4) { _, _ in RGB(0, 0, 0) }.withView(.bgra) { view throws(Status) in
      try pipeline.findFaces(in: UprightImage(ImageInput(.pixels(view))), options)
    }
    return (result.faces, searches.sides.withLock { $0 })
  }

  private static let far = face(900, 10, 50, 0.8)
  private static let lowScore = face(100, 100, 400, 0.4)

  @Test func theSecondSearchDecidesAboutLargeFacesAndWhatIsInThem() throws {
    let part = Self.face(200, 200, 100, 0.9)
    let tiny = Self.face(300, 300, 20, 0.85)  // too small for the second search to see
    let (found, sides) = try findFaces([
      1024: [Self.lowScore, part, tiny, Self.far],
      448: [
        Self.face(42, 42, 175, 0.95), Self.face(112, 112, 35, 0.7),  // within the large one, seen by both
        Self.face(394, 42, 21, 0.9),  // small: for the first search to find
      ],
    ])
    #expect(sides == [1024, 448])
    let scale = Float(1024) / 448
    #expect(
      found == [
        Self.face(42 * scale, 42 * scale, 175 * scale, 0.95), tiny, Self.far,
        Self.face(112 * scale, 112 * scale, 35 * scale, 0.7),
      ])
  }

  /// Taken for a little larger in one search and a little smaller in the other, it is one face all the same.
  @Test(arguments: [(Float(319), Float(143)), (330, 137), (350, 120)])
  func aFaceAtTheEdgeIsFoundOnce(whole: Float, near: Float) throws {
    let (found, _) = try findFaces([
      1024: [Self.face(0, 0, whole, 0.8), Self.face(600, 0, 340, 0.9)],
      448: [Self.face(0, 0, near, 0.9), Self.face(262, 0, 150, 0.9)],
    ])
    #expect(found.count == 2)
  }

  @Test func withoutALargeFaceThereIsOneSearch() throws {
    let small = [Self.far, Self.face(100, 0, 320, 0.9)]
    let (found, sides) = try findFaces([1024: small, 448: [Self.face(0, 0, 448, 1)]])
    #expect(sides == [1024] && found == [small[1], small[0]])
    // Nor for what is hardly a face.
    #expect(try findFaces([1024: [Self.face(0, 0, 600, 0.29)]]) { $0.minConfidence = 0.1 }.sides == [1024])
  }

  /// As large as it may be: nothing smaller is to be had, or it is not wanted.
  @Test func aSmallPictureAndAnyMaxSideAreOneSearch() throws {
    let large = [Self.face(0, 0, 400, 0.9)]
    #expect(try findFaces([448: large], side: 448).sides == [448])
    #expect(try findFaces([448: large]) { $0.accuracy = .low }.sides == [448])
    for side in [0, 1024] {
      let (found, sides) = try findFaces([1024: large]) { $0.maxSide = side }
      #expect(sides == [1024] && found == large)
    }
  }

  /// The searches are the same whatever is shown of them.
  @Test func theLeastConfidenceOnlyLeavesOut() throws {
    let script = [1024: [Self.lowScore, Self.far], 448: [Self.face(42, 42, 175, 0.5)]]
    let all = try findFaces(script) { $0.minConfidence = 0 }
    for least in [0.1, 0.45, 0.6, 0.9] as [Float] {
      let some = try findFaces(script) { $0.minConfidence = least }
      #expect(some.sides == all.sides)
      #expect(some.found == all.found.filter { $0.confidence >= least })
    }
  }
}
