// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_check_options_init_sized(
  _ options: UnsafeMutablePointer<face_check_options>!, _ size: Int
) {
  VersionedStruct.initialize(options, to: face_check_options(CheckOptions()), size: size)
}

@c @implementation
public func face_check_open(
  _ handle: OpaquePointer!, _ session: UnsafePointer<face_session_options>!,
  _ options: UnsafePointer<face_check_options>!, _ out_session: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_session, "out_session", of: Handles.sessions) { () throws(Status) in
      let engine = try Handles.engines.get(handle, "engine")
      var stream = try StreamOptions(reading: session)
      guard stream.tracking != nil else {
        throw Status(.invalidArgument, "session->track is 0; a check follows its face: give 1")
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
    let told: face_listener? = listener == nil ? nil : try face_listener(reading: listener)
    let event = try engine.check(
      image, try CallOptions(reading: detection), try CheckOptions(reading: options))
    // Nothing else is told of a photo.
    if let told { event.tell(face_listener(onlyChecksOf: told)) }
    if let report = event.check { out_tip?.pointee = report.tip.rawValue }
  }
}

@c @implementation
public func face_check_state_name(_ state: face_check_state) -> UnsafePointer<CChar>! {
  (CheckState(rawValue: state)?.name ?? "unknown").cString
}

@c @implementation
public func face_tip_name(_ tip: face_tip) -> UnsafePointer<CChar>! {
  Tip(rawValue: tip)?.name.cString
}

@c @implementation
public func face_tip_text(_ tip: face_tip) -> UnsafePointer<CChar>! {
  Tip(rawValue: tip)?.text.cString
}
