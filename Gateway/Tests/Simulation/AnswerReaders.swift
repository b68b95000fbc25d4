import GatewayServing
import NIOCore
import NIOEmbedded

/// Connections whose clients read answers fast, slowly or not at all, beside what docs/gateway.md, "Limits", says of
/// unread ones.
final class AnswerReaders: SimulatedPart {
  private final class Reader {
    var answers: UnreadAnswers?
    let host: String
    var unread = 0
    var taken = 0
    var isClosed = false
    /// Since when its client has been blocked, and what it had taken by each sweep since then.
    var sweeps: [(time: NIODeadline, taken: Int)] = []

    init(_ host: String) { self.host = host }
  }

  private let loop: EmbeddedEventLoop
  private let report: Report
  private var random: SeededRandom
  private let budget: AnswerBudget
  private let timeout: TimeAmount
  private var readers: [Reader] = []
  private var nextSweep = NIODeadline.uptimeNanoseconds(0)
  private var mayClose: (Reader) -> Bool = { _ in false }

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) {
    self.loop = loop
    self.report = report
    self.random = SeededRandom(seed: random.next())
    budget = AnswerBudget(loop)
    timeout = .seconds(Int64(random.pick(5...60)))
  }

  func step() {
    let reader = readers.randomElement(using: &random)
    switch (random.pick(0...9), reader) {
    case (0...1, _), (_, nil): if readers.count < 40 { open() }
    case (2, let reader?):
      close(reader)
      reader.answers?.end()
    case (3...6, let reader?):
      let count = random.pick(1...1 << random.pick(1...24))
      write(count, to: reader)
    case (_, let reader?):
      let count = min(reader.unread, random.pick(1...1 << random.pick(1...24)))
      reader.taken += count
      reader.unread -= count
      reader.answers?.set(reader.unread)
    }
  }

  private func open() {
    let host = "10.0.0.\(random.pick(1...4))"
    let reader = Reader(host)
    guard let peer = try? SocketAddress(ipAddress: host, port: 1) else { return }
    reader.answers = UnreadAnswers(budget, PeerAddress(peer), timeout: timeout) {
      [unowned self, unowned reader] in
      report.check(!reader.isClosed, "a connection is closed twice")
      report.check(mayClose(reader), "a connection with \(reader.unread) unread bytes is closed")
      close(reader)
    }
    readers.append(reader)
  }

  private func close(_ reader: Reader) {
    reader.isClosed = true
    readers.removeAll { $0 === reader }
  }

  private func bytes(of host: String? = nil) -> Int {
    readers.reduce(0) { $0 + (host == nil || $1.host == host ? $1.unread : 0) }
  }

  private func write(_ count: Int, to reader: Reader) {
    reader.unread += count
    let isTooMuch = bytes() > 64 << 20
    let isTooMuchOfAddress = bytes(of: reader.host) > 32 << 20
    let busiest = Set(readers.map(\.host)).map { bytes(of: $0) }.max()
    let before = readers.count
    mayClose = { [unowned self] victim in
      let isOfAddress =
        isTooMuch ? bytes(of: victim.host) == busiest : isTooMuchOfAddress && victim.host == reader.host
      return isOfAddress && victim.unread == readers.filter { $0.host == victim.host }.map(\.unread).max()
    }
    reader.answers?.set(reader.unread)
    mayClose = { _ in false }
    report.check(
      readers.count == (isTooMuch || isTooMuchOfAddress ? before - 1 : before),
      "\(before - readers.count) connections are closed")
  }

  /// A connection that has blocked for a period is closed exactly if its client took less than a kibibyte a second.
  private func sweep() {
    let period = min(timeout, .seconds(30))
    for reader in readers {
      let isBlocked = reader.unread > 0
      if !isBlocked {
        reader.sweeps = []
      } else if reader.sweeps.isEmpty {
        reader.sweeps = [(loop.now, reader.taken)]
      }
      let start = reader.sweeps.first
      let isDue = start.map { loop.now - $0.time >= period } ?? false
      let isSlow = isDue && reader.taken - (start?.taken ?? 0) < Int(period.nanoseconds / 1_000_000_000) << 10
      mayClose = { [unowned reader] in $0 === reader && isSlow }
      reader.answers?.sweep(loop.now, taken: reader.taken, isBlocked: isBlocked)
      report.check(reader.isClosed == isSlow, "a connection stays whose client took too little")
      if isDue { reader.sweeps = [(loop.now, reader.taken)] }
    }
    mayClose = { _ in false }
  }

  func check() {
    if loop.now >= nextSweep {
      nextSweep = loop.now + .seconds(1)
      sweep()
    }
    report.check(
      budget.byteCount == bytes(), "\(budget.byteCount) bytes of answers count, and \(bytes()) are unread")
    for reader in readers {
      report.check(
        reader.answers?.isFull == (reader.unread > 8 << 20), "a connection with \(reader.unread) unread bytes"
      )
    }
  }

  func end() {
    for reader in readers { reader.answers?.end() }
    report.check(budget.byteCount == 0, "\(budget.byteCount) bytes of answers are never taken")
  }
}
