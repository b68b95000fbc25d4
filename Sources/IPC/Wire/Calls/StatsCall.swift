import CProtocol
public import FaceCore

/// The messages of `Admin/Stats`.
public enum StatsCall {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .stats, call, arena.message(Faceengine__V1__StatsRequest.self), limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` if the payload is not such a message; it has no fields yet.
  public static func request(_ payload: Span<UInt8>) throws(Status) {
    try Decoder.decode(Faceengine__V1__StatsRequest.self, payload) { _ in }
  }

  public static func responseFrame(stream: UInt32, _ stats: EngineStats) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__StatsResponse.self)
    response.pointee.uptime_ns = UInt64(clamping: stats.uptime)
    response.pointee.connections = UInt32(clamping: stats.connections)
    response.pointee.connections_total = UInt64(clamping: stats.connectionsTotal)
    response.pointee.connections_refused = UInt64(clamping: stats.connectionsRefused)
    response.pointee.peers_dropped = UInt64(clamping: stats.peersDropped)
    response.pointee.received_bytes = UInt64(clamping: stats.receivedBytes)
    response.pointee.sent_bytes = UInt64(clamping: stats.sentBytes)
    response.pointee.mapped_bytes = UInt64(clamping: stats.mappedBytes)
    response.pointee.frames_dropped = UInt64(clamping: stats.framesDropped)
    response.pointee.model_releases = UInt64(clamping: stats.modelReleases)
    response.pointee.queued_calls = UInt32(clamping: stats.queuedCalls)
    response.pointee.busy_workers = UInt32(clamping: stats.busyWorkers)
    response.pointee.workers = UInt32(clamping: stats.workers)
    response.pointee.busy_decoders = UInt32(clamping: stats.decoders.busy)
    response.pointee.decoders_killed = UInt64(clamping: stats.decoders.killed)
    response.pointee.decoders_lost = UInt64(clamping: stats.decoders.lost)
    response.pointee.abandoned_decodings = UInt32(clamping: stats.abandonedDecodings)
    (response.pointee.n_methods, response.pointee.methods) = arena.list(stats.methods) { encode($0, arena) }
    return try CallFrame.response(stream: stream, response)
  }

  private static func encode(
    _ stats: MethodStats, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__MethodStats> {
    let message = arena.message(Faceengine__V1__MethodStats.self)
    message.pointee.method = arena.string(stats.method)
    message.pointee.calls = UInt64(clamping: stats.calls)
    (message.pointee.n_failures, message.pointee.failures) = encode(stats.failures, arena)
    (message.pointee.n_ends, message.pointee.ends) = encode(stats.ends, arena)
    message.pointee.queue_time = encode(stats.queueTime, stats.queueBuckets, arena)
    message.pointee.run_time = encode(stats.runTime, stats.runBuckets, arena)
    return message
  }

  static func encode(
    _ counts: [StatusCode: Int], _ arena: Arena
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Faceengine__V1__CodeCount>?>) {
    arena.list(counts.sorted { $0.key.rawValue < $1.key.rawValue }) { code, count in
      let message = arena.message(Faceengine__V1__CodeCount.self)
      message.pointee.code = code.rawValue
      message.pointee.count = UInt64(clamping: count)
      return message
    }
  }

  private static func encode(
    _ summary: DurationSummary, _ buckets: DurationBuckets?, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__Histogram> {
    let message = arena.message(Faceengine__V1__Histogram.self)
    message.pointee.count = UInt64(clamping: summary.count)
    message.pointee.p50 = UInt64(clamping: summary.p50)
    message.pointee.p90 = UInt64(clamping: summary.p90)
    message.pointee.p99 = UInt64(clamping: summary.p99)
    message.pointee.max = UInt64(clamping: summary.max)
    if let buckets { message.pointee.buckets = encode(buckets, arena) }
    return message
  }

  static func encode(
    _ buckets: DurationBuckets, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__DurationBuckets> {
    let message = arena.message(Faceengine__V1__DurationBuckets.self)
    message.pointee.n_bounds_ns = buckets.bounds.count
    message.pointee.bounds_ns = arena.allocate(UInt64.self, count: buckets.bounds.count)
    for (index, bound) in buckets.bounds.enumerated() {
      message.pointee.bounds_ns[index] = UInt64(clamping: bound)
    }
    message.pointee.n_counts = buckets.counts.count
    message.pointee.counts = arena.allocate(UInt64.self, count: buckets.counts.count)
    for (index, count) in buckets.counts.enumerated() { message.pointee.counts[index] = count }
    message.pointee.sum_ns = UInt64(clamping: buckets.sum)
    return message
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> EngineStats {
    // A CodeCount has 6 bytes encoded and 60 decoded.
    try Decoder.decode(Faceengine__V1__StatsResponse.self, payload, growth: 16) { (response) throws(Status) in
      var stats = EngineStats()
      stats.uptime = Int64(clamping: response.uptime_ns)
      stats.connections = Int(response.connections)
      stats.connectionsTotal = Int(clamping: response.connections_total)
      stats.connectionsRefused = Int(clamping: response.connections_refused)
      stats.peersDropped = Int(clamping: response.peers_dropped)
      stats.receivedBytes = Int(clamping: response.received_bytes)
      stats.sentBytes = Int(clamping: response.sent_bytes)
      stats.mappedBytes = Int(clamping: response.mapped_bytes)
      stats.framesDropped = Int(clamping: response.frames_dropped)
      stats.modelReleases = Int(clamping: response.model_releases)
      stats.queuedCalls = Int(response.queued_calls)
      stats.busyWorkers = Int(response.busy_workers)
      stats.workers = Int(response.workers)
      stats.decoders.busy = Int(response.busy_decoders)
      stats.decoders.killed = Int(clamping: response.decoders_killed)
      stats.decoders.lost = Int(clamping: response.decoders_lost)
      stats.abandonedDecodings = Int(response.abandoned_decodings)
      for index in 0..<response.n_methods {
        guard let method = response.methods[index]?.pointee else { continue }
        stats.methods.append(try decode(method))
      }
      return stats
    }
  }

  private static func decode(_ message: Faceengine__V1__MethodStats) throws(Status) -> MethodStats {
    MethodStats(
      method: try Decoder.text(message.method, "method"), calls: Int(clamping: message.calls),
      failures: decode(message.failures, message.n_failures),
      queueTime: decode(message.queue_time?.pointee), runTime: decode(message.run_time?.pointee),
      ends: decode(message.ends, message.n_ends),
      queueBuckets: decode(message.queue_time?.pointee.buckets?.pointee),
      runBuckets: decode(message.run_time?.pointee.buckets?.pointee))
  }

  static func decode(
    _ messages: UnsafeMutablePointer<UnsafeMutablePointer<Faceengine__V1__CodeCount>?>?, _ number: Int
  ) -> [StatusCode: Int] {
    var counts: [StatusCode: Int] = [:]
    for index in 0..<number {
      guard let message = messages?[index]?.pointee else { continue }
      // Two codes that are unknown here are merged.
      let code = StatusCode(rawValue: message.code) ?? .unknown
      let (count, overflow) = counts[code, default: 0].addingReportingOverflow(Int(clamping: message.count))
      counts[code] = overflow ? .max : count
    }
    return counts
  }

  private static func decode(_ message: Faceengine__V1__Histogram?) -> DurationSummary {
    var summary = DurationSummary()
    guard let message else { return summary }
    summary.count = Int(clamping: message.count)
    summary.p50 = Int64(clamping: message.p50)
    summary.p90 = Int64(clamping: message.p90)
    summary.p99 = Int64(clamping: message.p99)
    summary.max = Int64(clamping: message.max)
    return summary
  }

  /// Returns `nil` also for bounds and counts that do not belong together.
  static func decode(_ message: Faceengine__V1__DurationBuckets?) -> DurationBuckets? {
    guard let message else { return nil }
    return DurationBuckets(
      bounds: UnsafeBufferPointer(start: message.bounds_ns, count: message.n_bounds_ns).map {
        Int64(clamping: $0)
      },
      counts: Array(UnsafeBufferPointer(start: message.counts, count: message.n_counts)),
      sum: Int64(clamping: message.sum_ns))
  }
}
