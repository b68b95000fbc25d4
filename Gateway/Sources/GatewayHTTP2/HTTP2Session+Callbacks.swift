import CNGHTTP2

/// The callbacks and the set-up of nghttp2.
extension HTTP2Session {
  static func makeSession() -> OpaquePointer? {
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    defer {
      nghttp2_session_callbacks_del(callbacks)
      nghttp2_option_del(options)
    }
    guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else {
      return nil
    }
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, user in
      switch UInt32(header?.pointee.type ?? 0) {
      case NGHTTP2_PING.rawValue, NGHTTP2_SETTINGS.rawValue, NGHTTP2_PRIORITY.rawValue:
        HTTP2Session.session(of: user).countControl()
      default: 0
      }
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      HTTP2Session.session(of: user).beganHeaders(frame)
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameSize, value, valueSize, _, user in
      HTTP2Session.session(of: user).receivedHeader(
        UnsafeBufferPointer(start: name, count: nameSize), UnsafeBufferPointer(start: value, count: valueSize)
      )
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, size, user in
      HTTP2Session.session(of: user).received(UnsafeRawBufferPointer(start: data, count: size), stream)
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      HTTP2Session.session(of: user).received(frame)
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, _, error, user in
      // One stream too many may come from a client that does not know the limit yet.
      error == NGHTTP2_ERR_REFUSED_STREAM.rawValue ? 0 : HTTP2Session.session(of: user).foundFault()
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      HTTP2Session.session(of: user).sent(frame)
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, user in
      HTTP2Session.session(of: user).closed(stream)
    }
    // Windows are opened when messages are wanted.
    nghttp2_option_set_no_auto_window_update(options, 1)
    nghttp2_option_set_no_closed_streams(options, 1)
    nghttp2_option_set_max_outbound_ack(options, maxControlFrames)
    nghttp2_option_set_stream_reset_rate_limit(options, UInt64(maxResets.burst), UInt64(maxResets.rate))
    var session: OpaquePointer?
    nghttp2_session_server_new2(&session, callbacks, nil, options)
    return session
  }

  package static func session(of user: UnsafeMutableRawPointer?) -> HTTP2Session {
    guard let user else { preconditionFailure("a session is always given itself") }
    return Unmanaged.fromOpaque(user).takeUnretainedValue()
  }
}
