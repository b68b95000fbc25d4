import Analysis
import FaceCore
import Foundation
import Imaging
import Inference
import ModelStore
import TestSupport
import Testing

/// The networks of Models/facemesh and Models/blendshapes with their fetched weights.
enum RealAnalyzer {
  static func package(_ name: String) throws(Status) -> ModelPackage {
    try ModelPackage(folder: "\(Fixture.repository)/Models/\(name)")
  }

  static let areFetched: Bool = {
    for name in ["facemesh", "blendshapes"] {
      let problem = failure { () throws(Status) in _ = try package(name) }
      // Anything but absence is a failure, which the tests are to show.
      if let problem, problem.code == .notFound {
        FileHandle.standardError.write(
          Data("SKIPPED: every test that needs the networks of faces' points: \(problem.message)\n".utf8))
        return false
      }
    }
    return true
  }()

  static func make() throws(Status) -> FaceAnalyzer {
    let mesh = try package("facemesh")
    let expressions = try package("blendshapes")
    return FaceAnalyzer(
      mesh: FaceMesh(
        network: try NcnnNetwork(graph: mesh.graph, weights: mesh.weights), input: "in0",
        pixels: PixelScale(mean: mesh.manifest.input.mean, scale: mesh.manifest.input.scale), points: "out0",
        presence: "out1"),
      expressions: ExpressionNetwork(
        network: try NcnnNetwork(graph: expressions.graph, weights: expressions.weights), input: "in0",
        scores: "out0"))
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, and says so, where the weights were not fetched.
  static var needsAnalysisModels: Self {
    .enabled(
      if: RealAnalyzer.areFetched, "the weights of Models/facemesh or Models/blendshapes are not fetched")
  }
}
