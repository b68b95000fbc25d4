import Analysis
import FaceCore
import Imaging
import Inference
import ModelStore
import TestSupport

/// The networks of Models/facemesh and Models/blendshapes with their fetched weights.
enum RealAnalyzer {
  static func make() throws(Status) -> FaceAnalyzer {
    let mesh = try RealModel.package("facemesh")
    return FaceAnalyzer(
      mesh: FaceMesh(
        network: try NetworkLoader.load(
          graph: mesh.graph, weights: mesh.weights, inputBlob: "in0", outputs: ["out0", "out1"]),
        input: "in0",
        normalisation: InputNormalisation(mean: mesh.manifest.input.mean, scale: mesh.manifest.input.scale),
        points: "out0",
        presence: "out1"),
      expressions: try expressions())
  }

  static func expressions() throws(Status) -> ExpressionNetwork {
    let package = try RealModel.package("blendshapes")
    return ExpressionNetwork(
      network: try NetworkLoader.load(
        graph: package.graph, weights: package.weights, inputBlob: "in0", outputs: ["out0"]),
      input: "in0", scores: "out0")
  }
}

/// The astronaut as YuNet finds her, in pixels of the 512 × 512 photo.
enum Astronaut {
  static let face = Face(
    box: Box(x: 178.2, y: 62.9, width: 89.9, height: 113.3), confidence: 0.93,
    points: FivePoints(
      leftEye: Point(x: 247.1, y: 102.6), rightEye: Point(x: 200.1, y: 101.8),
      noseTip: Point(x: 220.4, y: 124.5), mouthLeft: Point(x: 239.7, y: 143.6),
      mouthRight: Point(x: 198.6, y: 142.8)))

  static func photo() throws -> Picture { try Fixture.photo("astronaut.png").decoded() }
}

extension Landmarks {
  static let none = Landmarks(points: [], confidence: 1)
  /// All points in one place.
  static let flat = Landmarks(
    points: Array(repeating: Point3D(x: 5, y: 5, z: 0), count: count), confidence: 1)
}

extension Picture {
  /// The mean of the pixels up to `reach` away, in each direction, in place of each; the picture's edge is repeated.
  func blurred(reach: Int, times: Int) -> Picture {
    (0..<times).reduce(self) { picture, _ in
      picture.smeared(1, 0, reach).smeared(0, 1, reach)
    }
  }

  private func smeared(_ stepX: Int, _ stepY: Int, _ reach: Int) -> Picture {
    Picture(size.width, size.height) { x, y in
      var sum: SIMD3<Int> = .zero
      for step in -reach...reach {
        let colour = self[
          min(max(0, x + step * stepX), size.width - 1), min(max(0, y + step * stepY), size.height - 1)]
        sum &+= SIMD3(Int(colour.red), Int(colour.green), Int(colour.blue))
      }
      let count = 2 * reach + 1
      return RGB(UInt8(sum.x / count), UInt8(sum.y / count), UInt8(sum.z / count))
    }
  }
}
