import FaceCore
import Posix
import Service
import Wire

/// What holds after every event.
extension ConnectionSimulation {
  func check() throws(Finding) {
    for peer in peers {
      guard let count = peer.transport?.readCount else { continue }
      peer.ledger.noteRead(count, at: clock.now)
      for method in peer.ledger.takeRead(count) { peer.engine?.read[method, default: 0] += 1 }
    }
    for engine in engines {
      try checkDrain(engine)
      try checkListening(engine)
      try checkHealth(engine)
      try checkReaders(engine)
      if eventCount % 16 == 0, !engine.isClosed { try recount(engine) }
    }
    if eventCount % 16 == 0 { for peer in peers { try checkDeadlines(peer) } }
    try bury()
  }

  private func checkDrain(_ engine: SimulatedEngine) throws(Finding) {
    guard engine.result == nil else { return }
    guard engine.drainEnd + .milliseconds(10) >= clock.now else {
      throw fail("engine \(engine.number) still drains after its time")
    }
    guard engine.isStopping, engine.connections.callCount == 0, !engine.queue.isRunning,
      engine.connections.connections.values.allSatisfy(\.outbox.isEmpty), successor?.engine !== engine
    else { return engine.doneSince = .never }
    engine.doneSince = min(engine.doneSince, clock.now)
    guard clock.now - engine.doneSince < .milliseconds(20) else {
      throw fail("engine \(engine.number) has done everything, and does not end")
    }
  }

  /// An engine serves on when the process that was to take over is gone, and one that serves listens.
  private func checkListening(_ engine: SimulatedEngine) throws(Finding) {
    guard engine.result == nil else { return }
    guard engine.connections.isServing || engine.isStopping || clock.now < engine.resumesBy else {
      throw fail("engine \(engine.number) does not serve again")
    }
    guard !engine.connections.isServing || engine.listener.socket === path.socket && !engine.listener.isClosed
    else { throw fail("engine \(engine.number) serves where nobody can connect") }
    guard !engine.listener.isWatched || engine.pausedUntil <= clock.now || engine.hasResumed else {
      throw fail("engine \(engine.number) accepts connections though it has no descriptors")
    }
    guard engine.connections.isServing, !engine.listener.isWatched else {
      engine.deafSince = .never
      return
    }
    engine.deafSince = min(engine.deafSince, clock.now)
    // A pause without descriptors takes 100 ms.
    guard clock.now - engine.deafSince < .milliseconds(120) else {
      throw fail("engine \(engine.number) serves and does not listen")
    }
  }

  /// Nothing that is ready waits for long.
  private func checkReaders(_ engine: SimulatedEngine) throws(Finding) {
    guard engine.result == nil, engine.isReady else {
      engine.readySince = .never
      return
    }
    engine.readySince = min(engine.readySince, clock.now)
    guard clock.now - engine.readySince < .milliseconds(100) else {
      throw fail("nobody reads what has come to engine \(engine.number): \(engine.queue.states)")
    }
  }

  /// Health is what is true, and who watches it knows.
  private func checkHealth(_ engine: SimulatedEngine) throws(Finding) {
    guard engine.result == nil else { return }
    let truth: ServingStatus = engine.isHealthy && !engine.isStopping ? .serving : .notServing
    guard engine.service.health.status == truth else {
      throw fail("health is \(engine.service.health.status), and the truth \(truth)")
    }
    if engine.connections.announcedHealth == truth {
      engine.untrueSince = .never
      return
    }
    engine.untrueSince = min(engine.untrueSince, clock.now)
    guard clock.now - engine.untrueSince < .milliseconds(10) else {
      throw fail("\(engine.connections.announcedHealth) stays announced, and \(truth) is true")
    }
  }

  /// What the engine counts is what there is, within its limits.
  private func recount(_ engine: SimulatedEngine) throws(Finding) {
    let (total, limits, queue) = (engine.accounts.total, engine.limits, engine.queue)
    let connections = engine.connections.connections
    guard total.connections == connections.count, total.connections <= limits.connections else {
      throw fail("accounts have \(total.connections) connections, and \(connections.count) are open")
    }
    guard total.queuedCalls == queue.owned.total.queuedCalls,
      total.queuedBytes == queue.owned.total.queuedBytes
    else { throw fail("accounts have \(total), and should \(queue.owned.total)") }
    guard total.frameBytes <= limits.queuedBytes, total.incomingBytes <= limits.incomingBytes,
      total.mappedBytes <= limits.mappedBytes
    else { throw fail("a limit is passed: \(total)") }
    for connection in connections.values { try check(connection, of: engine) }
    try checkCounts(engine)
    try checkRunning(engine)
  }

  /// Each call is counted, and once.
  private func checkCounts(_ engine: SimulatedEngine) throws(Finding) {
    if engine.hasInherited || peers.contains(where: \.ledger.isRude) { return }
    for (method, counters) in engine.service.statistics.counters.methods {
      guard let method = Method.allCases.first(where: { $0.fullName == method }), !method.takesFrames else {
        continue
      }
      let (least, most) = (engine.answered[method, default: 0], engine.read[method, default: 0])
      // A process that takes over makes some of its own.
      let isKnown = method != .hello && method != .takeOver
      guard !isKnown || least <= counters.calls && counters.calls <= most else {
        throw fail(
          "\(counters.calls) calls of \(method.name) are counted, \(most) were read, and \(least) answered")
      }
    }
  }

  private func check(_ connection: Connection, of engine: SimulatedEngine) throws(Finding) {
    let limits = engine.limits
    let owed = connection.streams.reduce(connection.outbox.count) { $0 + $1.heldBytes }
    guard owed <= limits.unreadBytes else { throw fail("connection \(connection.id) is owed \(owed) bytes") }
    var wanted: Poller.Interest = connection.phase == .new || connection.phase == .open ? .read : []
    if !connection.outbox.isEmpty { wanted.insert(.write) }
    guard connection.interest == wanted else {
      throw fail(
        "connection \(connection.id) waits for \(connection.interest), and should for \(wanted)"
      )
    }
    guard connection.singleCallCount <= limits.callsPerConnection,
      connection.streamCount <= limits.streamsPerConnection + 1,
      connection.bufferCount.value <= limits.buffersPerConnection
    else { throw fail("connection \(connection.id) has more than it may") }
    for case (_, .single(let call, _)) in connection.pendingCalls {
      guard engine.queue.waiting[call] != nil || engine.queue.isUnderWay(call) else {
        throw fail("call \(call.stream) of connection \(connection.id) is lost")
      }
    }
    for stream in connection.streams {
      guard stream.ending != nil || engine.connections.isServing,
        stream.isClosedByClient || connection.phase != .finishing
      else {
        throw fail("stream \(stream.requestID.stream) of connection \(connection.id) is not told of the end")
      }
      guard
        stream.isWorking
          == (engine.queue.waiting[stream.requestID] != nil || engine.queue.isUnderWay(stream.requestID))
      else {
        throw fail("stream \(stream.requestID.stream) of connection \(connection.id) has lost its frame")
      }
      guard stream.unsettledCount <= max(2, limits.frameCredit) else {
        throw fail("stream \(stream.requestID.stream) has \(stream.unsettledCount) frames")
      }
      guard stream.isWorking || stream.isIdle else {
        throw fail("stream \(stream.requestID.stream) of connection \(connection.id) stands still")
      }
    }
  }

  /// Nothing runs for a caller that is gone, unless it has been told to end.
  private func checkRunning(_ engine: SimulatedEngine) throws(Finding) {
    for worker in engine.queue.numbers {
      guard let own = engine.queue.workers[worker], let call = own.job?.requestID, let token = own.token
      else {
        continue
      }
      let isWanted =
        switch engine.connections.connections[call.connection]?.pendingCalls[call.stream] {
        case .single(call, _): true
        case .frames(let stream): stream.requestID == call
        default: false
        }
      guard isWanted || token.isCancelled else { throw fail("worker \(worker) runs call \(call) for nobody") }
    }
  }

  /// Every call is answered by its deadline and one step, as far as the client reads.
  private func checkDeadlines(_ peer: SimulatedPeer) throws(Finding) {
    guard peer.isOwedAnswers, let engine = peer.engine, !engine.isClosed, let transport = peer.transport,
      let connection = engine.connections.connections[transport.id], connection.outbox.isEmpty
    else { return }
    for (number, call) in peer.ledger.calls {
      if let end = call.cancelEnd, end <= transport.readCount {
        throw fail("call \(number) of peer \(peer.number) is cancelled, and has no answer")
      }
      let deadline =
        call.kind == .stream ? min(call.deadline, call.frames.first?.deadline ?? .never) : call.deadline
      guard deadline != .never, call.kind == .single || call.frames.first?.arrival != nil else { continue }
      let late = clock.now - max(deadline, call.firstSince, call.frames.first?.arrival ?? deadline)
      guard late > .milliseconds(12) else { continue }
      guard let step = engine.queue.step(of: number, connection: transport.id),
        late < step + .milliseconds(40)
      else {
        throw fail(
          "call \(number) of peer \(peer.number) is not answered \(late.seconds) s after its deadline: \(engine.queue.states)"
        )
      }
    }
    try checkNotices(peer, connection, engine)
  }

  /// The client knows the engine's health, and that it stops.
  private func checkNotices(
    _ peer: SimulatedPeer, _ connection: Connection, _ engine: SimulatedEngine
  ) throws(Finding) {
    for (number, call) in peer.ledger.calls where call.kind == .healthWatch && call.arrival != nil {
      guard call.status == engine.connections.announcedHealth else {
        throw fail("watch \(number) of peer \(peer.number) knows \(String(describing: call.status))")
      }
    }
    let fewest = engine.connections.isServing || !peer.ledger.hasHello ? 0 : 1
    guard fewest <= peer.ledger.goAways, peer.ledger.goAways <= engine.stopCount else {
      throw fail("peer \(peer.number) has had \(peer.ledger.goAways) GOAWAYs")
    }
  }

  /// The engine closes a connection: a client that keeps the rules has had its answers.
  func checkClose(of peer: SimulatedPeer, _ transport: SimulatedTransport, by engine: SimulatedEngine) {
    answerCount += peer.ledger.answerCount
    guard !peer.ledger.isRude, !transport.isGone, !transport.hasLostDescriptor,
      let connection = engine.connections.connections[transport.id]
    else { return }
    if connection.owedBytes > engine.limits.unreadBytes || connection.refusal != nil { return }
    peer.ledger.noteRead(transport.readCount, at: clock.now)
    let isStopped = if case .stopped = engine.connections.phase { true } else { false }
    if isStopped, !connection.outbox.isEmpty { return }
    let unanswered = peer.ledger.numbers { $0.arrival != nil }
    if isStopped || peer.hasFinished {
      guard unanswered.isEmpty, connection.outbox.isEmpty else {
        return note("peer \(peer.number) (\(peer.kind)) is closed without answers to \(unanswered)")
      }
    } else if connection.phase != .new || clock.now - peer.connectedAt < engine.limits.firstFrameTimeout {
      note("peer \(peer.number) (\(peer.kind)) is closed in phase \(connection.phase)")
    }
  }
}
