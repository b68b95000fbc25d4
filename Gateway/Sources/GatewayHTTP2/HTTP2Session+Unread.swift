import CNGHTTP2
import GatewayServing
import NIOCore

/// The output that the client has not taken yet.
extension HTTP2Session {
  /// The bytes of memory that a waiting frame takes.
  private static let frameCost = 256

  /// The bytes of memory that output for the client takes, without those of shared parts.
  var unreadByteCount: Int {
    answerByteCount + nghttp2_session_get_outbound_queue_size(session) * Self.frameCost
  }

  /// Ends the streams whose clients take too little of what the streams' windows hold back.
  func endUnread(_ now: NIODeadline, in period: TimeAmount) {
    for stream in Array(streams.values)
    where !stream.isRead(
      now, isHeld: nghttp2_session_get_stream_remote_window_size(session, stream.number) <= 0, in: period)
    {
      counting(stream) { stream.drop() }
      reset(stream.number, NGHTTP2_ENHANCE_YOUR_CALM)
    }
  }

  /// Whether output waits until the client opens the connection's window.
  var isHeld: Bool {
    nghttp2_session_get_remote_window_size(session) <= 0 && streams.values.contains { !$0.isEmpty }
  }
}
