/// Counters of an engine since its start.
public struct EngineStats: Equatable, Sendable {
  public var uptime: TimeSpan = .zero
  /// Connections that are open now.
  public var connections = 0
  /// Connections since the start, refused ones included.
  public var connectionsTotal = 0
  public var connectionsRefused = 0
  /// Connections that the engine closed because the peer did not read or broke the protocol.
  public var peersDropped = 0
  public var receivedBytes = 0
  public var sentBytes = 0
  /// Bytes of shared memory mapped now.
  public var mappedBytes = 0
  /// Frames that were dropped for newer ones, on all streams.
  public var framesDropped = 0
  /// How many times the models' memory was released because no call came.
  public var modelReleases = 0
  /// Calls and frames that wait for a worker now.
  public var queuedCalls = 0
  /// Workers that run a call or a frame now.
  public var busyWorkers = 0
  /// Workers that the engine has now: as many as one user's calls may run on at a time, one for another user,
  /// and more while more users call.
  public var workers = 0
  /// The processes that decode pictures, since this process started.
  public var decoders = DecoderCounts()
  /// Pictures that are decoded now for no call.
  public var abandonedDecodings = 0
  public var methods: [MethodStats] = []

  public init() {}
}

/// Counts and durations of the calls of one method.
public struct MethodStats: Equatable, Sendable {
  /// The full name, as in "faceengine.v1.Detector/Detect".
  public var method: String
  /// Calls, failed ones included. For a stream of frames, its frames count, and streams that were refused.
  public var calls: Int
  public var failures: [StatusCode: Int]
  /// Time from a call's arrival until it runs.
  public var queueTime: DurationSummary
  /// Time that the calls ran.
  public var runTime: DurationSummary
  /// Streams of frames that have ended, by their status: `ok` where the client closed its
  /// side.
  public var ends: [StatusCode: Int]
  /// The durations of `queueTime`; `nil` from an engine that does not count them.
  public var queueBuckets: DurationBuckets?
  /// The durations of `runTime`; `nil` from an engine that does not count them.
  public var runBuckets: DurationBuckets?

  public init(
    method: String, calls: Int, failures: [StatusCode: Int], queueTime: DurationSummary,
    runTime: DurationSummary, ends: [StatusCode: Int] = [:], queueBuckets: DurationBuckets? = nil,
    runBuckets: DurationBuckets? = nil
  ) {
    self.method = method
    self.calls = calls
    self.failures = failures
    self.queueTime = queueTime
    self.runTime = runTime
    self.ends = ends
    self.queueBuckets = queueBuckets
    self.runBuckets = runBuckets
  }
}

/// A summary of many durations, each exact to about 3 %.
public struct DurationSummary: Equatable, Sendable, BitwiseCopyable {
  public var count = 0
  public var p50: TimeSpan = .zero
  public var p90: TimeSpan = .zero
  public var p99: TimeSpan = .zero
  public var max: TimeSpan = .zero

  public init() {}
}
