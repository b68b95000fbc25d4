/// The limits that an engine sets its clients. A client that exceeds one gets `resourceExhausted` or is
/// disconnected; it never waits.
public struct EngineLimits: OptionTable, Equatable, Sendable, BitwiseCopyable {
  /// Bytes of one message: a request with its image, or an answer. At most ttrpc's own limit.
  public var maxMessageBytes = 4 << 20
  /// Calls in flight on one connection.
  public var callsPerConnection = 16
  /// Connections of one user.
  public var connectionsPerUser = 32
  /// Streams open on one connection.
  public var streamsPerConnection = 16
  /// Frames unanswered on a stream that drops none.
  public var frameCredit = 4
  /// Images in one batch.
  public var batchImages = 64
  /// Shared memory buffers of one connection.
  public var buffersPerConnection = 8
  /// Bytes of shared memory of all connections of one user.
  public var mappedBytesPerUser = 128 << 20
  /// Guided checks of one user's streams for each of which the engine keeps a picture of up to 15 MB.
  public var checksPerUser = 16
  /// Workers beyond those of one user: one for each further user who calls meanwhile.
  public var extraWorkers = 16
  /// Connections in all.
  public var connections = 1024
  /// Calls that wait for a worker, of all connections; one user may have half of what the others leave.
  public var queuedCalls = 1024
  /// Bytes of the messages that wait for a worker, of all connections, and again of the frames that wait in
  /// their streams; one user may have half of what the others leave.
  public var queuedBytes = 256 << 20
  /// Guided checks of all users whose picture the engine keeps; one user may have half of what the others
  /// leave.
  public var checks = 32
  /// Bytes of shared memory of all users; one user may have half of what the others leave.
  public var mappedBytes = 1 << 30
  /// Bytes of messages of more than 64 KiB that have arrived in part, of all users; one user may have half of
  /// what the others leave.
  public var incomingBytes = 256 << 20
  /// Bytes of answers that a peer may leave unread before its connection is closed.
  public var unreadBytes = 8 << 20
  /// Nanoseconds a new connection has for its first whole frame.
  public var firstFrameTimeout: Int64 = 30_000_000_000
  /// Nanoseconds of processor time for a call, an image of a batch or a frame of a stream.
  public var processorTimePerCall: Int64 = 10_000_000_000
  /// Faces of an image that are analysed for landmarks and other outputs.
  public var analysedFacesPerImage = 1000
  /// The least width and height of an image, in pixels.
  public var minImageSide = ImageLimits.minSide
  public var maxImageSide = ImageLimits.maxSide
  /// Nanoseconds that a stopping engine waits for calls that have begun.
  public var drainTimeout: Int64 = 0

  public init() {}

  /// The limits that `face-engine serve --limit` sets.
  public static let settings: [OptionField] = [
    OptionField("max_message_bytes", \EngineLimits.maxMessageBytes, 1...0x40_0000, "Bytes of one message."),
    OptionField(
      "calls_per_connection", \EngineLimits.callsPerConnection, told, "Calls in flight on one connection."),
    OptionField("connections_per_user", \EngineLimits.connectionsPerUser, told, "Connections of one user."),
    OptionField(
      "streams_per_connection", \EngineLimits.streamsPerConnection, told, "Streams open on one connection."),
    OptionField(
      "frame_credit", \EngineLimits.frameCredit, told, "Frames unanswered on a stream that drops none."),
    OptionField("batch_images", \EngineLimits.batchImages, told, "Images in one batch."),
    OptionField(
      "buffers_per_connection", \EngineLimits.buffersPerConnection, told,
      "Buffers of shared memory of one connection."),
    OptionField(
      "mapped_bytes_per_user", \EngineLimits.mappedBytesPerUser, 1...(.infinity),
      "Bytes of shared memory of one user."),
    OptionField(
      "checks_per_user", \EngineLimits.checksPerUser, told,
      "Guided checks of one user whose picture the engine keeps, of up to 15 MB each."),
    OptionField(
      "extra_workers", \EngineLimits.extraWorkers, 1...256,
      "Workers beyond --workers, one for each further user who calls meanwhile; each takes the memory of the call that it runs."
    ),
    OptionField("connections", \EngineLimits.connections, 1...(.infinity), "Connections in all."),
    OptionField(
      "queued_calls", \EngineLimits.queuedCalls, 1...(.infinity),
      "Calls that wait for a worker, in all; one user may have half of what the others leave."),
    OptionField(
      "queued_bytes", \EngineLimits.queuedBytes, 1...(.infinity),
      "Bytes of the messages that wait for a worker, in all; one user may have half of what the others leave."
    ),
    OptionField(
      "checks", \EngineLimits.checks, told,
      "Guided checks whose picture the engine keeps, in all; one user may have half of what the others leave."
    ),
    OptionField(
      "mapped_bytes", \EngineLimits.mappedBytes, 1...(.infinity),
      "Bytes of shared memory, in all; one user may have half of what the others leave."),
    OptionField(
      "incoming_bytes", \EngineLimits.incomingBytes, 1...(.infinity),
      "Bytes of messages of more than 64 KiB that are not whole yet, in all; one user may have half of what the others leave."
    ),
    OptionField(
      "unread_bytes", \EngineLimits.unreadBytes, 1...(.infinity),
      "Bytes of answers that a peer may leave unread."),
    OptionField(
      "first_frame_timeout_ns", \EngineLimits.firstFrameTimeout, atLeast: 1,
      "How long a new connection has for its first message."),
    OptionField(
      "processor_time_per_call_ns", \EngineLimits.processorTimePerCall, atLeast: 1,
      "Processor time for one call, one image of a batch or one frame of a stream."),
    OptionField(
      "analysed_faces_per_image", \EngineLimits.analysedFacesPerImage, told,
      "Faces of an image that landmarks and other outputs are measured of; the answer counts the others."),
  ]

  /// All limits. The engine sends those that are fields of `Limits` in face_engine.proto to its clients.
  public static let fields =
    settings + [
      OptionField(
        "min_image_side", \EngineLimits.minImageSide, 1...(.infinity), "Pixels of an image's sides, at least."
      ),
      OptionField(
        "max_image_side", \EngineLimits.maxImageSide, 1...(.infinity), "Pixels of an image's sides, at most."),
      OptionField(
        "drain_timeout_ns", \EngineLimits.drainTimeout,
        "How long a stopping engine waits for what it has begun."),
    ]

  /// The range of a limit that has 32 bits on the wire.
  private static let told = 1...Double(UInt32.max)

  /// The limits of an engine that has not sent them: all are 0.
  public static let unknown: EngineLimits = {
    var limits = EngineLimits()
    for field in fields {
      limits[field] = field.kind == .count ? .count(0) : .nanoseconds(0)
    }
    return limits
  }()

  /// Returns `options` with the number of faces to be analysed reduced to these limits.
  public func bounding(_ options: DetectionOptions) -> DetectionOptions {
    var bounded = options
    let asked = options.maxAnalysedFaces
    bounded.maxAnalysedFaces = asked == 0 ? analysedFacesPerImage : min(asked, analysedFacesPerImage)
    return bounded
  }

  /// Throws `invalidArgument`, naming the limit, when one that can be set is not positive or is above the
  /// protocol's limit.
  public func validate() throws(Status) {
    try validate(EngineLimits.settings)
  }
}

/// The description that an engine gives of itself.
public struct EngineInfo: Equatable, Sendable {
  /// Semantic version of the engine.
  public var version: String
  /// Version of the protocol it speaks.
  public var protocolVersion: Int
  public var models: [ModelInfo]
  public var limits: EngineLimits
  /// Features that a client may rely on beyond the version, as in "detect.inline".
  public var features: [String]
  /// The restrictions that its process is under, as in "files" and "system_calls"; empty without a sandbox,
  /// and from an engine that does not report them.
  public var sandbox: [String]
  /// Whether the models' memory was released because no call came; the next call loads them.
  public var hasReleasedModels: Bool

  public init(
    version: String, protocolVersion: Int, models: [ModelInfo], limits: EngineLimits, features: [String],
    sandbox: [String] = [], hasReleasedModels: Bool = false
  ) {
    self.version = version
    self.protocolVersion = protocolVersion
    self.models = models
    self.limits = limits
    self.features = features
    self.sandbox = sandbox
    self.hasReleasedModels = hasReleasedModels
  }
}
