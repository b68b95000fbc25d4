public import FaceCore
public import Imaging
public import Inference

import func Glibc.expf

/// Finds the dense points of a face in a square crop in which it stands upright.
/// Sources: Kartynnik and others, "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs",
/// 2019; Grishchenko and others, "Attention Mesh", 2020. Models/README.md describes inputs and outputs.
public struct FaceMesh: Sendable {
  /// The side, in pixels, of the crop that the network takes.
  static let cropSide = 256
  /// Below this confidence there is no face in the crop, and the points are meaningless.
  public static let minConfidence: Float = 0.5
  /// Below this confidence the head may be tilted too far relative to the crop.
  static let sureConfidence: Float = 0.98
  /// Degrees from the line of the eyes at which such a head is tried: the network detects tilts up to about
  /// 35 to either side.
  static let tilts: [Float] = [-45, 45]
  /// Degrees tried if no such crop shows the head upright and nothing is known of its roll: for a caller's
  /// box, or a large head that a search for any roll may have found with meaningless points.
  static let farTilts: [Float] = [180, -90, 90]
  /// The most runs of the network for one crop, beyond the first.
  static let maxRefinements = 4
  /// Degrees: once the points turn the crop by less, further runs do not make them more exact.
  static let settledAngle: Float = 4

  private let network: any Network
  private let normalisation: InputNormalisation
  private let inputBlob: String
  private let outputBlobs: [String]

  /// - Parameters: names of the network's blobs, and the normalisation of red, green and blue.
  public init(
    network: any Network, input: String, normalisation: InputNormalisation, points: String, presence: String
  ) {
    self.network = network
    self.normalisation = normalisation
    inputBlob = input
    outputBlobs = [points, presence]
  }

  /// Returns the points of a detected face. A detector's eyes hardly show how far a head is tilted, so if the
  /// network has too little confidence in the crop made from them, two rotated crops are tried. `nil` when it
  /// sees no face in any.
  /// Points that contradict the detector's are dropped: in a blurred face of 20 pixels the network also sees one
  /// upside down.
  /// - Parameters:
  ///   - rotations: what was searched for when the face was found.
  ///   - boxes: how its detector draws boxes, if known.
  public func landmarks(
    of face: Face, _ rotations: Rotations, _ boxes: DetectedBoxes? = nil, in picture: UprightImage
  ) throws(Status) -> Landmarks? {
    // A box without points may be anybody's, also a caller's.
    let boxes = face.points == nil ? nil : boxes
    guard var crop = MeshCrop.around(face, boxes) else { return nil }
    let line = DetectedEyeLine(face, rotations)
    func find(_ crop: RotatedSquare) throws(Status) -> Landmarks? {
      guard let found = try refinedLandmarks(in: crop, isGood: boxes != nil, of: picture),
        line?.contradicts(found) != true
      else { return nil }
      return found
    }
    var best = try find(crop)
    guard (best?.confidence ?? 0) < FaceMesh.sureConfidence else { return best }
    let angle = crop.angle
    for tilt in FaceMesh.tilts {
      try picture.input.cancellation?.check()
      crop.angle = angle + tilt
      guard let found = try find(crop) else { continue }
      if found.confidence > best?.confidence ?? 0 { best = found }
    }
    guard line == nil else { return best }
    for tilt in FaceMesh.farTilts where (best?.confidence ?? 0) < FaceMesh.sureConfidence {
      try picture.input.cancellation?.check()
      crop.angle = angle + tilt
      // The network gives nearly every pattern some confidence.
      if let found = try find(crop), found.confidence >= FaceMesh.sureConfidence { best = found }
    }
    return best
  }

  /// Finds the points in a crop, then again in crops made from the points found, which is more exact: once,
  /// and further times as long as that turns the crop. In a tilted crop the network sees only part of the
  /// tilt.
  /// - Parameter isGood: whether the crop probably is like one made from points, so that one run suffices if
  ///   its points confirm that.
  private func refinedLandmarks(
    in crop: RotatedSquare, isGood: Bool, of picture: UprightImage
  ) throws(Status) -> Landmarks? {
    guard var best = try landmarks(in: crop, of: picture) else { return nil }
    for round in 0..<FaceMesh.maxRefinements {
      guard let next = MeshCrop.around(best) else { break }
      if round == 0, isGood, best.confidence >= FaceMesh.sureConfidence, MeshCrop.isLike(crop, next) { break }
      guard let found = try landmarks(in: next, of: picture) else { break }
      best = found
      guard let after = MeshCrop.around(found),
        MeshCrop.difference(after.angle, next.angle) > FaceMesh.settledAngle
      else { break }
    }
    return best
  }

  /// Returns the points of a face that was at `previous` a moment ago; `nil` when it is no longer there.
  public func landmarks(near previous: Landmarks, in picture: UprightImage) throws(Status) -> Landmarks? {
    guard let crop = MeshCrop.around(previous) else { return nil }
    return try landmarks(in: crop, of: picture)
  }

  /// Runs the network once.
  package func landmarks(in crop: RotatedSquare, of picture: UprightImage) throws(Status) -> Landmarks? {
    let bitmap = try picture.crop(crop, side: FaceMesh.cropSide)
    let toImage = crop.toImage(cropSide: FaceMesh.cropSide)
    defer { extendLifetime(bitmap) }
    let input = try PixelInput(bitmap, normalisation)
    return try network.run(input, inputBlob: inputBlob, outputs: outputBlobs) { (maps) throws(Status) in
      try FaceMesh.decode(points: maps[0], presence: maps[1], toImage)
    }
  }

  /// Converts the network's outputs to pixels of the upright image. Depth is scaled like x and y.
  package static func decode(
    points: TensorView, presence: TensorView, _ toImage: AffineMap
  ) throws(Status) -> Landmarks? {
    guard let values = points.channelValues, values.count == Landmarks.count * 3,
      let logit = presence.channelValues?.first
    else {
      throw Status(
        .failedPrecondition,
        "the outputs of the face mesh do not have 1434 and 1 channels; check model.json")
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

extension PixelInput {
  /// The pixels of a bitmap, which must outlive the input.
  fileprivate init(_ bitmap: borrowing Bitmap, _ normalisation: InputNormalisation) throws(Status) {
    let (size, mean, scale) = (bitmap.size, normalisation.mean, normalisation.scale)
    try self.init(
      pixels: UnsafeBufferPointer(bitmap.pixels), stride: bitmap.stride, width: size.width,
      height: size.height, inputWidth: size.width, inputHeight: size.height, isRedFirst: true,
      mean: SIMD3(mean[0], mean[1], mean[2]), scale: SIMD3(scale[0], scale[1], scale[2]))
  }
}

extension TensorView {
  /// The values of a map with one value per channel; `nil` for other maps.
  var channelValues: [Float]? {
    // ncnn returns a list either as channels of one value or as one row.
    if shape.width * shape.height == 1 {
      guard values.count >= shape.valueCount - shape.channelStride + 1 else { return nil }
      return (0..<shape.channels).map { values[$0 * shape.channelStride] }
    }
    guard shape.channels == 1, values.count >= shape.width * shape.height else { return nil }
    return Array(values[..<(shape.width * shape.height)])
  }
}
