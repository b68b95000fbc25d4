package import GatewayServing
package import NIOCore

/// Serves the connections of one address; `HTTP2Connection` handles those of HTTP/2. Used on one event loop.
package protocol HTTP2Server: AnyObject {
  var connections: ConnectionTable { get }

  /// Adds the handlers of a new connection.
  ///
  /// - Parameter tls: `nil` without TLS.
  func serve(_ channel: any Channel, _ place: ConnectionTable.Place, _ tls: TLSContexts?) throws

  /// The time in which a request has to arrive; a connection without requests is closed after five times that.
  var requestTimeout: TimeAmount { get }
  /// Changes with the authorities of clients' certificates.
  var authoritiesVersion: Int { get }
  /// Bounds the answers that clients have not taken.
  var answers: AnswerBudget { get }
  /// Whether the server resets a stream whose client still sends after its answer.
  var endsUploads: Bool { get }

  /// The most bytes of a head, by the count of RFC 9113, section 6.5.2.
  var maxHeaderBytes: Int { get }

  /// Makes the reader of a connection.
  func makeHeadReader() -> any HTTP2HeadReader
}

/// Reads the heads of a connection's requests, one after the other.
package protocol HTTP2HeadReader: AnyObject {
  func begin()

  /// Adds a field; those of HTTP/2 itself, as `:path`, come first.
  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)

  /// The head has more fields than are taken, so that some are missing. Called once for a head.
  func markTooLarge()

  /// The head is complete: gives its stream an owner, or an answer.
  func open(_ stream: HTTP2Stream, _ connection: HTTP2Connection)
}

/// The owner of a stream. Called on the event loop, and never after `closed`.
package protocol HTTP2StreamOwner: AnyObject {
  func received(_ bytes: UnsafeRawBufferPointer)

  func receivedEnd()

  /// The client has gone, or has ended the stream.
  func closed()

  /// Ends what takes too long.
  func sweep(_ now: NIODeadline, _ requestTimeout: TimeAmount)

  /// The authorities of clients' certificates have changed since the connection was opened.
  func certificateExpired()

  func stopAnnounced()
  func drainBegan()
}
