import CProtocol
import FaceCore

extension CheckReport: WireValue {
  func encode(into message: inout Faceengine__V1__CheckReport, _ arena: Arena) {
    message.state = .init(state.rawValue)
    message.tip = .init(tip.rawValue)
    message.progress = progress
    message.actions_done = UInt32(clamping: actionsDone)
    message.action_count = UInt32(clamping: actionCount)
    message.attempt = attempt
    message.circle = arena.message(circle)
    message.best = isBest ? 1 : 0
    (message.n_events, message.events) = arena.list(events) { $0.message(arena) }
  }

  /// Events, tips and states of later engines are left out: a state between those known here is part of the check.
  init(decoding message: Faceengine__V1__CheckReport) throws(Status) {
    guard let circle = message.circle?.pointee else {
      throw Status(.invalidArgument, "check.circle is absent; send it", .field("check.circle"))
    }
    var events: [CheckEvent] = []
    for index in 0..<message.n_events {
      if let event = message.events[index], let known = try CheckEvent.known(event.pointee) {
        events.append(known)
      }
    }
    self.init(
      attempt: message.attempt, state: CheckState(rawValue: message.state.rawValue) ?? .checking,
      tip: Tip(rawValue: message.tip.rawValue) ?? .prompt,
      progress: try Decoder.finite(message.progress, "check.progress"),
      actionsDone: Int(message.actions_done), actionCount: Int(message.action_count),
      circle: try Circle(decoding: circle), events: events, isBest: message.best != 0)
  }
}

extension CheckEvent {
  func message(_ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__CheckEvent> {
    let message = arena.message(Faceengine__V1__CheckEvent.self)
    switch self {
    case .status(let state):
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_STATUS
      message.pointee.status = .init(state.rawValue)
    case .tip(let tip):
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_TIP
      message.pointee.tip = .init(tip.rawValue)
    case .draw(let face):
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_DRAW
      message.pointee.draw = UInt32(clamping: face)
    case .clear:
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_CLEAR
      message.pointee.clear = 1
    case .result(let result):
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_RESULT
      message.pointee.result = arena.message(result)
    case .failed(let failure):
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_FAILED
      message.pointee.failed = arena.message(failure)
    }
    return message
  }

  /// Returns `nil` for an event of a later engine.
  static func known(_ message: Faceengine__V1__CheckEvent) throws(Status) -> CheckEvent? {
    switch message.kind_case {
    case FACEENGINE__V1__CHECK_EVENT__KIND_STATUS:
      return CheckState(rawValue: message.status.rawValue).map { .status($0) }
    case FACEENGINE__V1__CHECK_EVENT__KIND_TIP: return Tip(rawValue: message.tip.rawValue).map { .tip($0) }
    case FACEENGINE__V1__CHECK_EVENT__KIND_DRAW: return .draw(face: Int(message.draw))
    case FACEENGINE__V1__CHECK_EVENT__KIND_CLEAR: return .clear
    case FACEENGINE__V1__CHECK_EVENT__KIND_RESULT: return .result(try Decoder.value(message.result))
    case FACEENGINE__V1__CHECK_EVENT__KIND_FAILED: return .failed(try Decoder.value(message.failed))
    default: return nil
    }
  }
}

extension CheckResult: WireValue {
  func encode(into message: inout Faceengine__V1__CheckResult, _ arena: Arena) {
    message.face = arena.message(face)
    message.picture = arena.message(picture)
    message.crop = arena.message(crop)
    message.crop_box = arena.message(cropBox)
  }

  init(decoding message: Faceengine__V1__CheckResult) throws(Status) {
    guard message.face != nil, message.picture != nil, message.crop != nil else {
      throw Status(.invalidArgument, "a check's result has no face or picture; send all", .field("result"))
    }
    self.init(
      face: try Decoder.value(message.face), picture: try Decoder.value(message.picture),
      crop: try Decoder.value(message.crop), cropBox: try Decoder.value(message.crop_box))
  }
}

/// The picture is a JPEG file, or without bytes.
extension CheckPicture: WireValue {
  func encode(into message: inout Faceengine__V1__CheckPicture, _ arena: Arena) {
    message.width = UInt32(clamping: size.width)
    message.height = UInt32(clamping: size.height)
    message.jpeg = arena.bytes(bytes)
  }

  init(decoding message: Faceengine__V1__CheckPicture) throws(Status) {
    self.init(
      size: PixelSize(width: Int(message.width), height: Int(message.height)),
      form: message.jpeg.len == 0 ? .keptByCaller : .jpeg, bytes: Decoder.bytes(message.jpeg))
  }
}

// generated: swift-coding CheckFailure CheckFailure
extension CheckFailure: WireValue {
  func encode(into message: inout Faceengine__V1__CheckFailure, _ arena: Arena) {
    message.code = arena.string(code)
    message.message = arena.string(self.message)
  }

  init(decoding message: Faceengine__V1__CheckFailure) throws(Status) {
    self.init(
      code: try Decoder.text(message.code, "check_failure.code"),
      message: try Decoder.text(message.message, "check_failure.message"))
  }
}
// end of generated
