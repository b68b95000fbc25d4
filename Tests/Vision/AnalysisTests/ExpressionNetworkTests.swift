import Analysis
import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// The expressions of a face by the published network (face_blendshapes.tflite), recorded in LiteRT.
@Suite(.needsAnalysisModels) struct ExpressionNetworkTests {
  /// The points of a face, and the published network's coefficients for them.
  private struct Recording {
    var landmarks: Landmarks
    var scores: [Float]

    init() throws {
      let text = try Fixture.bytes("Tests/Fixtures/recordings/blendshapes-astronaut.txt")
      let numbers = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }.compactMap { Float($0) }
      let indices = ExpressionNetwork.indices
      try #require(numbers.count == 2 * indices.count + Expressions.count)
      var points = [Point3D](repeating: Point3D(x: 0, y: 0, z: 0), count: Landmarks.count)
      for (place, index) in indices.enumerated() {
        points[index] = Point3D(x: numbers[2 * place], y: numbers[2 * place + 1], z: 0)
      }
      landmarks = Landmarks(points: points, confidence: 1)
      scores = Array(numbers.suffix(Expressions.count))
    }
  }

  private func network(_ make: (ModelPackage) throws(Status) -> any Network) throws -> ExpressionNetwork {
    ExpressionNetwork(
      network: try make(try RealModel.package("blendshapes")), input: "in0", scores: "out0")
  }

  private func largestDifference(_ one: [Float], _ other: [Float]) -> Float {
    zip(one, other).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  @Test func coefficientsAreThoseOfThePublishedNetwork() throws {
    let recording = try Recording()
    let ours = try network { (package) throws(Status) in
      try NetworkLoader.load(
        graph: package.graph, weights: package.weights, inputBlob: "in0", outputs: ["out0"])
    }
    let found = try #require(try ours.expressions(of: recording.landmarks))
    #expect(found.values.count == 52 && recording.scores.contains { $0 > 0.9 })
    #expect(largestDifference(found.values, recording.scores) <= 1e-4)
  }

  /// The points of a real face, moved about as they are from frame to frame.
  @Test(.needsNcnn)
  func coefficientsAreThoseOfNcnn() throws {
    let recording = try Recording()
    let ours = try network { (package) throws(Status) in
      try MixerNetwork(graph: package.graph, weights: package.weights, inputBlob: "in0", outputs: ["out0"])
    }
    let reference = try network { (package) throws(Status) in
      try NcnnPlugin.network(package)
    }
    var generator = SeededGenerator(seed: 35)
    for _ in 0..<20 {
      var landmarks = recording.landmarks
      for index in landmarks.points.indices {
        landmarks.points[index].x += Float.random(in: -3...3, using: &generator)
        landmarks.points[index].y += Float.random(in: -3...3, using: &generator)
      }
      let found = try #require(try ours.expressions(of: landmarks))
      let expected = try #require(try reference.expressions(of: landmarks))
      #expect(largestDifference(found.values, expected.values) <= 1e-4)
    }
  }
}
