import ArgumentParser
import Client
import FaceCore
import Posix
import Wire

/// `face-engine status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how a running engine does: health, models, limits and what it has done.",
    discussion: "Exit code: 0 it serves, 1 it does not, or none runs.")

  @Option(
    help:
      "Path of the socket. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, for root else in /run)"
  )
  var socket: String?

  @Flag(help: "Print JSON, one line a time.")
  var json = false

  @Flag(help: "Show it again every other second, until interrupted.")
  var watch = false

  /// Nanoseconds from one showing to the next.
  private static let pace: Int64 = 2_000_000_000

  func run() throws {
    let path = try socket ?? SocketPath.standard().description
    var options = ClientOptions()
    options.timeout = 5_000_000_000
    guard watch else {
      let report = try EngineReport(try Client(socket: path, options: options))
      try StandardOutput.write(text(of: report) + "\n")
      if report.health != .serving { throw ExitCode(1) }
      return
    }
    while true {
      try show(path, options)
      CurrentProcess.sleep(nanoseconds: Self.pace)
    }
  }

  /// An engine that is gone may come back, so here it is no failure.
  private func show(_ path: String, _ options: ClientOptions) throws(Status) {
    let report: EngineReport
    do throws(Status) {
      report = try EngineReport(try Client(socket: path, options: options))
    } catch {
      return StandardError.write("face-engine: \(error.message)\n")
    }
    // A terminal shows the newest alone: cursor home, clear.
    let clear = !json && StandardOutput.isTerminal ? "\u{1B}[H\u{1B}[2J" : ""
    try StandardOutput.write("\(clear)\(text(of: report))\n")
  }

  private func text(of report: EngineReport) -> String {
    json ? StatusJSON.object(report).description : StatusTable.text(report)
  }
}

/// All that an engine tells of itself.
struct EngineReport {
  let socket: String
  let health: ServingStatus
  let info: EngineInfo
  let models: [ListedModel]
  let stats: EngineStats

  /// Throws what the calls throw.
  init(_ client: Client) throws(Status) {
    socket = client.socket
    health = try client.health()
    info = try client.info()
    // A stopping engine lists no models, and tells those it has.
    models =
      (try? client.listModels())
      ?? info.models.map { ListedModel($0, title: "", isLoaded: true) }
    stats = try client.stats()
  }

  /// Those that the engine tells, each with its name on the wire.
  var limits: [(name: String, value: Int)] {
    let limits = info.limits
    return [
      ("max_message_bytes", limits.maxMessageBytes), ("calls_per_connection", limits.callsPerConnection),
      ("connections_per_user", limits.connectionsPerUser), ("min_image_side", limits.minImageSide),
      ("max_image_side", limits.maxImageSide),
      ("batch_images", limits.batchImages), ("streams_per_connection", limits.streamsPerConnection),
      ("buffers_per_connection", limits.buffersPerConnection),
      ("mapped_bytes_per_user", limits.mappedBytesPerUser), ("frame_credit", limits.frameCredit),
      ("checks_per_user", limits.checksPerUser),
      ("drain_timeout_ns", Int(limits.drainTimeout)),
    ].filter { $0.1 > 0 }
  }
}
