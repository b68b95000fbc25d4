package import EngineLink
import FaceCore
package import GatewayHTTP
package import GatewayServing
import Glibc
package import NIOCore
import Posix
import ResultJSON

/// The page `/metrics`: the data of the engine's Admin/Stats and Admin/Info, and the gateway's own counters.
package struct MetricsPage: HTTPSection {
  package let failsAsText = false
  let calls: FaceCalls
  let counters: GatewayCounters
  let gauges: NIOLoopBoundBox<GatewayGauges>

  package init(calls: FaceCalls, counters: GatewayCounters, gauges: NIOLoopBoundBox<GatewayGauges>) {
    self.calls = calls
    self.counters = counters
    self.gauges = gauges
  }

  package func find(_ call: HTTPCallHead) throws -> HTTPRoutes.Route {
    guard call.path.count == 1 else { throw HTTPRoutes.nothing }
    try call.require(["GET"])
    return HTTPRoutes.Route(name: "GET /metrics") { await answer(accept: $0.header("accept")) }
  }

  /// - Parameter accept: the header of that name. If the engine is gone, the page reports it as down.
  private func answer(accept: String?) async -> HTTPAnswer {
    let isOpenMetrics = accept?.contains("application/openmetrics-text") == true
    var text = MetricsText(isOpenMetrics: isOpenMetrics)
    let stats = try? await calls.stats()
    let info = stats == nil ? nil : try? await calls.info()
    text.family("face_engine_up", .gauge, "Whether the engine answers.")
    text.sample("face_engine_up", stats == nil ? 0 : 1)
    if let info { describe(info, &text) }
    if let stats { describe(stats, &text) }
    let (gauges, loop) = (gauges, calls.engine.loop)
    describeGateway((try? await loop.submit { gauges.value.read() }.get()) ?? [], &text)
    text.end()
    return HTTPAnswer(
      type: isOpenMetrics
        ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
        : "text/plain; version=0.0.4; charset=utf-8",
      body: ByteBuffer(string: text.text))
  }

  private func describe(_ info: EngineInfo, _ text: inout MetricsText) {
    text.family("face_engine", .info, "The engine.")
    text.sample(
      "face_engine_info", ["version": info.version, "protocol_version": "\(info.protocolVersion)"], 1)
    text.family("face_engine_model", .info, "A model that is loaded.")
    for model in info.models {
      text.sample(
        "face_engine_model_info",
        [
          "model": model.name, "role": model.role, "revision": "\(model.revision)", "engine": model.engine,
          "licence": model.licence,
        ], 1)
    }
  }

  private func describe(_ stats: EngineStats, _ text: inout MetricsText) {
    text.family("face_engine_uptime_seconds", .gauge, "Time since the engine's start.", unit: "seconds")
    text.sample("face_engine_uptime_seconds", seconds(stats.uptime))
    let single: [(name: String, kind: MetricsText.Kind, help: String, value: Int)] = [
      ("connections", .gauge, "Connections open now.", stats.connections),
      ("connections_opened", .counter, "Connections since the start.", stats.connectionsTotal),
      ("connections_refused", .counter, "Connections refused.", stats.connectionsRefused),
      ("peers_dropped", .counter, "Connections that the engine closed.", stats.peersDropped),
      ("received_bytes", .counter, "Bytes received on the socket.", stats.receivedBytes),
      ("sent_bytes", .counter, "Bytes sent on the socket.", stats.sentBytes),
      ("mapped_bytes", .gauge, "Shared memory mapped now.", stats.mappedBytes),
      ("frames_dropped", .counter, "Frames of streams dropped for newer ones.", stats.framesDropped),
    ]
    for (name, kind, help, value) in single {
      let full = "face_engine_\(name)"
      text.family(full, kind, help, unit: name.hasSuffix("_bytes") ? "bytes" : nil)
      text.sample(kind == .counter ? full + "_total" : full, value)
    }
    text.family("face_engine_calls", .counter, "Calls, and frames of streams.")
    for method in stats.methods {
      text.sample("face_engine_calls_total", ["method": method.method], method.calls)
    }
    text.counts("face_engine_failures", "Calls and frames that failed, by code.", stats.methods, \.failures)
    text.counts("face_engine_streams_ended", "Streams of frames that ended, by code.", stats.methods, \.ends)
    durations(
      "face_engine_queue_seconds", "Time from the arrival of a call to its start.", stats.methods,
      \.queueBuckets, &text)
    durations(
      "face_engine_run_seconds", "Time from the start of a call to its answer.", stats.methods, \.runBuckets,
      &text)
  }

  private func durations(
    _ name: String, _ help: String, _ methods: [MethodStats], _ path: KeyPath<MethodStats, DurationBuckets?>,
    _ text: inout MetricsText
  ) {
    text.family(name, .histogram, help, unit: "seconds")
    for method in methods {
      guard let buckets = method[keyPath: path] else { continue }
      text.histogram(
        name, ("method", method.method), bounds: buckets.bounds.map(seconds),
        counts: buckets.counts.map { Int($0) },
        sum: seconds(buckets.sum))
    }
  }

  private func describeGateway(_ samples: [GatewayGauges.Sample], _ text: inout MetricsText) {
    let all = counters.all
    text.family("face_gateway", .info, "The gateway.")
    text.sample("face_gateway_info", ["version": "\(EngineVersion.text)"], 1)
    text.family("face_gateway_calls", .counter, "Calls of the gateway's clients, by code.")
    let order = all.calls.sorted {
      ($0.key.transport, $0.key.code.rawValue) < ($1.key.transport, $1.key.code.rawValue)
    }
    for (key, count) in order {
      text.sample(
        "face_gateway_calls_total", ["transport": key.transport, "code": "\(key.code.name)"], count)
    }
    let name = "face_gateway_call_duration_seconds"
    text.family(name, .histogram, "Time from the arrival of a call or stream to its end.", unit: "seconds")
    for (transport, durations) in all.durations.sorted(by: { $0.key < $1.key }) {
      text.histogram(
        name, ("transport", transport), bounds: GatewayCounters.Durations.bounds, counts: durations.buckets,
        sum: durations.sum)
    }
    text.add(all.visits, prefix: "face_gateway")
    var last = ""
    for sample in samples {
      if sample.name != last {
        text.family(sample.name, sample.isCounter ? .counter : .gauge, sample.help, unit: sample.unit)
      }
      last = sample.name
      text.sample(
        sample.isCounter ? "\(sample.name)_total" : sample.name,
        sample.label.map { [$0.name: $0.value] } ?? [:], sample.value)
    }
    text.family("process_resident_memory_bytes", .gauge, "Resident memory of the gateway.", unit: "bytes")
    text.sample("process_resident_memory_bytes", Self.residentBytes)
  }

  private func seconds(_ span: TimeSpan) -> Double { span.seconds }

  private static var residentBytes: Int {
    let pages = (try? File.read("/proc/self/statm", limit: 4096))?.split(separator: 0x20).dropFirst().first
    return (pages.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0)
      * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
