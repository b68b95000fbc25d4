public import FaceCore

/// The line through the eyes of a face that a detector of upright heads found. Landmarks that lie across it are
/// not this face's.
public struct UprightLine: Sendable {
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

  /// - Parameter face: with the detector's own points; without them, the result is `nil`.
  public init?(_ face: Face) {
    guard let points = face.points else { return nil }
    angle = MeshCrop.angle(from: points.rightEye, to: points.leftEye)
    maxDifference =
      face.box.meanSide < UprightLine.smallSide
      ? UprightLine.maxSmallContradiction : UprightLine.maxContradiction
  }

  /// Returns whether the points cannot be those of this face. Points of another count do not contradict.
  public func contradicts(_ landmarks: Landmarks) -> Bool {
    guard let points = FivePoints(landmarks) else { return false }
    return MeshCrop.difference(MeshCrop.angle(from: points.rightEye, to: points.leftEye), angle)
      > maxDifference
  }
}
