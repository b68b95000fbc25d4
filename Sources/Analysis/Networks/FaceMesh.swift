public import FaceCore
public import Imaging
public import Inference

import func Glibc.expf

/// The dense points of a face, from a square crop in which it stands upright.
/// Sources: Kartynnik and others, "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs", 2019;
/// Grishchenko and others, "Attention Mesh", 2020. Models/README.md has the form of inputs and outputs.
public struct FaceMesh: Sendable {
  /// Pixels of the crop the network sees, on each side.
  static let cropSide = 256
  /// Below this confidence there is no face in the crop, and the points mean nothing.
  public static let minConfidence: Float = 0.5

  private let network: any Network
  private let pixels: PixelScale
  private let inputBlob: String
  private let outputBlobs: [String]

  /// - Parameters: names of the network's blobs, and how it wants its pixels.
  public init(network: any Network, input: String, pixels: PixelScale, points: String, presence: String) {
    self.network = network
    self.pixels = pixels
    inputBlob = input
    outputBlobs = [points, presence]
  }

  /// The points of a face that was detected: looked for in a crop made from its box and eyes, then once more in a crop
  /// made from the points found, which is more exact. `nil` when the network sees no face there.
  public func landmarks(of face: Face, in picture: UprightImage) throws(Status) -> Landmarks? {
    guard let crop = MeshCrop.around(face), let first = try landmarks(in: crop, of: picture) else {
      return nil
    }
    return try landmarks(near: first, in: picture) ?? first
  }

  /// The points of a face that was at `previous` a moment ago; `nil` when it is not there any more.
  public func landmarks(near previous: Landmarks, in picture: UprightImage) throws(Status) -> Landmarks? {
    guard let crop = MeshCrop.around(previous) else { return nil }
    return try landmarks(in: crop, of: picture)
  }

  /// One run of the network.
  package func landmarks(in crop: RotatedSquare, of picture: UprightImage) throws(Status) -> Landmarks? {
    let tensor = try Tensor(try picture.crop(crop, side: FaceMesh.cropSide), pixels)
    let toImage = crop.toImage(cropSide: FaceMesh.cropSide)
    return try network.run(tensor, inputBlob: inputBlob, outputs: outputBlobs) { (maps) throws(Status) in
      try FaceMesh.decode(points: maps[0], presence: maps[1], toImage)
    }
  }

  /// Pure: from the network's outputs to pixels of the upright image. Depth grows by the same scale as x and y.
  package static func decode(
    points: TensorView, presence: TensorView, _ toImage: AffineMap
  ) throws(Status) -> Landmarks? {
    guard let values = points.channelValues, values.count == Landmarks.count * 3,
      let logit = presence.channelValues?.first
    else {
      throw Status(
        .failedPrecondition,
        "the face mesh gave maps of another form than 1434 and 1 channels; check model.json")
    }
    let confidence = 1 / (1 + expf(-logit))
    guard confidence >= minConfidence, values.allSatisfy(\.isFinite) else { return nil }
    let scale = Float(toImage.areaScale.squareRoot())
    let found = (0..<Landmarks.count).map { index in
      let place = toImage(Point(x: values[3 * index], y: values[3 * index + 1]))
      return Point3D(x: place.x, y: place.y, z: values[3 * index + 2] * scale)
    }
    return Landmarks(points: found, confidence: confidence)
  }
}
