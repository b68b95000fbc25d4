import FaceCore
import Wire

/// What the engine lets its peers do; each limit ends in `resourceExhausted` or a closed connection, never in a wait.
public struct ServiceLimits: Sendable, Equatable {
  /// Bytes of one message. ttrpc's own limit is the most.
  public var messageBytes = FrameHeader.maxLength
  /// Calls in flight on one connection.
  public var callsPerConnection = 16
  /// Streams open on one connection.
  public var streamsPerConnection = 16
  /// Connections of one user.
  public var connectionsPerUser = 32
  /// Guided checks of one user's streams for each of which the engine keeps a picture of up to 64 MB.
  public var checksPerUser = 16
  /// Connections in all.
  public var connections = 1024
  /// Calls that wait for a worker, of all connections; one user may have half of what the others leave.
  public var queuedCalls = 1024
  /// Bytes of the messages that wait for a worker, of all connections, and again of the frames that wait in their streams;
  /// one user may have half of what the others leave.
  public var queuedBytes = 256 << 20
  /// Bytes of answers that a peer may leave unread before its connection is closed.
  public var unreadBytes = 8 << 20
  /// Frames unanswered on a stream that drops none.
  public var frameCredit = 4
  /// Images in one batch.
  public var batchImages = 64
  /// Buffers of shared memory of one connection.
  public var buffersPerConnection = 8
  /// Bytes of shared memory of all connections of one user.
  public var mappedBytesPerUser = 128 << 20
  /// Nanoseconds a new connection has for its first whole frame.
  public var firstFrameTimeout: Int64 = 30_000_000_000

  public init() {}

  /// Throws `invalidArgument`, naming the limit, when one is not positive or beyond the protocol's.
  func validate() throws(Status) {
    guard (1...FrameHeader.maxLength).contains(messageBytes) else {
      throw Status(
        .invalidArgument, "the message limit is \(messageBytes) bytes; give 1 to \(FrameHeader.maxLength)")
    }
    let others: [(StaticString, Int)] = [
      ("calls per connection", callsPerConnection),
      ("streams per connection", streamsPerConnection), ("connections per user", connectionsPerUser),
      ("checks per user", checksPerUser), ("connections", connections), ("queued calls", queuedCalls),
      ("queued bytes", queuedBytes),
      ("unread bytes", unreadBytes),
      ("frame credit", frameCredit), ("batch images", batchImages),
      ("buffers per connection", buffersPerConnection), ("mapped bytes per user", mappedBytesPerUser),
      ("first frame timeout", Int(firstFrameTimeout)),
    ]
    for (name, value) in others where value < 1 {
      throw Status(.invalidArgument, "the limit of \(name) is \(value); give 1 or more")
    }
    // On the wire they have 32 bits.
    let told: [(StaticString, Int)] = [
      ("calls per connection", callsPerConnection), ("streams per connection", streamsPerConnection),
      ("connections per user", connectionsPerUser), ("frame credit", frameCredit),
      ("batch images", batchImages), ("buffers per connection", buffersPerConnection),
    ]
    for (name, value) in told where value > UInt32.max {
      throw Status(.invalidArgument, "the limit of \(name) is \(value); give 1 to \(UInt32.max)")
    }
  }
}
