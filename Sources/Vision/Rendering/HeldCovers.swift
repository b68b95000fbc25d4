public import FaceCore

/// Where followed faces are covered while the detector loses them for a moment, as when something passes in front of
/// them.
///
/// A value type without a clock: times are those of the frames, in nanoseconds.
public struct HeldCovers: Sendable {
  private let duration: UInt64
  private var seen: [UInt64: (box: Box, time: UInt64)] = [:]

  /// - Parameter duration: how long a lost face stays covered.
  public init(for duration: UInt64) { self.duration = duration }

  /// How much larger a held box is on each side, in units of its size, since the face may have moved.
  private static let growth: Float = 0.15

  /// Returns the boxes of faces that were in earlier frames and are not in this one.
  public mutating func boxes(besides faces: [Face], at time: UInt64) -> [Box] {
    for face in faces {
      if let track = face.track { seen[track.id] = (face.box, time) }
    }
    seen = seen.filter { time >= $0.value.time && time - $0.value.time <= duration }
    var margin = FaceCover()
    margin.margin = HeldCovers.growth
    return seen.values.filter { $0.time < time }.sorted { $0.time < $1.time }.map { margin.area(of: $0.box) }
  }
}
