// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_session_options_init_sized(
  _ options: UnsafeMutablePointer<face_session_options>!, _ size: Int
) {
  VersionedStruct.initialize(options, size: size)
}

extension face_session_options: SizedStruct {
  package static var defaults: face_session_options {
    var value = face_session_options()
    value.track = 1
    value.best_margin = BestPictureOptions.standardMargin
    withUnsafeMutablePointer(to: &value) { TrackingOptions.members.write(TrackingOptions(), to: $0) }
    return value
  }
}

@c @implementation
public func face_session_open(
  _ handle: OpaquePointer!, _ options: UnsafePointer<face_session_options>!,
  _ out_session: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_session, "out_session", in: Handles.sessions) { () throws(Status) in
      let engine = try Handles.engines.get(handle, "engine")
      return try SessionBox(engine, try StreamOptions(reading: options))
    }
  }
}

@c @implementation
public func face_session_submit(
  _ handle: OpaquePointer!, _ image: UnsafePointer<face_image>!, _ out_number: UnsafeMutablePointer<UInt64>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let image = try CallerImage(reading: image, takesPixels: true)
    let number = try Handles.sessions.get(handle, "session").submit(image)
    out_number?.pointee = number
  }
}

@c @implementation
public func face_session_follow(
  _ handle: OpaquePointer!, _ box: UnsafePointer<face_box>!, _ out_id: UnsafeMutablePointer<UInt64>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let session = try Handles.sessions.get(handle, "session")
    guard let box else { throw Status(.invalidArgument, "box is NULL; pass a box") }
    guard let out_id else { throw Status(.invalidArgument, "out_id is NULL; pass a variable for the id") }
    out_id.pointee = try session.follow(Box(box.pointee))
  }
}

@c @implementation
public func face_session_best(_ handle: OpaquePointer!, _ face_id: UInt64) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.sessions.get(handle, "session").deliverBest(of: face_id == 0 ? nil : face_id)
  }
}

@c @implementation
public func face_session_bind_listener(
  _ handle: OpaquePointer!, _ listener: UnsafePointer<face_listener>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let session = try Handles.sessions.get(handle, "session")
    try session.bind(try face_listener(reading: listener))
  }
}

@c @implementation
public func face_session_unbind_listener(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.sessions.get(handle, "session").bind(nil)
  }
}

@c @implementation
public func face_session_flush(_ handle: OpaquePointer!, _ timeout_ns: UInt64) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.sessions.get(handle, "session").flush(TimeSpan(clamping: timeout_ns))
  }
}

@c @implementation
public func face_session_close(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    guard handle != nil else { return }
    try Handles.sessions.get(handle, "session").checkClosable()
    // Another thread may have closed it meanwhile.
    guard let session = Handles.sessions.remove(handle) else {
      throw Status(.invalidArgument, "the session was closed by another thread; open another one")
    }
    try session.close()
  }
}

extension StreamOptions {
  /// Reads the options; NULL gives the defaults. Throws `invalidArgument`, naming the option.
  init(reading pointer: UnsafePointer<face_session_options>?) throws(Status) {
    self.init()
    let value = pointer == nil ? .defaults : try VersionedStruct.read(pointer, name: "options")
    switch value.mode {
    case face_session_mode(FACE_SESSION_NEWEST): mode = .newest
    case face_session_mode(FACE_SESSION_EVERY): mode = .every
    default:
      throw Status(.invalidArgument, "options->mode is \(value.mode); use one of FACE_SESSION_...")
    }
    try unused(value.reserved, "options->reserved")
    let call = try CallOptions(reading: value.options)
    detection = call.detection
    frameTimeout = call.timeout
    canceller = call.canceller
    if try flag(value.track, "options->track") {
      var tracking = TrackingOptions()
      withUnsafePointer(to: value) { TrackingOptions.members.read($0, into: &tracking) }
      tracking.isFollowedOnly = try flag(value.followed_only, "options->followed_only")
      tracking.reidentifies = try flag(value.reidentify, "options->reidentify")
      self.tracking = tracking
    } else {
      guard value.analysis_rate == 0, value.followed_only == 0, value.reidentify == 0, value.best_size == 0 else {
        throw Status(
          .invalidArgument,
          "options->analysis_rate, followed_only, reidentify and best_size need tracking; set track to 1")
      }
    }
    if value.best_size > 0 {
      var best = BestPictureOptions()
      (best.size, best.margin) = (Int(value.best_size), value.best_margin)
      try best.validate()
      self.best = best
    }
  }
}

extension TrackingOptions {
  static let members = CFields(
    fields,
    [
      // generated: swift-members face_session_options Tracking
      CMember("max_missed_frames", \face_session_options.max_missed_frames),
      CMember("detection_interval", \face_session_options.detection_interval),
      CMember("min_hits", \face_session_options.min_hits),
      CMember("analysis_rate", \face_session_options.analysis_rate),
      // end of generated
    ])

  /// In the order of the message.
  // swift-format-ignore
  static let switches: [CSwitch] = [
    // generated: swift-switches face_session_options Tracking
    CSwitch(
      "followed_only", flag: "followed-only", \face_session_options.followed_only,
      "Follow only the faces of WatchFrame.followed; do not search for others."),
    CSwitch(
      "reidentify", flag: "reidentify", \face_session_options.reidentify,
      "Give a face that comes back within 10 s its old `track`, if it clearly looks the same."),
    // end of generated
  ]
}
