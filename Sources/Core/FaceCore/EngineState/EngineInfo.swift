/// The limits that an engine sets its clients. A client that exceeds one gets `resourceExhausted` or is
/// disconnected; it never waits.
public struct EngineLimits: OptionTable, Equatable, Sendable, BitwiseCopyable {
  // generated: swift-options EngineLimits Limits
  /// Bytes of one message, including its ttrpc envelope. 1 to 4194304.
  public var maxMessageBytes = 4_194_304
  /// Calls in flight on one connection. 1 to 4294967295.
  public var callsPerConnection = 16
  /// Connections of one user. 1 to 4294967295.
  public var connectionsPerUser = 32
  /// Streams open on one connection. 1 to 4294967295.
  public var streamsPerConnection = 16
  /// Unanswered frames on a stream that drops no frames. 1 to 4294967295.
  public var frameCredit = 4
  /// Images in one batch. 1 to 4294967295.
  public var batchImages = 64
  /// Shared memory buffers of one connection. 1 to 4294967295.
  public var buffersPerConnection = 8
  /// Bytes of shared memory of all connections of one user. 1 or more.
  public var mappedBytesPerUser = 134_217_728
  /// Guided checks of one user whose pictures the engine keeps, up to 15 MB each. 1 to 4294967295.
  public var checksPerUser = 16
  /// Workers beyond `--workers`: one for each further user who calls at the same time. Each takes the
  /// memory of its call. 1 to 256.
  public var extraWorkers = 16
  /// Connections of all users. 1 or more.
  public var connections = 1024
  /// Calls of all users that wait for a worker. One user may have half of what other users leave free. 1 or
  /// more.
  public var queuedCalls = 1024
  /// Bytes of all users' messages that wait for a worker; waiting frames of streams may take as many bytes
  /// again. One user may have half of what other users leave free. 1 or more.
  public var queuedBytes = 268_435_456
  /// Guided checks of all users whose pictures the engine keeps. One user may have half of what other users
  /// leave free. 1 to 4294967295.
  public var checks = 32
  /// Bytes of shared memory of all users. One user may have half of what other users leave free. 1 or more.
  public var mappedBytes = 1_073_741_824
  /// Bytes of all users' partly received messages above 64 KiB. One user may have half of what other users
  /// leave free. 1 or more.
  public var incomingBytes = 268_435_456
  /// Bytes of memory for the pictures of all users while they are decoded and searched. A call waits until
  /// its picture fits. One call may take at most seven eighths. 0: five eighths of the memory of the
  /// engine's control group, or of the machine. 0 or more.
  public var decodedBytes = 0
  /// Bytes of answers that a client may leave unread before the engine closes its connection. 1 or more.
  public var unreadBytes = 8_388_608
  /// Time within which a new connection must send its first complete message.
  public var firstFrameTimeout: TimeSpan = .seconds(30)
  /// Processor time for one call, one image of a batch or one frame of a stream.
  public var processorTimePerCall: TimeSpan = .seconds(10)
  /// Faces per image for which landmarks and other outputs are measured. The answer counts the others. 1 to
  /// 4294967295.
  public var analysedFacesPerImage = 1000
  /// Smallest width and height of an image, in pixels. 1 or more.
  public var minImageSide = 16
  /// Largest width and height of an image, in pixels. 1 or more.
  public var maxImageSide = 16_384
  /// How long a stopping engine waits for running calls.
  public var drainTimeout: TimeSpan = .zero

  /// The numeric options, by their names in Limits and in C.
  // swift-format-ignore
  public static let fields: [OptionField] = [
    OptionField(
      "max_message_bytes", \EngineLimits.maxMessageBytes, 1...4_194_304,
      "Bytes of one message, including its ttrpc envelope."),
    OptionField(
      "calls_per_connection", \EngineLimits.callsPerConnection, 1...Double(UInt32.max),
      "Calls in flight on one connection."),
    OptionField(
      "connections_per_user", \EngineLimits.connectionsPerUser, 1...Double(UInt32.max),
      "Connections of one user."),
    OptionField(
      "streams_per_connection", \EngineLimits.streamsPerConnection, 1...Double(UInt32.max),
      "Streams open on one connection."),
    OptionField(
      "frame_credit", \EngineLimits.frameCredit, 1...Double(UInt32.max),
      "Unanswered frames on a stream that drops no frames."),
    OptionField(
      "batch_images", \EngineLimits.batchImages, 1...Double(UInt32.max),
      "Images in one batch."),
    OptionField(
      "buffers_per_connection", \EngineLimits.buffersPerConnection, 1...Double(UInt32.max),
      "Shared memory buffers of one connection."),
    OptionField(
      "mapped_bytes_per_user", \EngineLimits.mappedBytesPerUser, 1...(.infinity),
      "Bytes of shared memory of all connections of one user."),
    OptionField(
      "checks_per_user", \EngineLimits.checksPerUser, 1...Double(UInt32.max),
      "Guided checks of one user whose pictures the engine keeps, up to 15 MB each."),
    OptionField(
      "extra_workers", \EngineLimits.extraWorkers, 1...256,
      "Workers beyond `--workers`: one for each further user who calls at the same time."),
    OptionField(
      "connections", \EngineLimits.connections, 1...(.infinity),
      "Connections of all users."),
    OptionField(
      "queued_calls", \EngineLimits.queuedCalls, 1...(.infinity),
      "Calls of all users that wait for a worker."),
    OptionField(
      "queued_bytes", \EngineLimits.queuedBytes, 1...(.infinity),
      "Bytes of all users' messages that wait for a worker; waiting frames of streams may take as many bytes again."),
    OptionField(
      "checks", \EngineLimits.checks, 1...Double(UInt32.max),
      "Guided checks of all users whose pictures the engine keeps."),
    OptionField(
      "mapped_bytes", \EngineLimits.mappedBytes, 1...(.infinity),
      "Bytes of shared memory of all users."),
    OptionField(
      "incoming_bytes", \EngineLimits.incomingBytes, 1...(.infinity),
      "Bytes of all users' partly received messages above 64 KiB."),
    OptionField(
      "decoded_bytes", \EngineLimits.decodedBytes, 0...(.infinity),
      "Bytes of memory for the pictures of all users while they are decoded and searched."),
    OptionField(
      "unread_bytes", \EngineLimits.unreadBytes, 1...(.infinity),
      "Bytes of answers that a client may leave unread before the engine closes its connection."),
    OptionField(
      "first_frame_timeout_ns", \EngineLimits.firstFrameTimeout, 1...(.infinity),
      "Time within which a new connection must send its first complete message."),
    OptionField(
      "processor_time_per_call_ns", \EngineLimits.processorTimePerCall, 1...(.infinity),
      "Processor time for one call, one image of a batch or one frame of a stream."),
    OptionField(
      "analysed_faces_per_image", \EngineLimits.analysedFacesPerImage, 1...Double(UInt32.max),
      "Faces per image for which landmarks and other outputs are measured."),
    OptionField(
      "min_image_side", flag: "", \EngineLimits.minImageSide, 1...(.infinity),
      "Smallest width and height of an image, in pixels."),
    OptionField(
      "max_image_side", flag: "", \EngineLimits.maxImageSide, 1...(.infinity),
      "Largest width and height of an image, in pixels."),
    OptionField(
      "drain_timeout_ns", flag: "", \EngineLimits.drainTimeout, 0...(.infinity),
      "How long a stopping engine waits for running calls."),
  ]
  // end of generated

  public init() {}

  /// The limits that `face-engine serve --limit` sets.
  public static let settings = fields.filter { $0.flag != nil }

  /// The limits of an engine that has not sent them: all are 0.
  public static let unknown: EngineLimits = {
    var limits = EngineLimits()
    for field in fields {
      limits[field] = field.kind == .count ? .count(0) : .time(.zero)
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
