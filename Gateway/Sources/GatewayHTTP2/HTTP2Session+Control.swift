import CNGHTTP2

/// The frames that are about streams and connections rather than answers.
extension HTTP2Session {
  /// Ends a stream; without an error a client that has its answer, and need send no more.
  func reset(_ number: Int32, _ error: nghttp2_error_code = NGHTTP2_NO_ERROR) {
    nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, error.rawValue)
  }

  package func ping(_ value: UInt64) {
    withUnsafeBytes(of: value) { bytes in
      _ = nghttp2_submit_ping(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), bytes.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  /// Asks the client to open no more streams. Streams that it opens before it reads this are served.
  func announceEnd() { nghttp2_submit_shutdown_notice(session) }

  func refuseStreams() {
    nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(session),
      NGHTTP2_NO_ERROR.rawValue, nil, 0)
  }

  /// Whether there is nothing left to send or receive.
  package var isOver: Bool {
    nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }
}
