import FaceCore
import Wire

/// Prints the state of an engine in the OpenMetrics text format. Source: OpenMetrics 1.0.
enum OpenMetrics {
  private enum Kind: String {
    case gauge, counter, info, summary
  }

  private typealias Labels = [(name: String, value: String)]

  /// The metrics, without the last line feed.
  static func text(_ report: EngineReport) -> String {
    let stats = report.stats
    var lines: [String] = []
    /// - Parameter samples: suffixes, labels and values.
    func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(String, Labels, String)]) {
      if samples.isEmpty { return }
      let name = "face_engine_\(name)"
      lines += ["# TYPE \(name) \(kind.rawValue)", "# HELP \(name) \(help)"]
      lines += samples.map { suffix, labels, value in "\(name)\(suffix)\(text(labels)) \(value)" }
    }
    func gauge(_ name: String, _ help: String, _ value: Int) {
      add(name, .gauge, help, [("", [], "\(value)")])
    }
    func counter(_ name: String, _ help: String, _ value: Int) {
      add(name, .counter, help, [("_total", [], "\(value)")])
    }

    add("build", .info, "The engine.", [("_info", [("version", report.info.version)], "1")])
    add(
      "model", .info, "A model that is loaded.",
      report.info.models.map { model in
        (
          "_info", [("name", model.name), ("role", model.role), ("revision", "\(model.revision)")], "1"
        )
      })
    gauge("serving", "Whether calls are served.", report.health == .serving ? 1 : 0)
    add("uptime_seconds", .gauge, "Since the start.", [("", [], seconds(stats.uptime))])
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
    add(
      "calls", .counter, "Calls, and frames of streams.",
      stats.methods.map { ("_total", [("method", $0.method)], "\($0.calls)") })
    add("call_failures", .counter, "Calls and frames that failed, by code.", codes(stats.methods, \.failures))
    add(
      "streams_ended", .counter, "Streams of frames that ended, by code.", codes(stats.methods, \.ends))
    add(
      "queue_seconds", .summary, "Time from the arrival of a call to its start.",
      stats.methods.flatMap { times($0, $0.queueTime) })
    add(
      "run_seconds", .summary, "Time that calls ran, without the waits between images of a batch.",
      stats.methods.flatMap { times($0, $0.runTime) })
    return (lines + ["# EOF"]).joined(separator: "\n")
  }

  private static func codes(
    _ methods: [MethodStats], _ counts: (MethodStats) -> [StatusCode: Int]
  ) -> [(String, Labels, String)] {
    methods.flatMap { method in
      counts(method).sorted { $0.key.rawValue < $1.key.rawValue }.map { code, count in
        ("_total", [("method", method.method), ("code", "\(code.name)")], "\(count)")
      }
    }
  }

  private static func times(_ method: MethodStats, _ time: DurationSummary) -> [(String, Labels, String)] {
    if time.count == 0 { return [] }
    let label = ("method", method.method)
    return [("0.5", time.p50), ("0.9", time.p90), ("0.99", time.p99), ("1", time.max)].map {
      ("", [label, ("quantile", $0.0)], seconds($0.1))
    } + [("_count", [label], "\(time.count)")]
  }

  private static func seconds(_ span: TimeSpan) -> String { "\(span.seconds)" }

  private static func text(_ labels: Labels) -> String {
    if labels.isEmpty { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ value: String) -> String {
    value.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
  }
}
