import CProtocol
package import FaceCore

/// The messages of `Admin/TakeOver`.
package enum TakeOverCall {
  package enum Step: Sendable {
    case begin
    case end
  }

  package struct Response: Equatable, Sendable {
    package var ownsSocketFile: Bool
    package var counters: EngineCounters

    package init(ownsSocketFile: Bool = false, counters: EngineCounters) {
      self.ownsSocketFile = ownsSocketFile
      self.counters = counters
    }
  }

  package static func requestFrame(_ call: CallHeader, _ step: Step) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__TakeOverRequest.self)
    request.pointee.step =
      step == .begin
      ? FACEENGINE__V1__TAKE_OVER_STEP__TAKE_OVER_STEP_BEGIN
      : FACEENGINE__V1__TAKE_OVER_STEP__TAKE_OVER_STEP_END
    return try CallFrame.request(.takeOver, call, request, limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` for an unknown step.
  package static func request(_ payload: Span<UInt8>) throws(Status) -> Step {
    try Decoder.decode(Faceengine__V1__TakeOverRequest.self, payload) { (request) throws(Status) in
      switch request.step {
      case FACEENGINE__V1__TAKE_OVER_STEP__TAKE_OVER_STEP_BEGIN: return .begin
      case FACEENGINE__V1__TAKE_OVER_STEP__TAKE_OVER_STEP_END: return .end
      default:
        throw Status(
          .invalidArgument, "the step of taking over is unknown; send BEGIN or END", .field("step"))
      }
    }
  }

  package static func responseFrame(stream: UInt32, _ response: Response) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let message = arena.message(Faceengine__V1__TakeOverResponse.self)
    message.pointee.owns_socket_file = response.ownsSocketFile ? 1 : 0
    message.pointee.counters = encode(response.counters, arena)
    return try CallFrame.response(stream: stream, message)
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
  package static func response(_ payload: Span<UInt8>) throws(Status) -> Response {
    // A count has a byte encoded and 8 decoded, a CodeCount 2 and 60.
    try Decoder.decode(Faceengine__V1__TakeOverResponse.self, payload, growth: 64) {
      (message) throws(Status) in
      Response(
        ownsSocketFile: message.owns_socket_file != 0, counters: try decode(message.counters?.pointee))
    }
  }

  private static func encode(
    _ counters: EngineCounters, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__Counters> {
    let message = arena.message(Faceengine__V1__Counters.self)
    message.pointee.uptime_ns = UInt64(clamping: counters.uptime)
    message.pointee.connections_total = UInt64(clamping: counters.connectionsTotal)
    message.pointee.connections_refused = UInt64(clamping: counters.connectionsRefused)
    message.pointee.peers_dropped = UInt64(clamping: counters.peersDropped)
    message.pointee.received_bytes = UInt64(clamping: counters.receivedBytes)
    message.pointee.sent_bytes = UInt64(clamping: counters.sentBytes)
    message.pointee.frames_dropped = UInt64(clamping: counters.framesDropped)
    message.pointee.model_releases = UInt64(clamping: counters.modelReleases)
    message.pointee.next_connection = counters.nextConnection
    let methods = counters.methods.sorted { $0.key < $1.key }
    (message.pointee.n_methods, message.pointee.methods) = arena.list(methods) { name, counters in
      let method = arena.message(Faceengine__V1__MethodCounters.self)
      method.pointee.method = arena.string(name)
      method.pointee.calls = UInt64(clamping: counters.calls)
      (method.pointee.n_failures, method.pointee.failures) = StatsCall.encode(counters.failures, arena)
      (method.pointee.n_ends, method.pointee.ends) = StatsCall.encode(counters.ends, arena)
      method.pointee.queue_time = encode(counters.queueTime, counters.queueBuckets, arena)
      method.pointee.run_time = encode(counters.runTime, counters.runBuckets, arena)
      return method
    }
    return message
  }

  private static func encode(
    _ durations: Histogram, _ buckets: DurationBuckets, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__DurationCounts> {
    let message = arena.message(Faceengine__V1__DurationCounts.self)
    message.pointee.n_counts = durations.counts.count
    message.pointee.counts = arena.allocate(UInt64.self, count: durations.counts.count)
    for (index, count) in durations.counts.enumerated() { message.pointee.counts[index] = count }
    message.pointee.longest_ns = UInt64(clamping: durations.longestDuration)
    message.pointee.buckets = StatsCall.encode(buckets, arena)
    return message
  }

  private static func decode(_ message: Faceengine__V1__Counters?) throws(Status) -> EngineCounters {
    var counters = EngineCounters()
    guard let message else { return counters }
    counters.uptime = Int64(clamping: message.uptime_ns)
    counters.connectionsTotal = Int(clamping: message.connections_total)
    counters.connectionsRefused = Int(clamping: message.connections_refused)
    counters.peersDropped = Int(clamping: message.peers_dropped)
    counters.receivedBytes = Int(clamping: message.received_bytes)
    counters.sentBytes = Int(clamping: message.sent_bytes)
    counters.framesDropped = Int(clamping: message.frames_dropped)
    counters.modelReleases = Int(clamping: message.model_releases)
    counters.nextConnection = message.next_connection
    for index in 0..<message.n_methods {
      guard let method = message.methods[index]?.pointee else { continue }
      var counts = MethodCounters()
      counts.calls = Int(clamping: method.calls)
      counts.failures = StatsCall.decode(method.failures, method.n_failures)
      counts.ends = StatsCall.decode(method.ends, method.n_ends)
      counts.queueTime = decode(method.queue_time?.pointee)
      counts.runTime = decode(method.run_time?.pointee)
      // Of an engine that does not count them, they begin at 0.
      if let buckets = StatsCall.decode(method.queue_time?.pointee.buckets?.pointee) {
        counts.queueBuckets = buckets
      }
      if let buckets = StatsCall.decode(method.run_time?.pointee.buckets?.pointee) {
        counts.runBuckets = buckets
      }
      counters.methods[try Decoder.text(method.method, "method")] = counts
    }
    return counters
  }

  private static func decode(_ message: Faceengine__V1__DurationCounts?) -> Histogram {
    guard let message else { return Histogram() }
    return Histogram(
      counts: Array(UnsafeBufferPointer(start: message.counts, count: message.n_counts)),
      longest: Int64(clamping: message.longest_ns))
  }
}
