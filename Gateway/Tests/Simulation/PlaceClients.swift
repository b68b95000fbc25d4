import GatewayServing
import NIOCore
import NIOEmbedded

/// Connections that come, call, are silent and leave, beside what docs/gateway.md, "Limits", says of their number.
final class PlaceClients: SimulatedPart {
  private final class Client: ServedConnection {
    let channel: EmbeddedChannel
    let host: String
    let start: NIODeadline
    var place: ConnectionTable.Place?
    var begunCount = 0
    var hadRequest = false
    /// Its last complete request, or its start.
    var since: NIODeadline
    var lostAt: NIODeadline?
    var swept: NIODeadline
    var isDraining = false

    init(_ channel: EmbeddedChannel, _ host: String) {
      (self.channel, self.host, start, since, swept) = (
        channel, host, channel.eventLoop.now, channel.eventLoop.now, channel.eventLoop.now
      )
    }

    func sweep(_ now: NIODeadline) { swept = now }
    func placeLost() { lostAt = channel.eventLoop.now }
    func announceStop() {}
    func drain() {
      isDraining = true
      if begunCount == 0 { channel.close(promise: nil) }
    }

    /// Whether it gives way before another one.
    func isBefore(_ other: Client) -> Bool {
      hadRequest == other.hadRequest ? since < other.since : other.hadRequest
    }
  }

  private let loop: EmbeddedEventLoop
  private let report: Report
  private var random: SeededRandom
  private let most: Int
  private let table: ConnectionTable
  private var clients: [Client] = []
  private var stopped: (time: NIODeadline, limit: TimeAmount)?
  private var unanswered: Int?

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) {
    self.loop = loop
    self.report = report
    self.random = SeededRandom(seed: random.next())
    most = random.pick(1...20)
    table = ConnectionTable(loop, most: most, requestTimeout: .seconds(Int64(random.pick(5...60))))
  }

  private var mostSpare: Int { max(16, most / 2) }
  private var ordinary: [Client] { clients.filter { $0.place?.isSpare == false } }

  func step() {
    let client = clients.randomElement(using: &random)
    switch (random.pick(0...19), client) {
    case (0..<7, _), (_, nil): enter()
    case (7..<9, let client?): client.channel.close(promise: nil)
    case (9..<15, let client?):
      guard client.lostAt == nil, !client.isDraining, client.place?.connection != nil else { return }
      client.begunCount += 1
      (client.hadRequest, client.since) = (true, loop.now)
      client.place?.requestBegan()
    case (_, let client?):
      guard client.begunCount > 0 else { return }
      client.begunCount -= 1
      client.since = loop.now
      client.place?.requestEnded()
      if client.isDraining, client.begunCount == 0 { client.channel.close(promise: nil) }
    }
  }

  private func enter() {
    let channel = EmbeddedChannel(loop: loop)
    let host = "10.0.0.\(random.pick(1...6) * random.pick(0...1))"
    let (places, spare) = (ordinary, clients.filter { $0.place?.isSpare == true })
    let counts = Dictionary(grouping: places, by: \.host).mapValues(\.count)
    let own = counts[host] ?? 0
    let candidates = places.filter { $0.begunCount == 0 && ($0.host == host || counts[$0.host] ?? 0 > own) }
    let evictions = table.evictionCount
    let client = Client(channel, host)
    guard let address = try? SocketAddress(ipAddress: host, port: 1) else { return }
    channel.connect(to: address, promise: nil)
    channel.remoteAddress = address
    guard let place = try? table.enter(channel) else {
      report.check(
        stopped != nil || places.count == most && spare.count == mostSpare,
        "a connection is refused, and there is room")
      report.check(
        stopped != nil || spare.allSatisfy { $0.begunCount > 0 },
        "a connection is refused for an idle spare one")
      return
    }
    report.check(stopped == nil, "a connection is accepted during the stop")
    client.place = place
    if random.isLucky(oneIn: 6) { place.connection = nil } else { place.connection = client }
    clients.append(client)
    let victims = places.filter { !$0.channel.isActive || $0.place?.isSpare == true }
    let isFull = places.count == most
    report.check(
      table.evictionCount - evictions == (isFull && !candidates.isEmpty ? 1 : 0),
      "\(victims.count) connections give way")
    report.check(
      victims.count == (isFull && !candidates.isEmpty ? 1 : 0), "\(victims.count) connections give way")
    for victim in victims {
      report.check(
        candidates.contains { $0 === victim }, "a connection of \(victim.host) gives way to one of \(host)")
      report.check(
        !candidates.contains { $0.isBefore(victim) },
        "a connection gives way, and another one was idle for longer")
    }
    report.check(
      !isFull || place.isSpare == candidates.isEmpty,
      "a connection gets \(place.isSpare ? "a spare" : "an ordinary") place")
  }

  private func stop() {
    let limit = TimeAmount.seconds(Int64(random.pick(0...20)))
    stopped = (loop.now, limit)
    table.stop(within: limit).assumeIsolated().whenSuccess { [unowned self] count in
      report.check(unanswered == nil, "the stop ends twice")
      unanswered = count
      let open = clients.filter(\.channel.isActive)
      let left = open.reduce(0) { $0 + $1.begunCount }
      report.check(count == left, "the stop ends with \(count) unanswered requests, and there are \(left)")
      report.check(open.isEmpty || loop.now - (stopped?.time ?? loop.now) == limit, "the stop ends early")
    }
  }

  func check() {
    let now = loop.now
    clients.removeAll { !$0.channel.isActive }
    let counts = (ordinary: ordinary.count, spare: clients.count - ordinary.count)
    report.check(
      table.ordinaryCount == counts.ordinary,
      "\(table.ordinaryCount) connections count, and \(counts.ordinary) are open")
    report.check(
      table.spareCount == counts.spare,
      "\(table.spareCount) spare connections count, and \(counts.spare) are open")
    report.check(counts.ordinary <= most, "there are \(counts.ordinary) connections")
    report.check(counts.spare <= mostSpare, "there are \(counts.spare) spare connections")
    report.check(
      counts.ordinary == most || counts.spare == 0, "connections have spare places, and there are others")
    for client in clients {
      if client.place?.isSpare == false { client.lostAt = nil }
      let isKnown = client.place?.connection != nil
      report.check(!isKnown || now - client.swept <= .seconds(1), "nobody looks after a connection")
      report.check(isKnown || now - client.start <= .seconds(11), "a handshake takes \(now - client.start)")
      let isLost = client.lostAt.map { now - $0 > .seconds(4) } ?? false
      report.check(!isLost || client.begunCount > 0, "a connection that gave way stays")
    }
    guard let stopped, unanswered == nil else { return }
    report.check(now - stopped.time <= stopped.limit, "the stop does not end")
    report.check(!clients.isEmpty, "the stop waits for nobody")
  }

  func end() {
    stop()
    loop.run()
    let rest = clients.filter { $0.begunCount > 0 }
    report.check(rest.count == clients.filter(\.channel.isActive).count, "the stop keeps an idle connection")
    let isAll = random.isLucky(oneIn: 2)
    for client in rest where isAll || random.isLucky(oneIn: 2) { client.channel.close(promise: nil) }
    loop.run()
    report.check(unanswered != nil || !isAll, "the stop waits for nobody")
    loop.advanceTime(by: .seconds(21))
    report.check(unanswered != nil, "the stop does not end")
  }
}
