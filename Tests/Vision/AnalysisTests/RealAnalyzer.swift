import Analysis
import FaceCore
import Imaging
import Inference
import ModelStore
import TestSupport

/// The networks of Models/facemesh and Models/blendshapes with their fetched weights.
enum RealAnalyzer {
  static func package(_ name: String) throws(Status) -> ModelPackage {
    try ModelPackage(folder: "\(Fixture.repository)/Models/\(name)")
  }

  static func make() throws(Status) -> FaceAnalyzer {
    let mesh = try package("facemesh")
    let expressions = try package("blendshapes")
    return FaceAnalyzer(
      mesh: FaceMesh(
        network: try NetworkLoader.load(
          graph: mesh.graph, weights: mesh.weights, inputBlob: "in0", outputs: ["out0", "out1"]),
        input: "in0",
        normalisation: InputNormalisation(mean: mesh.manifest.input.mean, scale: mesh.manifest.input.scale),
        points: "out0",
        presence: "out1"),
      expressions: ExpressionNetwork(
        network: try NetworkLoader.load(
          graph: expressions.graph, weights: expressions.weights, inputBlob: "in0", outputs: ["out0"]),
        input: "in0", scores: "out0"))
  }
}
