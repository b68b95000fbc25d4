import FaceCore

/// A nod or a shake: the movement of a head from a pose of rest and back, or to both sides.
///
/// A photo that is tilted before the camera shows another pose, too. But its points move as those of a plane
/// do, and a head is not flat. So a movement counts only with `Parallax`.
struct HeadMovement {
  /// The longest time from leaving the rest to the end of the movement.
  private static let longest: TimeSpan = .seconds(3)

  private let action: CheckAction
  /// Half of the angle of a turn.
  private let angle: Float
  private var rest: (pose: Pose, points: [Point3D])?
  /// The last time at rest.
  private var restedAt = TimeSpan.zero
  private var wasBelow = false
  private var wasAbove = false

  /// - Parameter action: nod or shake.
  init(_ action: CheckAction, _ options: CheckOptions) {
    self.action = action
    angle = options.turnAngle / 2
  }

  var wasAtRest: Bool { rest != nil }

  /// Returns whether the movement is completed by this frame.
  mutating func update(with face: Face, at now: TimeSpan) -> Bool {
    guard let pose = face.pose, let points = face.landmarks?.points else { return false }
    if now - restedAt > HeadMovement.longest { (rest, wasBelow, wasAbove) = (nil, false, false) }
    guard let rest else {
      if abs(pose.yaw) <= angle, abs(pose.pitch) <= 2 * angle { (rest, restedAt) = ((pose, points), now) }
      return false
    }
    let (yaw, pitch) = (pose.yaw - rest.pose.yaw, pose.pitch - rest.pose.pitch)
    let (along, across) = action == .nod ? (pitch, yaw) : (yaw, pitch)
    if abs(along) >= angle, abs(along) > abs(across), Parallax.isSolid(from: rest.points, to: points) {
      if along < 0 { wasBelow = true } else { wasAbove = true }
    }
    let isBack = abs(along) <= angle / 2
    if isBack, !wasBelow, !wasAbove { restedAt = now }
    return action == .nod ? isBack && (wasBelow || wasAbove) : wasBelow && wasAbove
  }
}
