// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import FaceCore
import Posix

@c @implementation
public func face_check_options_init_sized(
  _ options: UnsafeMutablePointer<face_check_options>!, _ size: Int
) {
  VersionedStruct.initialize(options, size: size)
}

@c @implementation
public func face_check_options_apply(
  _ options: UnsafeMutablePointer<face_check_options>!, _ preset: face_check_preset
) -> face_status {
  LastError.catching { () throws(Status) in
    var value = try VersionedStruct.read(UnsafePointer(options), name: "options")
    guard let preset = CheckPreset(rawValue: preset) else {
      throw Status(.invalidArgument, "preset is \(preset); use one of FACE_CHECK_PRESET_...")
    }
    let limits = CheckOptions(preset)
    value.max_yaw = limits.maxYaw
    value.max_pitch = limits.maxPitch
    value.max_roll = limits.maxRoll
    try VersionedStruct.write(value, to: options, name: "options")
  }
}

@c @implementation
public func face_check_open(
  _ handle: OpaquePointer!, _ session: UnsafePointer<face_session_options>!,
  _ options: UnsafePointer<face_check_options>!, _ out_session: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_session, "out_session", in: Handles.sessions) { () throws(Status) in
      let engine = try Handles.engines.get(handle, "engine")
      var stream = try StreamOptions(reading: session)
      guard stream.tracking != nil else {
        throw Status(.invalidArgument, "session->track is 0, but a check follows its face; set track to 1")
      }
      if session == nil { stream.tracking?.maxMissedFrames = TrackingOptions.missedFramesOfChecks }
      stream.check = try CheckOptions(reading: options)
      return try SessionBox(engine, stream)
    }
  }
}

@c @implementation
public func face_check_restart(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.sessions.get(handle, "session").restartCheck()
  }
}

@c @implementation
public func face_check_image(
  _ handle: OpaquePointer!, _ image: UnsafePointer<face_image>!, _ detection: UnsafePointer<face_options>!,
  _ options: UnsafePointer<face_check_options>!, _ listener: UnsafePointer<face_listener>!,
  _ out_tip: UnsafeMutablePointer<face_tip>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let engine = try Handles.engines.get(handle, "engine")
    let image = try CallerImage(reading: image)
    let listener: face_listener? = listener == nil ? nil : try face_listener(reading: listener)
    let call = try CallOptions(reading: detection)
    guard call.detection.boxes == nil else {
      throw Status(
        .invalidArgument, "detection->boxes is set, but a check finds its face itself; leave boxes NULL",
        .field("options.boxes"))
    }
    let event = try engine.checkPhoto(image, call, try CheckOptions(reading: options))
    // A photo has no frame events.
    if let listener { event.notify(face_listener(onlyChecksOf: listener)) }
    if let report = event.check { out_tip?.pointee = report.tip.rawValue }
  }
}

@c @implementation
public func face_check_state_name(_ state: face_check_state) -> UnsafePointer<CChar>! {
  (CheckState(rawValue: state)?.name ?? "unknown").cString
}

@c @implementation
public func face_action_name(_ action: face_action) -> UnsafePointer<CChar>! {
  CheckAction(rawValue: action)?.name.cString
}

@c @implementation
public func face_tip_name(_ tip: face_tip) -> UnsafePointer<CChar>! {
  Tip(rawValue: tip)?.name.cString
}

@c @implementation
public func face_tip_text(_ tip: face_tip) -> UnsafePointer<CChar>! {
  Tip(rawValue: tip)?.text.cString
}

extension EngineBox {
  /// Checks one photo as a stream of one frame. Throws the frame's failure.
  func checkPhoto(
    _ image: CallerImage, _ call: CallOptions, _ check: CheckOptions
  ) throws(Status) -> FrameEvent {
    let (answer, changed) = (Monitor(PhotoAnswer()), Condition())
    var options = StreamOptions()
    options.mode = .every
    options.detection = call.detection
    options.check = check
    options.check?.isStill = true
    let deadline = token(call)?.deadline ?? .never
    let stream = try openStream(options) { event in
      answer.withLock { $0.event = event }
      changed.wakeAll()
    }
    // The caller's pixels are not used after this.
    defer { stream.close() }
    let cancel: @Sendable () -> Void = {
      answer.withLock { $0.isCancelled = true }
      changed.wakeAll()
    }
    let wait = { () throws(Status) -> FrameEvent in
      let held = HeldImage(image.input) { withExtendedLifetime(image) {} }
      _ = try self.call { () throws(Status) in try stream.submit(held, timestamp: image.timestamp) }
      let event = try answer.wait(for: changed, until: deadline) { (answer) throws(Status) -> FrameEvent? in
        if answer.isCancelled { throw Canceller.status }
        return answer.event
      }
      guard let event else {
        throw Status(
          .deadlineExceeded, "the photo was not checked in time; allow more time, or set a lower max_side")
      }
      // A failed frame with a check lacks only its list of faces, which a photo's caller does not get.
      if case .failed(let status) = event.outcome, event.check == nil { throw status }
      return event
    }
    guard let canceller = call.canceller else { return try wait() }
    return try canceller.withHandler(cancel, wait)
  }
}

/// The stream thread's report on the photo.
private struct PhotoAnswer {
  var event: FrameEvent?
  var isCancelled = false
}
