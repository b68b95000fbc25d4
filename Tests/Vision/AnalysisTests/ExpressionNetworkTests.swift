import Analysis
import FaceCore
import TestSupport
import Testing

/// The expressions of a face by the published network (face_blendshapes.tflite), recorded in LiteRT: the points of a
/// face, and the network's coefficients for them.
@Suite(.needsAnalysisModels) struct ExpressionNetworkTests {
  @Test func coefficientsAreThoseOfThePublishedNetwork() throws {
    let text = try Fixture.bytes("Tests/Fixtures/recordings/blendshapes-astronaut.txt")
    let numbers = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }.compactMap { Float($0) }
    let indices = ExpressionNetwork.indices
    try #require(numbers.count == 2 * indices.count + Expressions.count)
    var landmarks = Landmarks.flat
    for (place, index) in indices.enumerated() {
      landmarks.points[index] = Point3D(x: numbers[2 * place], y: numbers[2 * place + 1], z: 0)
    }
    let scores = numbers.suffix(Expressions.count)
    let found = try #require(try RealAnalyzer.expressions().expressions(of: landmarks))
    #expect(found.values.count == 52 && scores.contains { $0 > 0.9 })
    #expect(zip(found.values, scores).allSatisfy { abs($0 - $1) <= 1e-4 })
  }
}
