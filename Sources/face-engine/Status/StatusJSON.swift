import FaceCore
import Wire

/// How an engine does, for programs. Times are nanoseconds; names are those of the wire.
enum StatusJSON {
  static func object(_ report: EngineReport) -> JSON {
    let stats = report.stats
    return .object([
      ("health", .string("\(report.health.name)")),
      ("version", .string(report.info.version)),
      ("protocol_version", .integer(report.info.protocolVersion)),
      ("socket", .string(report.socket)),
      ("features", .array(report.info.features.map(JSON.string))),
      ("models", .array(report.models.map(model))),
      ("limits", .object(report.limits.map { ($0.name, .integer($0.value)) })),
      ("uptime_ns", .integer(Int(stats.uptime))),
      ("connections", .integer(stats.connections)),
      ("connections_total", .integer(stats.connectionsTotal)),
      ("connections_refused", .integer(stats.connectionsRefused)),
      ("peers_dropped", .integer(stats.peersDropped)),
      ("received_bytes", .integer(stats.receivedBytes)),
      ("sent_bytes", .integer(stats.sentBytes)),
      ("mapped_bytes", .integer(stats.mappedBytes)),
      ("frames_dropped", .integer(stats.framesDropped)),
      ("methods", .array(stats.methods.map(method))),
    ])
  }

  private static func model(_ listed: ListedModel) -> JSON {
    .object([
      "name": .string(listed.model.name), "family": .string(listed.model.family),
      "licence": .string(listed.model.licence), "title": .string(listed.title),
      "loaded": .boolean(listed.isLoaded),
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
