import CProtocol
import FaceCore

/// `CheckReport` ↔ FaceCore's.
enum CheckReportCoding {
  static func encode(
    _ report: CheckReport, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CheckReport> {
    let message = arena.message(Faceengine__V1__CheckReport.self)
    message.pointee.state = .init(report.state.rawValue)
    message.pointee.tip = .init(report.tip.rawValue)
    message.pointee.progress = report.progress
    message.pointee.actions_done = UInt32(clamping: report.actionsDone)
    message.pointee.action_count = UInt32(clamping: report.actionCount)
    message.pointee.attempt = report.attempt
    message.pointee.circle = CircleCoding.encode(report.circle, arena)
    message.pointee.best = report.isBest ? 1 : 0
    (message.pointee.n_events, message.pointee.events) = arena.list(report.events) { encode($0, arena) }
    return message
  }

  private static func encode(
    _ event: CheckEvent, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CheckEvent> {
    let message = arena.message(Faceengine__V1__CheckEvent.self)
    switch event {
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
      message.pointee.result = encode(result, arena)
    case .failed(let failure):
      message.pointee.kind_case = FACEENGINE__V1__CHECK_EVENT__KIND_FAILED
      message.pointee.failed = encode(failure, arena)
    }
    return message
  }

  private static func encode(
    _ result: CheckResult, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CheckResult> {
    let message = arena.message(Faceengine__V1__CheckResult.self)
    message.pointee.face = FaceCoding.encode(result.face, arena)
    message.pointee.picture = encode(result.picture, arena)
    message.pointee.crop = encode(result.crop, arena)
    message.pointee.crop_box = BoxCoding.encode(result.cropBox, arena)
    return message
  }

  /// - Parameter picture: a JPEG file, or without bytes.
  private static func encode(
    _ picture: CheckPicture, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CheckPicture> {
    let message = arena.message(Faceengine__V1__CheckPicture.self)
    message.pointee.width = UInt32(clamping: picture.size.width)
    message.pointee.height = UInt32(clamping: picture.size.height)
    message.pointee.jpeg = arena.bytes(picture.bytes)
    return message
  }

  private static func encode(
    _ failure: CheckFailure, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CheckFailure> {
    let message = arena.message(Faceengine__V1__CheckFailure.self)
    message.pointee.code = arena.string(failure.code)
    message.pointee.message = arena.string(failure.message)
    return message
  }

  // MARK: Back at the client

  /// Decodes a report; `nil` if there is none. Events and tips of later engines are left out. Throws
  /// `invalidArgument`, naming the field, for values that no engine sends.
  static func decode(_ message: Faceengine__V1__CheckReport?) throws(Status) -> CheckReport? {
    guard let message else { return nil }
    guard let circle = message.circle?.pointee else {
      throw Status(.invalidArgument, "check.circle is absent; send it", .field("check.circle"))
    }
    var events: [CheckEvent] = []
    for index in 0..<message.n_events {
      if let event = message.events[index], let known = try decode(event.pointee) { events.append(known) }
    }
    return CheckReport(
      attempt: message.attempt, state: try state(message.state.rawValue),
      tip: Tip(rawValue: message.tip.rawValue) ?? .prompt,
      progress: try Decoder.finite(message.progress, "check.progress"),
      actionsDone: Int(message.actions_done), actionCount: Int(message.action_count),
      circle: try finite(CircleCoding.decode(circle)), events: events, isBest: message.best != 0)
  }

  private static func decode(_ message: Faceengine__V1__CheckEvent) throws(Status) -> CheckEvent? {
    switch message.kind_case {
    case FACEENGINE__V1__CHECK_EVENT__KIND_STATUS: return .status(try state(message.status.rawValue))
    case FACEENGINE__V1__CHECK_EVENT__KIND_TIP: return Tip(rawValue: message.tip.rawValue).map { .tip($0) }
    case FACEENGINE__V1__CHECK_EVENT__KIND_DRAW: return .draw(face: Int(message.draw))
    case FACEENGINE__V1__CHECK_EVENT__KIND_CLEAR: return .clear
    case FACEENGINE__V1__CHECK_EVENT__KIND_RESULT:
      guard let result = message.result?.pointee else { return nil }
      return .result(try decode(result))
    case FACEENGINE__V1__CHECK_EVENT__KIND_FAILED:
      guard let failure = message.failed?.pointee else { return nil }
      return .failed(
        CheckFailure(
          code: try Decoder.text(failure.code, "failed.code"),
          message: try Decoder.text(failure.message, "failed.message")))
    default: return nil
    }
  }

  private static func decode(_ message: Faceengine__V1__CheckResult) throws(Status) -> CheckResult {
    guard let face = message.face?.pointee, let picture = message.picture?.pointee,
      let crop = message.crop?.pointee
    else {
      throw Status(.invalidArgument, "a check's result has no face or picture; send all", .field("result"))
    }
    let box = message.crop_box.map { $0.pointee } ?? .init()
    return CheckResult(
      face: try FaceCoding.decode(face), picture: decode(picture), crop: decode(crop),
      cropBox: try BoxCoding.decode(box, "result.crop_box"))
  }

  private static func decode(_ message: Faceengine__V1__CheckPicture) -> CheckPicture {
    CheckPicture(
      size: PixelSize(width: Int(message.width), height: Int(message.height)),
      form: message.jpeg.len == 0 ? .keptByCaller : .jpeg,
      bytes: Decoder.bytes(message.jpeg))
  }

  private static func state(_ value: UInt32) throws(Status) -> CheckState {
    guard let state = CheckState(rawValue: value) else {
      throw Status(
        .invalidArgument, "check.state is \(Int32(bitPattern: value)); send a CheckState",
        .field("check.state"))
    }
    return state
  }

  private static func finite(_ circle: Circle) throws(Status) -> Circle {
    for value in [circle.center.x, circle.center.y, circle.radius] {
      _ = try Decoder.finite(value, "check.circle")
    }
    return circle
  }
}
