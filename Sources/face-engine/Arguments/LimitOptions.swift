import ArgumentParser
import Service

/// What the engine lets its peers do, as flags of `face-engine serve`.
struct LimitOptions: ParsableArguments {
  private static let standard = ServiceLimits()

  @Option(help: "Bytes of one message.")
  var maxMessageBytes = standard.messageBytes

  @Option(help: "Calls in flight on one connection.")
  var callsPerConnection = standard.callsPerConnection

  @Option(help: "Streams open on one connection.")
  var streamsPerConnection = standard.streamsPerConnection

  @Option(help: "Frames unanswered on a stream that drops none.")
  var frameCredit = standard.frameCredit

  @Option(help: "Images in one batch.")
  var batchImages = standard.batchImages

  @Option(help: "Buffers of shared memory of one connection.")
  var buffersPerConnection = standard.buffersPerConnection

  @Option(help: "Bytes of shared memory of all connections of one user.")
  var mappedBytesPerUser = standard.mappedBytesPerUser

  @Option(help: "Connections of one user.")
  var connectionsPerUser = standard.connectionsPerUser

  @Option(help: "Guided checks of one user whose picture the engine keeps, of up to 64 MB each.")
  var checksPerUser = standard.checksPerUser

  @Option(help: "Connections in all.")
  var maxConnections = standard.connections

  @Option(help: "Calls that wait for a worker, in all; one user may have half of what the others leave.")
  var queuedCalls = standard.queuedCalls

  @Option(
    help:
      "Bytes of the messages that wait for a worker, in all; one user may have half of what the others leave."
  )
  var queuedBytes = standard.queuedBytes

  @Option(help: "Bytes of answers that a peer may leave unread.")
  var unreadBytes = standard.unreadBytes

  @Option(help: "Seconds that a new connection has for its first message.")
  var firstFrameTimeout = Seconds(nanoseconds: standard.firstFrameTimeout)

  var limits: ServiceLimits {
    var limits = ServiceLimits()
    limits.messageBytes = maxMessageBytes
    limits.callsPerConnection = callsPerConnection
    limits.streamsPerConnection = streamsPerConnection
    limits.frameCredit = frameCredit
    limits.batchImages = batchImages
    limits.buffersPerConnection = buffersPerConnection
    limits.mappedBytesPerUser = mappedBytesPerUser
    limits.connectionsPerUser = connectionsPerUser
    limits.checksPerUser = checksPerUser
    limits.connections = maxConnections
    limits.queuedCalls = queuedCalls
    limits.queuedBytes = queuedBytes
    limits.unreadBytes = unreadBytes
    limits.firstFrameTimeout = firstFrameTimeout.nanoseconds
    return limits
  }
}
