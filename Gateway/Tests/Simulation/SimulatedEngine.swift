import FaceCore
import NIOCore
import NIOEmbedded
import Wire

/// An engine that a seed makes up, behind channels without sockets. It answers late, hangs, dies and hands over as
/// PROTOCOL.md allows, and holds what the gateway sends it against that page.
final class SimulatedEngine {
  enum Mood {
    case serving
    /// It accepts connections, and reads nothing.
    case hung
    /// It does not even accept connections.
    case deaf
    /// Nobody listens.
    case gone
  }

  /// What a pool's connections are for, which the first request on one tells.
  enum Use: CaseIterable {
    case calls, streams, probe

    var mostConnections: Int {
      switch self {
      case .calls: 6
      case .streams: 14
      case .probe: 1
      }
    }
  }

  final class Connection {
    let channel: EmbeddedChannel
    var use: Use?
    /// Whether the gateway may begin calls on it.
    var isOpen = false
    /// Since when it alone hangs.
    var mutedAt: NIODeadline?
    /// Whether this side has ended it.
    var isLost = false
    /// The callers' ids of the calls or streams without an answer yet.
    var unanswered: [UInt32: Int] = [:]
    /// The frames without an answer, by their stream.
    var frameCounts: [UInt32: Int] = [:]
    /// After a GOAWAY, the last stream that is served.
    var lastServed = UInt32.max
    fileprivate var parser = FrameParser(limit: FrameHeader.maxLength)
    fileprivate var arrived: [Frame] = []
    fileprivate var highest: UInt32 = 0

    /// Whether the gateway still waits for the answer to Hello: to it, this is an attempt to connect.
    var isGreeting: Bool { use == nil && !isOpen && !isLost && lastServed == .max }

    /// Whether it hangs and is, or may become, the probe's, so that the gateway takes the engine for hung.
    var hangsForAll: Bool { mutedAt != nil && (use == .probe || use == nil) }

    init(_ channel: EmbeddedChannel) { self.channel = channel }
  }

  let loop: EmbeddedEventLoop
  let limits: EngineLimits
  private(set) var mood = Mood.serving
  private(set) var connections: [Connection] = []
  /// When it last began to hang.
  private(set) var silentSince = NIODeadline.distantFuture
  /// Since when it, or the connection of the probe, hung, and until when; `nil` if it still does. The gateway
  /// takes the engine for hung until a probe is `answered`: a connection that ends, or that nobody accepts,
  /// is no answer.
  private(set) var hangs: [(from: NIODeadline, until: NIODeadline?, answered: NIODeadline?)] = []
  /// When somebody last found nobody there, and when an attempt to connect last failed: so, or since its
  /// connection was ended before Hello was answered.
  private(set) var refused: NIODeadline?
  private(set) var attemptFailed: NIODeadline?
  /// When a connection was last ended on this side.
  private(set) var lost: NIODeadline?
  /// The attempts to connect that are neither accepted nor refused yet.
  private(set) var connecting: [EventLoopPromise<any Channel>] = []
  private var late: [() -> Void] = []
  var random: SeededRandom
  let report: Report
  /// The request with an id is sent, with a time limit; begins to be served; or is called off by a GOAWAY.
  /// Returns whether it is made again elsewhere then.
  var sent: (Int, Connection, Int64) -> Void = { _, _, _ in }
  var begun: (Int, Connection, UInt32) -> Void = { _, _, _ in }
  var calledOff: (Int) -> Bool = { _ in false }
  /// A message of a stream arrives; `nil` for the end of the client's side.
  /// It stops, and served the request before.
  var drained: (Int, Connection, UInt32) -> Void = { _, _, _ in }
  var received: (Int, Connection, UInt32, [UInt8]?) -> Void = { _, _, _, _ in }
  var cancelled: (Int, Connection, UInt32) -> Void = { _, _, _ in }

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) {
    self.loop = loop
    self.report = report
    self.random = SeededRandom(seed: random.next())
    var limits = EngineLimits()
    limits.callsPerConnection = random.pick(1...16)
    limits.streamsPerConnection = random.pick(1...4)
    limits.frameCredit = random.pick(1...4)
    self.limits = limits
  }

  var isSilent: Bool { mood == .hung || mood == .deaf }

  // MARK: Connections

  func connect() -> EventLoopFuture<any Channel> {
    let promise = loop.makePromise(of: (any Channel).self)
    connecting.append(promise)
    loop.scheduleTask(in: latency()) { [self] in settleConnecting() }
    return promise.futureResult
  }

  private func settleConnecting() {
    guard mood != .deaf, !connecting.isEmpty else { return }
    let promise = connecting.removeFirst()
    guard mood != .gone else {
      (refused, attemptFailed) = (loop.now, loop.now)
      return promise.fail(ChannelError.connectPending)
    }
    let channel = EmbeddedChannel(loop: loop)
    let connection = Connection(channel)
    let side = EngineSide { [unowned self, unowned connection] in arrived($0, connection) }
    try? channel.pipeline.syncOperations.addHandler(side)
    if let address = try? SocketAddress(unixDomainSocketPath: "/engine") {
      channel.connect(to: address, promise: nil)
    }
    channel.closeFuture.assumeIsolated().whenComplete { [unowned self, connection] _ in
      connection.isOpen = false
      connections.removeAll { $0 === connection }
      if connection.mutedAt != nil, !isSilent { hangsEnd() }
    }
    connections.append(connection)
    promise.succeed(channel)
  }

  /// The time in which something gets from one process to the other.
  private func latency() -> TimeAmount {
    .nanoseconds(random.span(from: .microseconds(5), to: .milliseconds(3)).nanoseconds)
  }

  // MARK: Faults

  func become(_ next: Mood) {
    let wasSilent = isSilent
    mood = next
    if !wasSilent, isSilent {
      silentSince = loop.now
      hangs.append((loop.now, nil, nil))
    }
    if next == .serving { hangsEnd() }
    if next == .gone { for connection in connections { lose(connection) } }
    if isSilent { return }
    for _ in connecting { settleConnecting() }
    let waiting = late
    late = []
    for each in waiting { each() }
    // One that hangs by itself does so although the engine is well again.
    for connection in connections where connection.mutedAt == nil {
      while !connection.arrived.isEmpty { handleNext(connection) }
    }
  }

  /// Another engine takes over: this one begins nothing more on the connections that it has.
  func handOver() {
    for connection in connections where connection.isOpen && connection.mutedAt == nil {
      connection.lastServed = connection.highest
      connection.isOpen = false
      let over = connection.unanswered.filter { $0.key > connection.highest }.sorted { $0.key < $1.key }
      let moved = over.filter { calledOff($0.value) }
      for (number, _) in moved { connection.unanswered[number] = nil }
      send(ControlFromEngine.goAway(lastStream: connection.highest).frame, on: connection)
      for (number, _) in over {
        let refusal = Status(.unavailable, "the engine is stopping")
        finish(number, of: connection, FailedCall.responseFrame(stream: number, refusal), isSure: true)
      }
      for (number, id) in connection.unanswered.sorted(by: { $0.key < $1.key }) {
        drained(id, connection, number)
      }
      closeIfDone(connection)
    }
  }

  private func closeIfDone(_ connection: Connection) {
    guard connection.lastServed != .max, connection.unanswered.isEmpty else { return }
    loop.scheduleTask(in: latency()) { [self] in lose(connection) }
  }

  func lose(_ connection: Connection) {
    if connection.isGreeting { attemptFailed = loop.now }
    (connection.isLost, connection.isOpen, lost) = (true, false, loop.now)
    connection.channel.close(promise: nil)
  }

  func mute(_ connection: Connection) {
    guard connection.mutedAt == nil else { return }
    connection.mutedAt = loop.now
    if connection.hangsForAll { hangs.append((loop.now, nil, nil)) }
  }

  private func hangsEnd() {
    guard !connections.contains(where: \.hangsForAll) else { return }
    hangs = hangs.suffix(8).map { ($0.from, $0.until ?? loop.now, $0.answered) }
  }

  private func probeAnswered() {
    hangs = hangs.map { ($0.from, $0.until, $0.until == nil ? nil : $0.answered ?? loop.now) }
  }

  // MARK: From the gateway

  private func arrived(_ bytes: ByteBuffer, _ connection: Connection) {
    var offset = 0
    while let event = connection.parser.next(bytes.readableBytesUInt8Span, &offset) {
      guard case .frame(let frame) = event else { return report.found("the gateway sends no frame") }
      if frame.header.type == FrameType.request.rawValue { requested(frame, connection) }
      connection.arrived.append(frame)
      loop.scheduleTask(in: latency()) { [self] in
        if !isSilent, connection.mutedAt == nil, !connection.arrived.isEmpty { handleNext(connection) }
      }
    }
  }

  /// A request leaves the gateway, which has to keep the limits that it was told.
  private func requested(_ frame: Frame, _ connection: Connection) {
    guard let envelope = try? RequestEnvelope(decoding: frame.body.span) else {
      return report.found("a request cannot be read")
    }
    guard envelope.method != "Hello" else { return }
    let use: Use =
      switch envelope.service {
      case "\(Method.healthCheck.service)": .probe
      case "\(Method.watch.service)": .streams
      default: .calls
      }
    report.check(connection.use ?? use == use, "a connection is for \(use), and was for something else")
    connection.use = use
    let others = connections.filter { $0.use == use && $0.isOpen }.count
    report.check(others <= use.mostConnections, "there are \(others) connections for \(use)")
    let id = frame.body[envelope.payload].reduce(0) { $0 << 8 | Int($1) }
    connection.unanswered[frame.header.stream] = id
    let most = use == .streams ? limits.streamsPerConnection : limits.callsPerConnection
    report.check(connection.unanswered.count <= most, "a connection has more than its \(most) \(use)")
    if use != .probe { sent(id, connection, envelope.timeout.nanoseconds) }
  }

  private func handleNext(_ connection: Connection) {
    let frame = connection.arrived.removeFirst()
    let stream = frame.header.stream
    switch FrameType(rawValue: frame.header.type) {
    case .request?: begin(frame, connection)
    case .data?:
      guard let id = connection.unanswered[stream], stream <= connection.lastServed else { return }
      received(id, connection, stream, frame.header.flags.contains(.noData) ? nil : frame.body)
    case .ping?:
      if let pong = try? ControlFromClient(.ping, stream: 0, frame.body.span), case .ping(let value) = pong {
        send(ControlFromEngine.pong(value).frame, on: connection)
      }
    case .cancel?: if let id = connection.unanswered[stream] { cancelled(id, connection, stream) }
    default: break
    }
  }

  private func begin(_ frame: Frame, _ connection: Connection) {
    let stream = frame.header.stream
    guard stream <= connection.lastServed, let envelope = try? RequestEnvelope(decoding: frame.body.span)
    else { return }
    connection.highest = max(connection.highest, stream)
    if envelope.method == "Hello" {
      let hello = HelloResponse(
        version: 1, engineVersion: "0", features: [.cancel, .ping, .credit, .goaway], limits: limits)
      guard let answer = try? HelloCall.responseFrame(stream: stream, hello) else { return }
      connection.isOpen = true
      return send(answer, on: connection)
    }
    if connection.use == .probe {
      guard let answer = try? HealthCall.responseFrame(stream: stream, .serving) else { return }
      probeAnswered()
      return finish(stream, of: connection, answer)
    }
    if let id = connection.unanswered[stream] { begun(id, connection, stream) }
  }

  // MARK: To the gateway

  func later(_ time: TimeAmount, _ connection: Connection, _ body: @escaping () -> Void) {
    loop.scheduleTask(in: time) { [self] in
      if isSilent {
        late.append { if connection.mutedAt == nil { body() } }
      } else if connection.mutedAt == nil {
        body()
      }
    }
  }

  /// Sends the last frame of a call or a stream.
  /// - Parameter isSure: also if it was called off.
  func finish(_ stream: UInt32, of connection: Connection, _ frame: [UInt8], isSure: Bool = false) {
    guard connection.unanswered.removeValue(forKey: stream) != nil || isSure else { return }
    send(frame, on: connection)
    closeIfDone(connection)
  }

  func send(_ frame: [UInt8], on connection: Connection) {
    guard connection.channel.isActive else { return }
    // Where it is cut must not matter.
    let cut = random.isLucky(oneIn: 8) ? random.pick(0...frame.count) : frame.count
    for part in [frame[..<cut], frame[cut...]] where !part.isEmpty && connection.channel.isActive {
      _ = try? connection.channel.writeInbound(ByteBuffer(bytes: part))
    }
  }
}

/// Takes what is written to a channel, as a socket with room does.
private final class EngineSide: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  private let arrived: (ByteBuffer) -> Void

  init(_ arrived: @escaping (ByteBuffer) -> Void) { self.arrived = arrived }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    arrived(unwrapOutboundIn(data))
    promise?.succeed()
  }
}
