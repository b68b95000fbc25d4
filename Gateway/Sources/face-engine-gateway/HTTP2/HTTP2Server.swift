import NIOCore

/// Handles the requests of HTTP/2 connections.
protocol HTTP2Server: AnyObject {
  /// The time in which a request has to arrive; a connection without requests is closed after five times that.
  var requestTimeout: TimeAmount { get }
  /// Whether requests are passed on with all their fields, rather than as RPCs.
  var takesFields: Bool { get }

  /// Gives a stream its owner, or an answer.
  func begin(_ head: HTTP2Head, on stream: HTTP2Stream, _ connection: HTTP2Connection)
}

/// The head of a request.
enum HTTP2Head {
  case rpc(GRPCHead)
  /// All fields, those of HTTP/2 itself first; `isTooLarge` if there were more.
  case fields([(name: String, value: String)], isTooLarge: Bool)
}

/// The owner of a stream. Called on the event loop, and never after `closed`.
protocol HTTP2StreamOwner: AnyObject {
  func received(_ bytes: UnsafeRawBufferPointer)

  /// The client has ended its side.
  func receivedEnd()

  /// The client has gone, or has ended the stream.
  func closed()

  /// Ends what takes too long.
  func sweep(_ now: NIODeadline, _ requestTimeout: TimeAmount)

  func stopAnnounced()
  func drainBegan()
}
