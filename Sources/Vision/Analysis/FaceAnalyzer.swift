public import FaceCore
public import Imaging

/// Computes the outputs of a face beyond its box: landmarks, pose, eyes, mouth, expressions, quality. Safe to
/// use from several threads at once.
public struct FaceAnalyzer: Sendable {
  private let mesh: FaceMesh
  private let expressionNetwork: ExpressionNetwork

  public init(mesh: FaceMesh, expressions: ExpressionNetwork) {
    self.mesh = mesh
    expressionNetwork = expressions
  }

  /// Returns the face with `outputs`, computed from its dense points if it has them. What cannot be computed
  /// stays `nil`, in particular when the mesh network sees no face there.
  /// - Parameters:
  ///   - rotations: what was searched for when the face was found.
  ///   - boxes: how its detector draws boxes, if known.
  public func complete(
    _ face: Face, _ outputs: FaceOutputs, _ rotations: Rotations, _ boxes: DetectedBoxes? = nil,
    in picture: UprightImage
  ) throws(Status) -> Face {
    guard !outputs.isEmpty else { return face }
    let points: Landmarks? =
      if let known = face.landmarks { known } else {
        try mesh.landmarks(of: face, rotations, boxes, in: picture)
      }
    guard let points else { return face }
    return try complete(face, outputs, from: points, in: picture)
  }

  /// Returns the points of the face that was at `previous` in the frame before; `nil` when it is no longer
  /// there.
  public func follow(_ previous: Landmarks, in picture: UprightImage) throws(Status) -> Landmarks? {
    try mesh.landmarks(near: previous, in: picture)
  }

  /// Returns the face with `outputs`, computed from known points in this picture; its five points are set
  /// from them.
  public func complete(
    _ face: Face, _ outputs: FaceOutputs, from landmarks: Landmarks, in picture: UprightImage
  ) throws(Status) -> Face {
    var face = face
    let detected = face.points
    face.landmarks = outputs.contains(.landmarks) ? landmarks : nil
    face.points = FivePoints(landmarks) ?? face.points
    if !outputs.isDisjoint(with: [.pose, .quality, .isoQuality]) {
      let pose = HeadPose.fit(landmarks)
      if outputs.contains(.pose) { face.pose = pose }
      if outputs.contains(.quality), let pose {
        face.quality = try QualityMeasurement.quality(of: landmarks, pose: pose, in: picture)
      }
      if outputs.contains(.isoQuality) {
        face.isoQuality = try ISOQuality.measure(landmarks, pose: pose, in: picture)
      }
    }
    if outputs.contains(.precision) {
      face.precision = try mesh.expectedPointErrors(of: landmarks, detected: detected, in: picture)
    }
    if !outputs.isDisjoint(with: [.transform, .gaze]),
      let transform = HeadTransform.fit(landmarks, in: picture.size)
    {
      if outputs.contains(.transform) { face.transform = transform }
      if outputs.contains(.gaze) { face.gaze = Gaze.fit(landmarks, transform, in: picture.size) }
    }
    if !outputs.isDisjoint(with: [.eyes, .mouth, .expressions]),
      let expressions = try expressionNetwork.expressions(of: landmarks)
    {
      if outputs.contains(.expressions) { face.expressions = expressions }
      if outputs.contains(.eyes) { face.eyes = Eyes(expressions, landmarks) }
      if outputs.contains(.mouth) { face.mouth = Mouth(expressions, landmarks) }
    }
    return face
  }
}
