import FaceCore
import NIOCore
import NIOEmbedded

/// What a simulation finds first.
final class Report {
  var eventCount = 0
  private(set) var finding: String?
  private let loop: EmbeddedEventLoop

  init(_ loop: EmbeddedEventLoop) { self.loop = loop }

  func found(_ text: String) {
    finding = finding ?? "event \(eventCount): \(text) (at \(loop.now.uptimeNanoseconds) ns)"
  }

  func check(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { found(text()) }
  }
}

/// Callers of one kind, beside what they are promised.
protocol SimulatedPart: AnyObject {
  /// Does something.
  func step()

  /// Compares what is, after everything that was due has happened.
  func check()

  /// Lets everything end.
  func end()
}

/// Drives the gateway's decisions with callers, an engine and a clock that a seed makes up, beside a model of what
/// docs/gateway.md promises.
final class GatewaySimulation {
  static let eventsPerSeed = 2000

  private let loop = EmbeddedEventLoop()
  private let report: Report
  private var random: SeededRandom
  private let link: LinkCallers
  private let parts: [any SimulatedPart]

  init(seed: UInt64) throws {
    report = Report(loop)
    random = SeededRandom(seed: seed)
    link = LinkCallers(loop, report, &random)
    parts = [
      link, try SessionCallers(loop, report, &random), try GateCallers(loop, report, &random),
      RequestSenders(loop, report, &random), AnswerReaders(loop, report, &random),
      PlaceClients(loop, report, &random),
    ]
  }

  /// What was found; `nil` for nothing.
  func run(events: Int) -> String? {
    while report.eventCount < events, report.finding == nil {
      report.eventCount += 1
      if random.isLucky(oneIn: 3) {
        let time = random.span(from: .microseconds(1), to: .seconds(random.isLucky(oneIn: 10) ? 20 : 1))
        loop.advanceTime(by: .nanoseconds(time.nanoseconds))
      } else {
        parts[random.pick(0...parts.count - 1)].step()
        loop.run()
      }
      for part in parts { part.check() }
    }
    for part in parts where report.finding == nil { part.end() }
    return report.finding
  }

  /// What tells one run from another.
  var ends: [Int] { [link.answerCount, Int(loop.now.uptimeNanoseconds)] }
}
