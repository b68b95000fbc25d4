import CProtocol
package import FaceCore

/// The messages of `Admin/TakeOver`.
package enum TakeOverCall: UnaryCall {
  package enum Step: UInt32, Sendable {
    case begin = 1
    case end = 2
    case prepare = 3
  }

  package struct Response: Equatable, Sendable {
    package var ownsSocketFile: Bool
    package var counters: EngineCounters

    package init(ownsSocketFile: Bool = false, counters: EngineCounters) {
      self.ownsSocketFile = ownsSocketFile
      self.counters = counters
    }
  }

  package static let coding = CallCoding(
    .takeOver,
    MessageCoding<Step>(
      Faceengine__V1__TakeOverRequest.self,
      encode: { step, message, _ in message.step = .init(step.rawValue) },
      decode: { (message) throws(Status) in
        try Decoder.known(message.step.rawValue, "step", send: "PREPARE, BEGIN or END")
      }),
    // A count has a byte encoded and 8 decoded, a CodeCount 2 and 60.
    MessageCoding<Response>(growth: 64))
}

extension TakeOverCall.Response: WireValue {
  func encode(into message: inout Faceengine__V1__TakeOverResponse, _ arena: Arena) {
    message.owns_socket_file = ownsSocketFile ? 1 : 0
    let part = arena.message(counters)
    (part.pointee.n_methods, part.pointee.methods) = arena.list(counters.methods.sorted { $0.key < $1.key }) {
      let method = arena.message($0.value)
      method.pointee.method = arena.string($0.key)
      return method
    }
    message.counters = part
  }

  init(decoding message: Faceengine__V1__TakeOverResponse) throws(Status) {
    self.init(ownsSocketFile: message.owns_socket_file != 0, counters: try Decoder.value(message.counters))
    guard let part = message.counters?.pointee else { return }
    for index in 0..<part.n_methods {
      guard let method = part.methods[index]?.pointee else { continue }
      counters.methods[try Decoder.text(method.method, "method")] = try MethodCounters(decoding: method)
    }
  }
}

// generated: swift-coding EngineCounters Counters assigned methods=
extension EngineCounters: WireValue {
  func encode(into message: inout Faceengine__V1__Counters, _ arena: Arena) {
    message.uptime_ns = UInt64(clamping: uptime)
    message.connections_total = UInt64(clamping: connectionsTotal)
    message.connections_refused = UInt64(clamping: connectionsRefused)
    message.peers_dropped = UInt64(clamping: peersDropped)
    message.received_bytes = UInt64(clamping: receivedBytes)
    message.sent_bytes = UInt64(clamping: sentBytes)
    message.frames_dropped = UInt64(clamping: framesDropped)
    message.model_releases = UInt64(clamping: modelReleases)
    message.next_connection = UInt64(clamping: nextConnection)
  }

  init(decoding message: Faceengine__V1__Counters) throws(Status) {
    self.init()
    uptime = .init(clamping: message.uptime_ns)
    connectionsTotal = .init(clamping: message.connections_total)
    connectionsRefused = .init(clamping: message.connections_refused)
    peersDropped = .init(clamping: message.peers_dropped)
    receivedBytes = .init(clamping: message.received_bytes)
    sentBytes = .init(clamping: message.sent_bytes)
    framesDropped = .init(clamping: message.frames_dropped)
    modelReleases = .init(clamping: message.model_releases)
    nextConnection = .init(clamping: message.next_connection)
  }
}
// end of generated

extension MethodCounters: WireValue {
  func encode(into message: inout Faceengine__V1__MethodCounters, _ arena: Arena) {
    message.calls = UInt64(clamping: calls)
    (message.n_failures, message.failures) = arena.list(CodeCount.list(failures))
    (message.n_ends, message.ends) = arena.list(CodeCount.list(ends))
    let (queueTime, runTime) = (arena.message(queueTime), arena.message(runTime))
    queueTime.pointee.buckets = queueBuckets.message(arena)
    runTime.pointee.buckets = runBuckets.message(arena)
    (message.queue_time, message.run_time) = (queueTime, runTime)
  }

  init(decoding message: Faceengine__V1__MethodCounters) throws(Status) {
    self.init()
    calls = Int(clamping: message.calls)
    failures = CodeCount.counts(try Decoder.list(message.failures, message.n_failures))
    ends = CodeCount.counts(try Decoder.list(message.ends, message.n_ends))
    queueTime = try Decoder.value(message.queue_time)
    runTime = try Decoder.value(message.run_time)
    // Of an engine that does not count them, they begin at 0.
    queueBuckets = DurationBuckets(message.queue_time?.pointee.buckets?.pointee) ?? queueBuckets
    runBuckets = DurationBuckets(message.run_time?.pointee.buckets?.pointee) ?? runBuckets
  }
}

extension Histogram: WireValue {
  func encode(into message: inout Faceengine__V1__DurationCounts, _ arena: Arena) {
    (message.n_counts, message.counts) = arena.list(counts) { $0 }
    message.longest_ns = UInt64(clamping: longestDuration)
  }

  init(decoding message: Faceengine__V1__DurationCounts) throws(Status) {
    self.init(
      counts: Array(UnsafeBufferPointer(start: message.counts, count: message.n_counts)),
      longest: .init(clamping: message.longest_ns))
  }
}
