/// A clockwise turn by a multiple of 90°, as the picture shows it.
public enum QuarterTurn: UInt16, Sendable, CaseIterable {
  case none = 0
  case clockwise = 90
  case half = 180
  case counterClockwise = 270

  /// - Parameter degrees: clockwise; `nil` unless a multiple of 90.
  public init?(degrees: Int) {
    let turn = (degrees % 360 + 360) % 360
    self.init(rawValue: UInt16(turn))
  }

  public func then(_ next: QuarterTurn) -> QuarterTurn {
    QuarterTurn(rawValue: (rawValue + next.rawValue) % 360) ?? .none
  }

  public var inverse: QuarterTurn { QuarterTurn(rawValue: (360 - rawValue) % 360) ?? .none }
}

extension Orientation {
  /// The orientation of pixels that become upright by a turn and then, if `mirrored`, by exchanging left and
  /// right.
  public init(_ turn: QuarterTurn, mirrored: Bool = false) {
    let turned: Orientation =
      switch turn {
      case .none: .up
      case .clockwise: .right
      case .half: .down
      case .counterClockwise: .left
      }
    self = mirrored ? turned.mirrored : turned
  }

  /// The orientation of a camera's pixels in a device that is turned.
  /// - Parameters:
  ///   - sensor: the turn that makes the pixels upright while the device is in its natural position; often
  ///     90° on phones.
  ///   - device: how the device was turned from there, as a person looking at its screen sees it.
  ///   - facesUser: whether it is a front camera, which sees the device turn the other way round.
  public init(sensor: QuarterTurn, device: QuarterTurn, facesUser: Bool) {
    self.init(sensor.then(facesUser ? device.inverse : device))
  }
}
