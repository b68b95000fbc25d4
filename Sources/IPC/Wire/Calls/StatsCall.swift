import CProtocol
public import FaceCore

/// The messages of `Admin/Stats`.
public enum StatsCall: UnaryCall {
  // A CodeCount has 6 bytes encoded and 60 decoded.
  public static let coding = CallCoding(
    .stats, MessageCoding(empty: Faceengine__V1__StatsRequest.self), MessageCoding<EngineStats>(growth: 16))
}

// generated: swift-coding EngineStats StatsResponse assigned busy_decoders=decoders.busy decoders_killed=decoders.killed decoders_lost=decoders.lost
extension EngineStats: WireValue {
  func encode(into message: inout Faceengine__V1__StatsResponse, _ arena: Arena) {
    message.uptime_ns = UInt64(clamping: uptime)
    message.connections = UInt32(clamping: connections)
    message.connections_total = UInt64(clamping: connectionsTotal)
    message.connections_refused = UInt64(clamping: connectionsRefused)
    message.peers_dropped = UInt64(clamping: peersDropped)
    message.received_bytes = UInt64(clamping: receivedBytes)
    message.sent_bytes = UInt64(clamping: sentBytes)
    message.mapped_bytes = UInt64(clamping: mappedBytes)
    message.frames_dropped = UInt64(clamping: framesDropped)
    (message.n_methods, message.methods) = arena.list(methods)
    message.queued_calls = UInt32(clamping: queuedCalls)
    message.busy_workers = UInt32(clamping: busyWorkers)
    message.workers = UInt32(clamping: workers)
    message.model_releases = UInt64(clamping: modelReleases)
    message.busy_decoders = UInt32(clamping: decoders.busy)
    message.decoders_killed = UInt64(clamping: decoders.killed)
    message.decoders_lost = UInt64(clamping: decoders.lost)
    message.abandoned_decodings = UInt32(clamping: abandonedDecodings)
  }

  init(decoding message: Faceengine__V1__StatsResponse) throws(Status) {
    self.init()
    uptime = .init(clamping: message.uptime_ns)
    connections = .init(clamping: message.connections)
    connectionsTotal = .init(clamping: message.connections_total)
    connectionsRefused = .init(clamping: message.connections_refused)
    peersDropped = .init(clamping: message.peers_dropped)
    receivedBytes = .init(clamping: message.received_bytes)
    sentBytes = .init(clamping: message.sent_bytes)
    mappedBytes = .init(clamping: message.mapped_bytes)
    framesDropped = .init(clamping: message.frames_dropped)
    methods = try Decoder.list(message.methods, message.n_methods)
    queuedCalls = .init(clamping: message.queued_calls)
    busyWorkers = .init(clamping: message.busy_workers)
    workers = .init(clamping: message.workers)
    modelReleases = .init(clamping: message.model_releases)
    decoders.busy = .init(clamping: message.busy_decoders)
    decoders.killed = .init(clamping: message.decoders_killed)
    decoders.lost = .init(clamping: message.decoders_lost)
    abandonedDecodings = .init(clamping: message.abandoned_decodings)
  }
}
// end of generated

// generated: swift-coding DurationSummary Histogram assigned buckets=
extension DurationSummary: WireValue {
  func encode(into message: inout Faceengine__V1__Histogram, _ arena: Arena) {
    message.count = UInt64(clamping: count)
    message.p50 = UInt64(clamping: p50)
    message.p90 = UInt64(clamping: p90)
    message.p99 = UInt64(clamping: p99)
    message.max = UInt64(clamping: max)
  }

  init(decoding message: Faceengine__V1__Histogram) throws(Status) {
    self.init()
    count = .init(clamping: message.count)
    p50 = .init(clamping: message.p50)
    p90 = .init(clamping: message.p90)
    p99 = .init(clamping: message.p99)
    max = .init(clamping: message.max)
  }
}
// end of generated

extension MethodStats: WireValue {
  func encode(into message: inout Faceengine__V1__MethodStats, _ arena: Arena) {
    message.method = arena.string(method)
    message.calls = UInt64(clamping: calls)
    (message.n_failures, message.failures) = arena.list(CodeCount.list(failures))
    (message.n_ends, message.ends) = arena.list(CodeCount.list(ends))
    let (queueTime, runTime) = (arena.message(queueTime), arena.message(runTime))
    queueTime.pointee.buckets = queueBuckets?.message(arena)
    runTime.pointee.buckets = runBuckets?.message(arena)
    (message.queue_time, message.run_time) = (queueTime, runTime)
  }

  init(decoding message: Faceengine__V1__MethodStats) throws(Status) {
    self.init(
      method: try Decoder.text(message.method, "method"), calls: Int(clamping: message.calls),
      failures: CodeCount.counts(try Decoder.list(message.failures, message.n_failures)),
      queueTime: try Decoder.value(message.queue_time), runTime: try Decoder.value(message.run_time),
      ends: CodeCount.counts(try Decoder.list(message.ends, message.n_ends)),
      queueBuckets: DurationBuckets(message.queue_time?.pointee.buckets?.pointee),
      runBuckets: DurationBuckets(message.run_time?.pointee.buckets?.pointee))
  }
}

/// How many calls ended with a code.
struct CodeCount {
  let code: Int32
  let count: Int

  /// The counts in the order of their codes.
  static func list(_ counts: [StatusCode: Int]) -> [CodeCount] {
    counts.map { CodeCount(code: $0.key.rawValue, count: $0.value) }.sorted { $0.code < $1.code }
  }

  static func counts(_ list: [CodeCount]) -> [StatusCode: Int] {
    // Two codes that are unknown here are merged.
    list.reduce(into: [:]) { counts, entry in
      let code = StatusCode(rawValue: entry.code) ?? .unknown
      let (count, overflow) = counts[code, default: 0].addingReportingOverflow(entry.count)
      counts[code] = overflow ? .max : count
    }
  }
}

// generated: swift-coding CodeCount CodeCount
extension CodeCount: WireValue {
  func encode(into message: inout Faceengine__V1__CodeCount, _ arena: Arena) {
    message.code = code
    message.count = UInt64(clamping: count)
  }

  init(decoding message: Faceengine__V1__CodeCount) throws(Status) {
    self.init(
      code: message.code,
      count: .init(clamping: message.count))
  }
}
// end of generated

extension DurationBuckets {
  func message(_ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__DurationBuckets> {
    let message = arena.message(Faceengine__V1__DurationBuckets.self)
    (message.pointee.n_bounds_ns, message.pointee.bounds_ns) = arena.list(bounds) { UInt64(clamping: $0) }
    (message.pointee.n_counts, message.pointee.counts) = arena.list(counts) { $0 }
    message.pointee.sum_ns = UInt64(clamping: sum)
    return message
  }

  /// Returns `nil` also for bounds and counts that do not belong together.
  init?(_ message: Faceengine__V1__DurationBuckets?) {
    guard let message else { return nil }
    self.init(
      bounds: UnsafeBufferPointer(start: message.bounds_ns, count: message.n_bounds_ns).map {
        .init(clamping: $0)
      },
      counts: Array(UnsafeBufferPointer(start: message.counts, count: message.n_counts)),
      sum: .init(clamping: message.sum_ns))
  }
}
