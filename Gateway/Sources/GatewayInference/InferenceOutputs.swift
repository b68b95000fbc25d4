import FaceCore
import NIOCore
import ResultJSON

/// The output tensors of an inference. All faces of all pictures are in one list; `counts` says how many each picture
/// has.
enum InferenceOutputs {
  private static let found = [
    InferenceModel.TensorKind(name: "boxes", datatype: "FP32", shape: [-1, 4]),
    InferenceModel.TensorKind(name: "points", datatype: "FP32", shape: [-1, 5, 2]),
    InferenceModel.TensorKind(name: "scores", datatype: "FP32", shape: [-1]),
    InferenceModel.TensorKind(name: "counts", datatype: "INT32", shape: [-1]),
  ]

  /// Every tensor: what is found, and what is measured of each face.
  static let kinds =
    found
    + FaceOutputs.table.map { row in
      InferenceModel.TensorKind(
        name: "\(row.name)", datatype: "FP32", shape: [-1] + shape(row).map(Int64.init))
    }

  /// The shape of one face's numbers: x, y and depth of each landmark, or the values of a measurement.
  private static func shape(_ row: FaceOutput) -> [Int] {
    row.count > 0 ? [row.count] : [LandmarkConstellation.mesh.count, 3]
  }

  /// What the tensors of these names measure. Throws `invalidArgument` for a name that does not exist.
  static func measured(by names: [String]) throws(Status) -> FaceOutputs {
    for name in names where !kinds.contains(where: { $0.name == name }) {
      let known = kinds.map(\.name).joined(separator: ", ")
      throw Status(.invalidArgument, "there is no output \(JSON.string(name)); there are \(known)")
    }
    return FaceOutputs(FaceOutputs.table.filter { names.contains("\($0.name)") }.map(\.output))
  }

  /// The tensors of a request that names none: what is found, and what its parameters request.
  static func standard(_ outputs: FaceOutputs) -> [String] {
    found.map(\.name)
      + FaceOutputs.table.filter { outputs.isSuperset(of: $0.output) }.map { "\($0.name)" }
  }

  /// The numbers of all faces, NaN where they are not known.
  static func tensor(_ name: String, _ results: [DetectionResult]) -> Tensor {
    let faces = results.flatMap(\.faces)
    let count = Int64(faces.count)
    switch name {
    case "boxes":
      return floats(name, [count, 4], faces) { [$0.box.x, $0.box.y, $0.box.width, $0.box.height] }
    case "points": return floats(name, [count, 5, 2], faces) { points(of: $0) }
    case "scores": return floats(name, [count], faces) { [$0.confidence] }
    case "counts":
      var bytes = ByteBuffer()
      for result in results { bytes.writeInteger(Int32(result.faces.count), endianness: .little) }
      return Tensor(name: name, datatype: "INT32", shape: [Int64(results.count)], contents: .numbers(bytes))
    default:
      guard let row = FaceOutputs.table.first(where: { "\($0.name)" == name }) else {
        preconditionFailure("the names of outputs were checked")
      }
      let shape = shape(row)
      let unknown = [Float](repeating: .nan, count: shape.reduce(1, *))
      return floats(name, [count] + shape.map(Int64.init), faces) { face in
        (row.count > 0 ? row.values(face) : landmarks(of: face)) ?? unknown
      }
    }
  }

  private static func floats(
    _ name: String, _ shape: [Int64], _ faces: [Face], _ numbers: (Face) -> [Float]
  ) -> Tensor {
    var bytes = ByteBuffer()
    for face in faces {
      for value in numbers(face) { bytes.writeInteger(value.bitPattern, endianness: .little) }
    }
    return Tensor(name: name, datatype: "FP32", shape: shape, contents: .numbers(bytes))
  }

  private static func points(of face: Face) -> [Float] {
    guard let points = face.points else { return [Float](repeating: .nan, count: 10) }
    return [points.leftEye, points.rightEye, points.noseTip, points.mouthLeft, points.mouthRight]
      .flatMap { [$0.x, $0.y] }
  }

  private static func landmarks(of face: Face) -> [Float]? {
    face.landmarks.map { $0.points.flatMap { [$0.point.x, $0.point.y, $0.z] } }
  }
}
