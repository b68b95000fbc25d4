import FaceCore
import ResultJSON
import Wire

/// Prints the state of an engine as text.
enum StatusTable {
  static func text(_ report: EngineReport) -> String {
    let stats = report.stats
    var lines = [
      "face-engine \(report.info.version) at \(report.socket): \(report.health.name), "
        + "up \(DurationText.of(stats.uptime))",
      "",
    ]
    for model in report.models {
      let state = model.isLoaded ? "loaded   " : "available"
      let engine = model.model.engine.isEmpty ? "" : "; runs on \(model.model.engine)"
      let name = "\(model.model.name), \(model.model.licence)"
      lines.append("model        \(state)  \(name)  \(model.title)\(engine)")
    }
    if report.info.hasReleasedModels {
      lines.append("idle         the models' memory is released until the next call")
    }
    let sandbox = report.info.sandbox
    lines.append("sandbox      \(sandbox.isEmpty ? "none" : sandbox.joined(separator: ", "))")
    lines += limits(report.info.limits)
    lines += [
      "connections  \(stats.connections) open, \(stats.connectionsTotal) since the start, "
        + "\(stats.connectionsRefused) refused, \(stats.peersDropped) dropped",
      "data         \(ByteText.of(stats.receivedBytes)) received, \(ByteText.of(stats.sentBytes)) sent, "
        + "\(ByteText.of(stats.mappedBytes)) mapped",
      "frames       \(stats.framesDropped) dropped for newer ones",
      "workers      \(stats.busyWorkers) of \(stats.workers) busy, \(stats.queuedCalls) calls wait",
      "decoders     \(stats.decoders.busy) busy, \(stats.decoders.killed) killed, \(stats.decoders.lost) lost, "
        + "\(stats.abandonedDecodings) decodings without a call",
      "",
      table(stats.methods),
    ]
    return lines.joined(separator: "\n")
  }

  /// The limits that the engine reports, by the names that `serve --limit` takes.
  private static func limits(_ limits: EngineLimits) -> [String] {
    let shown = EngineLimits.fields.compactMap { field -> (name: String, value: String)? in
      let name = field.flag ?? "\(field.name)".replacing("_ns", with: "").replacing("_", with: "-")
      switch limits[field] {
      case .count(0), .number(0), .time(.zero): return nil
      case .count(let value): return (name, name.contains("bytes") ? ByteText.of(value) : "\(value)")
      case .number(let value): return (name, "\(value)")
      case .time(let value): return (name, "\(Seconds(value)) s")
      }
    }
    let width = shown.map(\.name.count).max() ?? 0
    return shown.map { "limit        \(padded($0.name, width + 2))\($0.value)" }
  }

  private static func table(_ methods: [MethodStats]) -> String {
    if methods.isEmpty { return "no calls yet" }
    var rows = [
      ["method", "calls", "failed", "queue p50", "p90", "p99", "max", "run p50", "p90", "p99", "max"]
    ]
    for method in methods {
      let name = method.method.split(separator: ".").last.map(String.init) ?? method.method
      let failed = method.failures.values.reduce(0) { $0 &+ $1 }
      rows.append([name, "\(method.calls)", "\(failed)"] + cells(method.queueTime) + cells(method.runTime))
      for failure in method.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        rows.append(["  \(failure.key.name)", "", "\(failure.value)"])
      }
      for end in method.ends.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        rows.append(["  ended \(end.key.name)", "\(end.value)"])
      }
    }
    let names = rows.map { $0[0].count }.max() ?? 0
    return rows.map { cells in
      let numbers = cells.dropFirst().map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }
      return padded(cells[0], names) + numbers.joined()
    }.joined(separator: "\n")
  }

  private static func cells(_ times: DurationSummary) -> [String] {
    if times.count == 0 { return ["-", "-", "-", "-"] }
    return [times.p50, times.p90, times.p99, times.max].map(DurationText.of)
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// Prints the state of an engine as JSON, with times in nanoseconds and the names of the protocol.
enum StatusJSON {
  static func object(_ report: EngineReport) -> JSON {
    let stats = report.stats
    return .object([
      ("health", .string("\(report.health.name)")),
      ("version", .string(report.info.version)),
      ("protocol_version", .integer(report.info.protocolVersion)),
      ("socket", .string(report.socket)),
      ("features", .array(report.info.features.map(JSON.string))),
      ("sandbox", .array(report.info.sandbox.map(JSON.string))),
      ("models", .array(report.models.map(model))),
      ("models_released", .boolean(report.info.hasReleasedModels)),
      ("model_releases", .integer(stats.modelReleases)),
      ("limits", .object(report.limits.map { ($0.name, .integer($0.value)) })),
      ("uptime_ns", JSON(stats.uptime)),
      ("connections", .integer(stats.connections)),
      ("connections_total", .integer(stats.connectionsTotal)),
      ("connections_refused", .integer(stats.connectionsRefused)),
      ("peers_dropped", .integer(stats.peersDropped)),
      ("received_bytes", .integer(stats.receivedBytes)),
      ("sent_bytes", .integer(stats.sentBytes)),
      ("mapped_bytes", .integer(stats.mappedBytes)),
      ("frames_dropped", .integer(stats.framesDropped)),
      ("queued_calls", .integer(stats.queuedCalls)),
      ("busy_workers", .integer(stats.busyWorkers)),
      ("workers", .integer(stats.workers)),
      ("busy_decoders", .integer(stats.decoders.busy)),
      ("decoders_killed", .integer(stats.decoders.killed)),
      ("decoders_lost", .integer(stats.decoders.lost)),
      ("abandoned_decodings", .integer(stats.abandonedDecodings)),
      ("methods", .array(stats.methods.map(method))),
    ])
  }

  private static func model(_ listed: ListedModel) -> JSON {
    .object([
      "name": .string(listed.model.name), "family": .string(listed.model.family),
      "licence": .string(listed.model.licence), "title": .string(listed.title),
      "loaded": .boolean(listed.isLoaded), "revision": .integer(listed.model.revision),
      "engine": .string(listed.model.engine),
    ])
  }

  private static func counts(_ counts: [StatusCode: Int]) -> JSON {
    .object(
      counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ("\($0.key.name)", .integer($0.value)) })
  }

  private static func method(_ stats: MethodStats) -> JSON {
    .object([
      "method": .string(stats.method), "calls": .integer(stats.calls),
      "failures": counts(stats.failures), "ends": counts(stats.ends),
      "queue_time": JSON(stats.queueTime), "run_time": JSON(stats.runTime),
    ])
  }
}
