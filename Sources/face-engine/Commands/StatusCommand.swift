import ArgumentParser
import Client
import FaceCore
import Posix
import Presentation
import Wire

/// `face-engine status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the health, models, limits and statistics of a running engine.",
    discussion: "Exit code: 0 the engine is serving, 1 it is not, or no engine runs.")

  @Option(
    help:
      "Path of the socket. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, for root else in /run)"
  )
  var socket: String?

  @OptionGroup var owner: EngineUserArgument

  @Flag(help: "Print one line of JSON.")
  var json = false

  @Flag(help: "Repeat every two seconds until interrupted.")
  var watch = false

  /// Nanoseconds from one report to the next.
  private static let interval: Int64 = 2_000_000_000

  func run() throws {
    let path = try socket ?? SocketPath.standard().description
    var options = try owner.options()
    options.timeout = 5_000_000_000
    guard watch else {
      let report = try EngineReport(try Client(socket: path, options: options))
      try StandardOutput.write(text(of: report) + "\n")
      if report.health != .serving { throw ExitCode(1) }
      return
    }
    while true {
      try show(path, options)
      CurrentProcess.sleep(nanoseconds: Self.interval)
    }
  }

  /// Shows one report, or why there is none: the engine may come back.
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

/// The state of a running engine.
struct EngineReport {
  let socket: String
  let health: ServingStatus
  let info: EngineInfo
  let models: [ListedModel]
  let stats: EngineStats

  /// Asks the engine.
  init(_ client: Client) throws(Status) {
    socket = client.socket
    health = try client.health()
    info = try client.info()
    // A stopping engine refuses to list models, but its info has those that are loaded.
    models =
      (try? client.listModels())
      ?? info.models.map { ListedModel($0, title: "", isLoaded: true) }
    stats = try client.stats()
  }

  /// The limits that the engine reports, with their names on the wire.
  var limits: [(name: String, value: Int)] {
    EngineLimits.fields.compactMap { field in
      let value =
        switch info.limits[field] {
        case .number(let value): Int(value)
        case .count(let value): value
        case .nanoseconds(let value): Int(value)
        }
      return value > 0 ? ("\(field.name)", value) : nil
    }
  }
}
