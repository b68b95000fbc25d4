import GatewayCoding
import GatewayServing
import NIOCore
import NIOEmbedded

/// Requests that take the gateway's memory, beside what docs/gateway.md, "Memory", promises their callers.
final class RequestSenders: SimulatedPart {
  final class Sender {
    let share: RequestShare
    let holder: String
    let order: Int
    var held = 0
    /// The bytes that have room and have not arrived, and those that wait for room.
    var reserved = 0
    var wanted = 0
    /// Since when it waits, or has room.
    var since: NIODeadline
    var isWaiting = false
    var isOver = false
    var arrivals: [(time: NIODeadline, count: Int)] = []

    init(_ share: RequestShare, _ order: Int, _ now: NIODeadline) {
      (self.share, holder, self.order, since) = (share, share.holder, order, now)
    }
  }

  private static let most = 64 << 20
  private static let mostOfLarge = most / 4 * 3
  private let loop: EmbeddedEventLoop
  private let report: Report
  private var random: SeededRandom
  private let memory: RequestMemory
  private let patience = TimeAmount.seconds(20)
  private var senders: [Sender] = []
  private var holds: [(hold: RequestHold, holder: String, count: Int)] = []
  private var last = 0
  /// Since when somebody waits, without a pause.
  private var crowdedSince: NIODeadline?
  private var isEnding = false

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) {
    self.loop = loop
    self.report = report
    self.random = SeededRandom(seed: random.next())
    memory = RequestMemory(loop: loop, most: Self.most, patience: patience)
  }

  private var waiting: [Sender] { senders.filter(\.isWaiting) }

  private func used(by holder: String) -> Int {
    senders.reduce(0) { $0 + ($1.holder == holder ? $1.held : 0) }
      + holds.reduce(0) { $0 + ($1.holder == holder ? $1.count : 0) }
  }

  // MARK: What clients do

  func step() {
    let sender = senders.randomElement(using: &random)
    switch (random.pick(0...11), sender) {
    case (0...2, _), (_, nil): if senders.count < 40 { begin() }
    case (3...7, let sender?):
      send(random.isLucky(oneIn: 3) ? sender.reserved : random.pick(0...64 << 10), by: sender)
    case (8, let sender?):
      let count = random.pick(0...sender.held - sender.reserved)
      sender.held -= count
      sender.share.release(count)
    case (9, let sender?) where !sender.isWaiting:
      holds.append((sender.share.splitAll(), sender.holder, sender.held))
      (sender.held, sender.reserved) = (0, 0)
      end(sender)
    case (10, _): if !holds.isEmpty { holds.remove(at: random.pick(0...holds.count - 1)) }
    case (_, let sender?): end(sender)
    }
  }

  private func begin() {
    last += 1
    let share = RequestShare(memory, holder: "\(random.pick(0...5) * random.pick(0...1))")
    let sender = Sender(share, last, loop.now)
    senders.append(sender)
    send(64 << 10, by: sender)
    guard !sender.isOver, !random.isLucky(oneIn: 4) else { return }
    (sender.isWaiting, sender.wanted) = (true, random.pick(1...64) * random.pick(1 << 16...1 << 20))
    sender.wanted = min(sender.wanted, Self.mostOfLarge - (64 << 10))
    share.reserve(sender.wanted) { [unowned self] in
      answered(sender, $0)
    } lost: { [unowned self] _ in
      lost(sender)
    }
  }

  private func send(_ count: Int, by sender: Sender) {
    let covered = min(count, sender.reserved)
    sender.reserved -= covered
    sender.held += count - covered
    if sender.isWaiting { sender.wanted = max(0, sender.wanted - count) }
    sender.arrivals = sender.arrivals.suffix(200) + [(loop.now, count)]
    let isTooMuch = count > covered && memory.used + count - covered >= Self.most
    do {
      try sender.share.add(count)
      report.check(!isTooMuch, "\(count) bytes are taken, and there is no room")
    } catch {
      report.check(isTooMuch, "\(count) bytes are refused, and there is room")
      end(sender)
    }
  }

  private func end(_ sender: Sender) {
    isEnding = true
    sender.isOver = true
    stopWaiting(sender)
    senders.removeAll { $0 === sender }
    sender.share.end()
    isEnding = false
  }

  private func stopWaiting(_ sender: Sender) {
    sender.isWaiting = false
    if waiting.isEmpty { crowdedSince = nil }
  }

  // MARK: What they are promised

  private func answered(_ sender: Sender, _ failure: CallFailure?) {
    report.check(sender.isWaiting, "request \(sender.order) gets room twice")
    stopWaiting(sender)
    guard failure == nil else {
      report.check(
        loop.now - sender.since == patience, "request \(sender.order) waited \(loop.now - sender.since)")
      return end(sender)
    }
    for other in waiting where other.order < sender.order && loop.now - other.since < patience {
      report.check(
        other.holder != sender.holder,
        "request \(sender.order) comes before \(other.order) of the same caller")
      let isLeft = isEnding || isBehind(other) || !fits(other, used: memory.used - sender.wanted)
      report.check(isLeft, "request \(sender.order) gets the room that \(other.order) has waited for")
    }
    let rest = Self.mostOfLarge - memory.used
    let isAlone = memory.used == sender.held + sender.wanted
    report.check(
      isAlone || rest >= used(by: sender.holder), "request \(sender.order) gets more than is left to others")
    sender.held += sender.wanted
    sender.reserved = sender.wanted
    (sender.wanted, sender.since) = (0, loop.now)
  }

  private func lost(_ sender: Sender) {
    let now = loop.now
    let count = sender.arrivals.reduce(0) { $0 + (now - $1.time < .seconds(4) ? $1.count : 0) }
    report.check(crowdedSince != nil, "request \(sender.order) loses its room, and nobody waits")
    report.check(sender.reserved > 0, "request \(sender.order) loses its room, and has arrived")
    report.check(now - sender.since >= .seconds(4), "request \(sender.order) loses its room at once")
    report.check(
      count < 5 * 16 << 10, "request \(sender.order) loses its room, and sent \(count) bytes in four seconds")
    end(sender)
  }

  /// Whether an earlier request of the same caller waits.
  private func isBehind(_ sender: Sender) -> Bool {
    waiting.contains { $0.holder == sender.holder && $0.order < sender.order }
  }

  private func fits(_ sender: Sender, used: Int) -> Bool {
    let rest = Self.mostOfLarge - used - sender.wanted
    return used == sender.held || rest >= 0 && self.used(by: sender.holder) <= rest
  }

  func check() {
    let total = senders.reduce(0) { $0 + $1.held } + holds.reduce(0) { $0 + $1.count }
    report.check(memory.used == total, "\(memory.used) bytes count, and requests hold \(total)")
    let now = loop.now
    let waiting = waiting
    for sender in waiting {
      report.check(now - sender.since <= patience, "request \(sender.order) waits for longer than it may")
      let isLeft = isBehind(sender) || !fits(sender, used: memory.used)
      report.check(isLeft, "request \(sender.order) waits, and there is room")
    }
    crowdedSince = waiting.isEmpty ? nil : crowdedSince ?? now
    guard let crowdedSince, now - crowdedSince > .seconds(14) else { return }
    for sender in senders where sender.reserved > 0 && now - sender.since > .seconds(14) {
      let count = sender.arrivals.reduce(0) { $0 + (now - $1.time < .seconds(12) ? $1.count : 0) }
      report.check(
        count >= 4 * 16 << 10,
        "request \(sender.order) keeps its room with \(count) bytes in twelve seconds, and others wait")
    }
  }

  func end() {
    for sender in senders { end(sender) }
    holds = []
    loop.advanceTime(by: .seconds(30))
    report.check(memory.used == 0, "\(memory.used) bytes are never returned")
  }
}
