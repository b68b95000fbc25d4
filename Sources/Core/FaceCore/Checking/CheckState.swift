/// The state of a guided check. The numbers are those of `face_check_state` and of the wire.
public enum CheckState: UInt32, Sendable, CaseIterable {
  /// Waiting for a face in the circle.
  case waiting
  /// A face is in the circle and has to stay there for a moment.
  case start
  /// The actions are asked for, then the face has to be right for a while.
  case checking
  case finish
  case timeOut
  case failed

  /// Whether the attempt is over.
  public var isEnd: Bool { rawValue >= CheckState.finish.rawValue }

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
}

/// An action that a person is asked to do. The numbers are those of `face_action` and of the wire.
public enum CheckAction: UInt32, Sendable, CaseIterable {
  /// Both eyes open, then closed, then open.
  case blink = 1
  /// A turn of the head to the person's own left.
  case turnLeft
  case turnRight
  case smile
  case openMouth

  /// The tip that asks for this action.
  public var tip: Tip {
    switch self {
    case .blink: .blink
    case .turnLeft: .turnLeft
    case .turnRight: .turnRight
    case .smile: .smile
    case .openMouth: .openMouth
    }
  }
}
