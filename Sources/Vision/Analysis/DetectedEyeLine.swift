public import FaceCore

/// The line through the eyes of a face as its detector found it. Landmarks that lie across it are not this face's.
public struct DetectedEyeLine: Sendable {
  /// The most degrees between the detector's line and the mesh's. A detector's eyes show about half of a tilt,
  /// so a head tilted by 45° still has landmarks.
  private static let maxContradiction: Float = 45
  /// The same for a small face, in which the mesh network often sees a face at another angle.
  private static let maxSmallContradiction: Float = 25
  /// Mean side of a box, in pixels of the picture, below which a face is small.
  private static let smallSide: Float = 48

  /// Degrees, clockwise in the picture.
  private let angle: Float
  private let maxDifference: Float

  /// Returns `nil` for a face without the detector's points, and for a large face of a search for any roll: the
  /// upright part of that search also finds large heads that lie or stand upside down, with meaningless points.
  public init?(_ face: Face, _ rotations: Rotations) {
    let isSmall = face.box.meanSide < DetectedEyeLine.smallSide
    guard let points = face.points, isSmall || rotations == .upright else { return nil }
    angle = MeshCrop.angle(from: points.rightEye, to: points.leftEye)
    maxDifference = isSmall ? DetectedEyeLine.maxSmallContradiction : DetectedEyeLine.maxContradiction
  }

  /// Returns whether the points cannot be those of this face. Points of another count do not contradict.
  public func contradicts(_ landmarks: Landmarks) -> Bool {
    guard let points = FivePoints(landmarks) else { return false }
    return MeshCrop.difference(MeshCrop.angle(from: points.rightEye, to: points.leftEye), angle)
      > maxDifference
  }
}
