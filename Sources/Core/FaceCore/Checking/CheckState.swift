/// The state of a guided check. The numbers are those of `face_check_state` and of the wire.
public enum CheckState: UInt32, Sendable, CaseIterable {
  // generated: swift-values CheckState
  /// Waiting for a face in the circle.
  case waiting = 0
  /// A face is in the circle and has to stay there for a moment.
  case start = 1
  /// The person does the actions, then the face must meet all limits for hold_ns.
  case checking = 2
  /// The picture is taken.
  case finish = 3
  case timeOut = 4
  case failed = 5

  /// A stable name, for programs.
  public var name: StaticString {
    switch self {
    case .waiting: "waiting"
    case .start: "start"
    case .checking: "checking"
    case .finish: "finish"
    case .timeOut: "time_out"
    case .failed: "failed"
    }
  }
  // end of generated

  /// Whether the attempt is over.
  public var isEnd: Bool { rawValue >= CheckState.finish.rawValue }
}

/// An action of the person. The numbers are those of `face_action` and of the wire.
public enum CheckAction: UInt32, Sendable, CaseIterable {
  // generated: swift-values CheckAction
  /// Both eyes open, then closed, then open.
  case blink = 1
  /// Turn the head to the person's own left by turn_angle.
  case turnLeft = 2
  /// Turn the head to the person's own right by turn_angle.
  case turnRight = 3
  case smile = 4
  case openMouth = 5
  /// Lower or raise the head by half of turn_angle, and come back, within 3 s.
  case nod = 6
  /// Turn the head to both sides by half of turn_angle, within 3 s.
  case shake = 7

  /// A stable name, for programs.
  public var name: StaticString {
    switch self {
    case .blink: "blink"
    case .turnLeft: "turn_left"
    case .turnRight: "turn_right"
    case .smile: "smile"
    case .openMouth: "open_mouth"
    case .nod: "nod"
    case .shake: "shake"
    }
  }
  // end of generated

  // generated: swift-same CheckAction Tip
  /// The value of `Tip` with the same name.
  public var tip: Tip {
    switch self {
    case .blink: .blink
    case .turnLeft: .turnLeft
    case .turnRight: .turnRight
    case .smile: .smile
    case .openMouth: .openMouth
    case .nod: .nod
    case .shake: .shake
    }
  }
  // end of generated
}
