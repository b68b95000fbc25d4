// Names of Apple Vision's face observations. Their coordinates are those of `Faces.converted(to:
// .normalisedBottomLeft)`; docs/swift.md has the other names.

extension Face {
  /// The box.
  public var boundingBox: Box { box }
  /// Degrees, with ``Outputs/pose``: see ``HeadPose/roll``.
  public var roll: Float? { pose?.roll }
  /// Degrees, with ``Outputs/pose``: see ``HeadPose/yaw``.
  public var yaw: Float? { pose?.yaw }
  /// Degrees, with ``Outputs/pose``: see ``HeadPose/pitch``.
  public var pitch: Float? { pose?.pitch }
  /// 0 to 1, with ``Outputs/quality``.
  public var captureQuality: Float? { quality?.quality }
}
