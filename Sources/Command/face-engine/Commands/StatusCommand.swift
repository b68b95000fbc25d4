import ArgumentParser
import Client
import FaceCore
import Posix
import ResultJSON
import Wire

/// `face-engine status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the health, models, limits and statistics of a running engine.",
    discussion: """
      With --wait-ready, prints nothing and returns as soon as the engine serves. Use it in scripts that start an engine, \
      and in health probes.

      Exit code: 0 the engine is serving, 1 it is not, or no engine runs.
      """)

  @Option(
    help:
      "Path of the socket. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, or for root in /run; if there is no socket, /run/face-engine/face-engine.sock)",
    completion: .file()
  )
  var socket: String?

  @OptionGroup var owner: EngineUserArgument

  @Flag(help: "Print one line of JSON.")
  var json = false

  @Flag(help: "Print metrics in the OpenMetrics text format, for Prometheus.")
  var openmetrics = false

  @Flag(help: "Wait until the engine serves, and print nothing.")
  var waitReady = false

  @Option(
    help: ArgumentHelp(
      "How long to wait for the engine. (default: 5, with --wait-ready 30)", valueName: "seconds"))
  var timeout: Seconds?

  @Flag(help: "Repeat every two seconds until interrupted.")
  var watch = false

  private static let interval: TimeSpan = .seconds(2)

  /// The time between two attempts to find a serving engine.
  private static let readyInterval: TimeSpan = .milliseconds(50)

  func validate() throws {
    guard [json, openmetrics, waitReady].count(where: { $0 }) <= 1, !watch || !(waitReady || openmetrics)
    else {
      throw ValidationError(
        "--json, --openmetrics and --wait-ready exclude each other, and --watch can be combined only with --json."
      )
    }
  }

  /// Returns when the engine serves. Throws the reason when the time is over, and at once for errors that
  /// waiting cannot fix.
  private func waitUntilReady(_ path: String, _ options: ClientOptions) throws(Status) {
    let time = timeout ?? Seconds(.seconds(30))
    var options = options
    // An attempt gets a second, or an engine that is slow to answer never counts as ready.
    options.timeout = max(.seconds(1), min(options.timeout, time.span))
    let end = MonotonicTime.now() + time.span
    while true {
      let reason: String
      do throws(Status) {
        if try Client(socket: path, options: options).health() == .serving { return }
        reason = "the engine at \(path) is not serving; its log says why"
      } catch {
        guard error.code != .permissionDenied, error.code != .invalidArgument else { throw error }
        reason = error.message
      }
      guard MonotonicTime.now() < end else {
        throw Status(.unavailable, "not ready after \(time) s: \(reason)")
      }
      CurrentProcess.sleep(for: Self.readyInterval)
    }
  }

  func run() throws {
    let path = try socket ?? SocketPath.ofClients().description
    var options = try owner.options()
    options.timeout = .seconds(5)
    if waitReady { return try waitUntilReady(path, options) }
    if let timeout { options.timeout = timeout.span }
    guard watch else {
      let report = try EngineReport(try Client(socket: path, options: options))
      try StandardOutput.write(text(of: report) + "\n")
      if report.health != .serving { throw ExitCode(1) }
      return
    }
    while true {
      try show(path, options)
      CurrentProcess.sleep(for: Self.interval)
    }
  }

  /// Shows one report, or why there is none: the engine may return.
  private func show(_ path: String, _ options: ClientOptions) throws(Status) {
    let report: EngineReport
    do throws(Status) {
      report = try EngineReport(try Client(socket: path, options: options))
    } catch {
      return StandardError.write("face-engine: \(error.message)\n")
    }
    // A terminal shows only the newest report: cursor home, clear.
    let clear = !json && StandardOutput.isTerminal ? "\u{1B}[H\u{1B}[2J" : ""
    try StandardOutput.write("\(clear)\(text(of: report))\n")
  }

  private func text(of report: EngineReport) -> String {
    if openmetrics { return OpenMetrics.text(report) }
    return json ? StatusJSON.object(report).description : StatusTable.text(report)
  }
}

/// The state of a running engine.
struct EngineReport {
  let socket: String
  let health: ServingStatus
  let info: EngineInfo
  let models: [ListedModel]
  let stats: EngineStats

  /// Queries the engine.
  init(_ client: Client) throws(Status) {
    socket = client.socket
    health = try client.health()
    info = try client.info()
    // A stopping engine refuses to list models, but its info contains the loaded ones.
    models =
      (try? client.listModels())
      ?? info.models.map { ListedModel($0, title: "", isLoaded: true) }
    stats = try client.stats()
  }

  /// The limits reported by the engine, with their names in the protocol.
  var limits: [(name: String, value: Int)] {
    EngineLimits.fields.compactMap { field in
      let value =
        switch info.limits[field] {
        case .number(let value): Int(value)
        case .count(let value): value
        case .time(let value): Int(value.nanoseconds)
        }
      return value > 0 ? ("\(field.name)", value) : nil
    }
  }
}
