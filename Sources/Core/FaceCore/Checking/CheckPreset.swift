/// Named sets of limits for a guided check. The numbers are those of `FACE_CHECK_PRESET_...`.
public enum CheckPreset: UInt32, Sendable, CaseIterable {
  /// The defaults.
  case standard = 0
  /// The pose that ISO/IEC 19794-5 and 39794-5 allow in a full frontal image: yaw and pitch up to 5°, roll up
  /// to 8°.
  case iso = 1
}

extension CheckOptions {
  public init(_ preset: CheckPreset) {
    self.init()
    apply(preset)
  }

  /// Sets the limits that belong to the preset and leaves all others as they are.
  public mutating func apply(_ preset: CheckPreset) {
    let standard = CheckOptions()
    (maxYaw, maxPitch, maxRoll) =
      switch preset {
      case .standard: (standard.maxYaw, standard.maxPitch, standard.maxRoll)
      case .iso: (5, 5, 8)
      }
  }
}
