internal import CFaceEngine

/// A flat screen in the camera's space of ``Face/transform``: three corners in centimetres, named as a person before it
/// sees them.
public struct Screen: Sendable, Hashable {
  /// The upper left corner.
  public var topLeft: SIMD3<Float>
  /// The upper right corner.
  public var topRight: SIMD3<Float>
  /// The lower left corner.
  public var bottomLeft: SIMD3<Float>

  /// A screen of its corners.
  public init(topLeft: SIMD3<Float>, topRight: SIMD3<Float>, bottomLeft: SIMD3<Float>) {
    (self.topLeft, self.topRight, self.bottomLeft) = (topLeft, topRight, bottomLeft)
  }

  /// A screen below the camera, in its plane: its size, and how far it is from the camera down to it.
  public init(width: Float, height: Float, gap: Float = 0) {
    self.init(
      topLeft: SIMD3(width / 2, -gap, 0), topRight: SIMD3(-width / 2, -gap, 0),
      bottomLeft: SIMD3(width / 2, -gap - height, 0))
  }
}

extension Face {
  /// Where the face looks on a screen: (0, 0) at its upper left corner and (1, 1) at the lower right one; other values
  /// are outside it. Nil if the eyes do not look towards its plane. Throws `Status.failedPrecondition` without
  /// ``Outputs/gaze``, and `Status.invalidArgument` if the corners are on one line.
  public func lookAt(_ screen: Screen) throws(FaceError) -> Point? {
    guard let gaze else {
      throw FaceError(.failedPrecondition, "the gaze of this face is not known; request it with .gaze")
    }
    let corners = [screen.topLeft, screen.topRight, screen.bottomLeft].map { ($0.x, $0.y, $0.z) }
    var plane = face_screen(top_left: corners[0], top_right: corners[1], bottom_left: corners[2])
    var found = face_point()
    let status = face_gaze_look_at(gaze, &plane, &found)
    if status == Status.outOfRange.rawValue { return nil }
    try check(status)
    return Point(found)
  }
}
