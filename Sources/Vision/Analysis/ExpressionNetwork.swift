public import FaceCore
public import Inference

/// Computes the coefficients of a facial expression from 146 of the mesh's points.
/// Source: Grishchenko and others, "Blendshapes GHUM: Real-time Monocular Facial Blendshape Prediction",
/// 2023.
public struct ExpressionNetwork: Sendable {
  private let network: any Network
  private let inputBlob: String
  private let outputBlob: String

  public init(network: any Network, input: String, scores: String) {
    self.network = network
    inputBlob = input
    outputBlob = scores
  }

  /// Returns the expressions of a face; `nil` if all points are in one place. Throws as the network does.
  public func expressions(of landmarks: Landmarks) throws(Status) -> Expressions? {
    guard let points = ExpressionNetwork.normalised(landmarks) else { return nil }
    let tensor = try Tensor(channels: points.count, height: 1, width: 2)
    for (index, point) in points.enumerated() {
      let pair = tensor.channel(index)
      pair[0] = point.x
      pair[1] = point.y
    }
    return try network.run(tensor, inputBlob: inputBlob, outputs: [outputBlob]) { (maps) throws(Status) in
      guard let values = maps[0].channelValues, values.count == Expressions.count else {
        throw Status(
          .failedPrecondition,
          "the output of the expression network does not have 52 channels; check model.json")
      }
      return values.allSatisfy(\.isFinite) ? Expressions(values: values.map { min(max($0, 0), 1) }) : nil
    }
  }

  /// Returns the points that the network takes, relative to their mean and divided by their mean distance
  /// from it.
  package static func normalised(_ landmarks: Landmarks) -> [Point]? {
    guard landmarks.points.count == Landmarks.count else { return nil }
    let chosen = indices.map { landmarks.points[$0].point }
    let count = Float(chosen.count)
    let middle = Point(x: chosen.reduce(0) { $0 + $1.x } / count, y: chosen.reduce(0) { $0 + $1.y } / count)
    let centred = chosen.map { Point(x: $0.x - middle.x, y: $0.y - middle.y) }
    let distance = centred.reduce(0) { $0 + ($1.x * $1.x + $1.y * $1.y).squareRoot() } / count
    guard distance > 0, distance.isFinite else { return nil }
    return centred.map { Point(x: $0.x / distance, y: $0.y / distance) }
  }

  /// The mesh indices of the points that the network takes. Source: MediaPipe, face_blendshapes_graph.cc.
  package static let indices = [
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66, 67, 70,
    78, 80, 81, 82, 84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144, 145, 146, 148, 149,
    150, 152, 153, 154, 155, 157, 158, 159, 160, 161, 162, 163, 168, 172, 173, 176, 178, 181, 185, 191, 195,
    197, 234, 246, 249, 251, 263, 267, 269, 270, 276, 282, 283, 284, 285, 288, 291, 293, 295, 296, 297, 300,
    308, 310, 311, 312, 314, 317, 318, 321, 323, 324, 332, 334, 336, 338, 356, 361, 362, 365, 373, 374, 375,
    377, 378, 379, 380, 381, 382, 384, 385, 386, 387, 388, 389, 390, 397, 398, 400, 402, 405, 409, 415, 454,
    466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477,
  ]
}
