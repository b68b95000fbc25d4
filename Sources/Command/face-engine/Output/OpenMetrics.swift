import FaceCore
import ResultJSON
import Wire

/// Prints the state of an engine in the OpenMetrics text format.
enum OpenMetrics {
  /// The metrics, without the last line feed.
  static func text(_ report: EngineReport) -> String {
    let stats = report.stats
    var text = MetricsText(isOpenMetrics: true)
    func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
      text.family("face_engine_\(name)", .gauge, help)
      text.sample("face_engine_\(name)", value)
    }
    func counter(_ name: String, _ help: String, _ value: Int) {
      text.family("face_engine_\(name)", .counter, help)
      text.sample("face_engine_\(name)_total", value)
    }

    text.family("face_engine_build", .info, "The engine.")
    text.sample("face_engine_build_info", ["version": report.info.version], 1)
    text.family("face_engine_model", .info, "A model that is loaded.")
    for model in report.info.models {
      text.sample(
        "face_engine_model_info",
        ["name": model.name, "role": model.role, "revision": "\(model.revision)"], 1)
    }
    gauge("serving", "Whether calls are served.", report.health == .serving ? 1 : 0)
    gauge("uptime_seconds", "Since the start.", stats.uptime.seconds)
    gauge("connections", "Open now.", stats.connections)
    counter("connections_opened", "Since the start, including refused ones.", stats.connectionsTotal)
    counter("connections_refused", "Since the start.", stats.connectionsRefused)
    counter("peers_dropped", "Connections that the engine closed.", stats.peersDropped)
    counter("received_bytes", "From all clients.", stats.receivedBytes)
    counter("sent_bytes", "To all clients.", stats.sentBytes)
    gauge("mapped_bytes", "Shared memory that is mapped now.", stats.mappedBytes)
    counter("frames_dropped", "Frames dropped for newer ones.", stats.framesDropped)
    counter(
      "model_releases", "Times that the memory of the models was released because no call came.",
      stats.modelReleases)
    gauge("queued_calls", "Calls and frames that wait for a worker now.", stats.queuedCalls)
    gauge("busy_workers", "Workers that run a call or a frame now.", stats.busyWorkers)
    gauge("workers", "Workers now; there are more while more users call.", stats.workers)
    gauge("busy_decoders", "Processes that decode a picture now.", stats.decoders.busy)
    counter(
      "decoders_killed", "Decoder processes killed because their call ended early.", stats.decoders.killed)
    counter(
      "decoders_lost", "Decoder processes that ended by themselves while decoding.", stats.decoders.lost)
    gauge(
      "abandoned_decodings", "Pictures that are still being decoded after their call ended.",
      stats.abandonedDecodings)
    text.family("face_engine_calls", .counter, "Calls, and frames of streams.")
    for method in stats.methods {
      text.sample("face_engine_calls_total", ["method": method.method], method.calls)
    }
    text.counts(
      "face_engine_call_failures", "Calls and frames that failed, by code.", stats.methods, \.failures)
    text.counts("face_engine_streams_ended", "Streams of frames that ended, by code.", stats.methods, \.ends)
    text.add("queue_seconds", "Time from the arrival of a call to its start.", stats.methods, \.queueTime)
    text.add(
      "run_seconds", "Time that calls ran, without the waits between images of a batch.", stats.methods,
      \.runTime)
    text.end()
    return String(text.text.dropLast())
  }
}

extension MetricsText {
  fileprivate mutating func add(
    _ name: String, _ help: String, _ methods: [MethodStats], _ path: KeyPath<MethodStats, DurationSummary>
  ) {
    let name = "face_engine_\(name)"
    family(name, .summary, help)
    for method in methods where method[keyPath: path].count > 0 {
      let time = method[keyPath: path]
      for (quantile, span) in [("0.5", time.p50), ("0.9", time.p90), ("0.99", time.p99), ("1", time.max)] {
        sample(name, ["method": method.method, "quantile": quantile], span.seconds)
      }
      sample(name + "_count", ["method": method.method], time.count)
    }
  }
}
