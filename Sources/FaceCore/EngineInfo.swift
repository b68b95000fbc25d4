/// What an engine allows its clients.
public struct EngineLimits: Equatable, Sendable, BitwiseCopyable {
  /// Bytes of one message: a request with its image, or an answer.
  public var maxMessageBytes: Int
  /// Calls one connection may have in flight.
  public var callsPerConnection: Int
  /// Connections one user may have open.
  public var connectionsPerUser: Int
  /// Pixels, both sides of an image.
  public var minImageSide: Int
  public var maxImageSide: Int
  /// Images in one batch.
  public var batchImages: Int
  /// Streams one connection may have open.
  public var streamsPerConnection: Int
  /// Buffers of shared memory that one connection may have offered.
  public var buffersPerConnection: Int
  /// Bytes of all buffers of one user's connections.
  public var mappedBytesPerUser: Int
  /// Frames that may be unanswered on a stream that drops none.
  public var frameCredit: Int
  /// Nanoseconds that a stopping engine waits for what it has begun.
  public var drainTimeout: Int64
  /// Guided checks whose picture the engine keeps, that one user may have at a time.
  public var checksPerUser: Int

  public init(
    maxMessageBytes: Int, callsPerConnection: Int, connectionsPerUser: Int,
    minImageSide: Int = ImageLimits.minSide, maxImageSide: Int = ImageLimits.maxSide,
    batchImages: Int = 0, streamsPerConnection: Int = 0, buffersPerConnection: Int = 0,
    mappedBytesPerUser: Int = 0, frameCredit: Int = 0, drainTimeout: Int64 = 0,
    checksPerUser: Int = 0
  ) {
    self.maxMessageBytes = maxMessageBytes
    self.callsPerConnection = callsPerConnection
    self.connectionsPerUser = connectionsPerUser
    self.minImageSide = minImageSide
    self.maxImageSide = maxImageSide
    self.batchImages = batchImages
    self.streamsPerConnection = streamsPerConnection
    self.buffersPerConnection = buffersPerConnection
    self.mappedBytesPerUser = mappedBytesPerUser
    self.frameCredit = frameCredit
    self.drainTimeout = drainTimeout
    self.checksPerUser = checksPerUser
  }
}

/// What an engine says of itself.
public struct EngineInfo: Equatable, Sendable {
  /// Semantic version of the engine.
  public var version: String
  /// Version of the protocol it speaks.
  public var protocolVersion: Int
  public var models: [ModelInfo]
  public var limits: EngineLimits
  /// What a client may rely on beyond the version, as in "detect.inline".
  public var features: [String]

  public init(
    version: String, protocolVersion: Int, models: [ModelInfo], limits: EngineLimits, features: [String]
  ) {
    self.version = version
    self.protocolVersion = protocolVersion
    self.models = models
    self.limits = limits
    self.features = features
  }
}
