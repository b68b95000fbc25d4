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

  public init(
    maxMessageBytes: Int, callsPerConnection: Int, connectionsPerUser: Int,
    minImageSide: Int = ImageLimits.minSide, maxImageSide: Int = ImageLimits.maxSide
  ) {
    self.maxMessageBytes = maxMessageBytes
    self.callsPerConnection = callsPerConnection
    self.connectionsPerUser = connectionsPerUser
    self.minImageSide = minImageSide
    self.maxImageSide = maxImageSide
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
