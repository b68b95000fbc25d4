import EngineLink
import FaceCore
import GatewayCoding
import NIOCore
import NIOEmbedded
import Wire

/// What the engine does with the calls and streams, and which answers these may get.
extension LinkCallers {
  // MARK: In the engine

  func sent(_ id: Int, _ connection: SimulatedEngine.Connection, _ timeout: Int64) {
    if let stream = streams[id] {
      report.check(stream.isWaiting, "stream \(id) is opened twice")
      let first = streams.values.filter { $0.isWaiting && !$0.isOver }.map(\.order).min()
      report.check(first == stream.order, "stream \(id) comes before others that waited for longer")
      (stream.isWaiting, stream.connection) = (false, connection)
      return
    }
    guard let call = calls[id] else { return report.found("call \(id) is sent after its end") }
    report.check(call.isWaiting, "call \(id) is sent twice")
    let first = calls.values.filter(\.isWaiting).map(\.order).min()
    report.check(first == call.order, "call \(id) comes before others that waited for longer")
    (call.isWaiting, call.connection, call.sentAt) = (false, connection, loop.now)
    let left = call.deadline.map { ($0 - loop.now).nanoseconds } ?? 0
    report.check(timeout == left, "call \(id) is sent with \(timeout) ns, and has \(left)")
  }

  func begun(_ id: Int, _ connection: SimulatedEngine.Connection, _ number: UInt32) {
    report.check(begunIDs.insert(id).inserted, "the engine begins \(id) twice")
    guard let call = calls[id] else { return }
    let code = random.isLucky(oneIn: 5) ? StatusCode.allCases.randomElement(using: &random) ?? .ok : .ok
    let time = random.span(from: .microseconds(100), to: .seconds(random.isLucky(oneIn: 20) ? 60 : 2))
      .nanoseconds
    // An engine may be late.
    let isLate = call.timeout > 0 && time > call.timeout && !random.isLucky(oneIn: 4)
    engine.later(.nanoseconds(isLate ? call.timeout : time), connection) { [unowned self] in
      answer(id, connection, number, isLate ? .deadlineExceeded : code)
    }
  }

  /// Answers a call, or ends a stream.
  private func answer(
    _ id: Int, _ connection: SimulatedEngine.Connection, _ number: UInt32, _ code: StatusCode
  ) {
    guard connection.unanswered[number] != nil else { return }
    calls[id]?.answer = code
    streams[id]?.answer = code
    let payload = Array(ByteBuffer(integer: UInt64(id)).readableBytesView)
    engine.finish(
      number, of: connection,
      code != .ok
        ? FailedCall.responseFrame(stream: number, Status(code, "of \(id)"))
        : Self.isStream(id, in: self)
          ? StreamEnd.responseFrame(stream: number)
          : Self.frame(.response, number, [0x12, UInt8(payload.count)] + payload))
  }

  private static func isStream(_ id: Int, in callers: LinkCallers) -> Bool { callers.streamIDs.contains(id) }

  private static func frame(_ type: FrameType, _ stream: UInt32, _ data: [UInt8]) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.writeMultipleIntegers(UInt32(data.count), stream, type.rawValue, UInt8(0))
    buffer.writeBytes(data)
    return Array(buffer.readableBytesView)
  }

  func calledOff(_ id: Int) -> Bool {
    if let call = calls[id] {
      (call.isWaiting, call.connection, call.order) = (true, nil, nextOrder())
      return true
    }
    guard let stream = streams[id] else { return false }
    guard stream.sentCount < 0 else {
      stream.answer = .unavailable
      return false
    }
    (stream.isWaiting, stream.connection, stream.order) = (true, nil, nextOrder())
    return true
  }

  func received(_ id: Int, _ connection: SimulatedEngine.Connection, _ number: UInt32, _ body: [UInt8]?) {
    guard let stream = streams[id] else { return }
    guard let body else {
      stream.hasArrivedEnd = true
      return endIfAnswered(stream, connection, number)
    }
    let frame = body.reduce(0) { $0 << 8 | Int($1) }
    stream.arrivedCount += 1
    report.check(
      frame == stream.arrivedCount, "frame \(frame) of stream \(id) arrives as \(stream.arrivedCount)")
    if frame == 0 {
      let credit = UInt32(engine.limits.frameCredit)
      return engine.send(ControlFromEngine.credit(stream: number, frames: credit).frame, on: connection)
    }
    let time = random.span(from: .microseconds(100), to: .seconds(1)).nanoseconds
    engine.later(.nanoseconds(time), connection) { [unowned self] in
      guard connection.unanswered[number] != nil else { return }
      stream.engineAnsweredCount += 1
      let answer = withUnsafeBytes(of: UInt32(stream.engineAnsweredCount).bigEndian) { Array($0) }
      engine.send(Self.frame(.data, number, answer), on: connection)
      endIfAnswered(stream, connection, number)
    }
  }

  private func endIfAnswered(
    _ stream: Stream, _ connection: SimulatedEngine.Connection, _ number: UInt32
  ) {
    guard stream.hasArrivedEnd || connection.lastServed != .max,
      stream.engineAnsweredCount == max(0, stream.arrivedCount)
    else { return }
    answer(stream.id, connection, number, stream.hasArrivedEnd ? .ok : .unavailable)
  }

  func drained(_ id: Int, _ connection: SimulatedEngine.Connection, _ number: UInt32) {
    if let stream = streams[id] { endIfAnswered(stream, connection, number) }
  }

  func cancelled(_ id: Int, _ connection: SimulatedEngine.Connection, _ number: UInt32) {
    report.check(
      calls[id]?.isCancelled ?? streams[id]?.isCancelled ?? true, "\(id) is cancelled, and its caller waits")
    answer(id, connection, number, .cancelled)
  }

  // MARK: At the callers

  func completed(_ call: Call, _ result: Result<ByteBuffer, CallFailure>, wasFull: Bool) {
    report.check(!call.isOver, "call \(call.id) is answered twice")
    call.isOver = true
    calls[call.id] = nil
    answerCount += 1
    switch result {
    case .success(let answer):
      let id = answer.getInteger(at: answer.readerIndex, as: UInt64.self).map { Int($0) }
      report.check(call.answer == .ok && id == call.id, "call \(call.id) gets the answer to \(id ?? 0)")
    case .failure(let failure):
      if failure.status.detail == .limit("gateway_waiting_calls") {
        return report.check(wasFull, "call \(call.id) is one too many, and there is room")
      }
      check(
        failure.status, call.id, call.answer, call.connection, isCancelled: call.isCancelled,
        deadline: call.deadline)
    }
  }

  func ended(_ stream: Stream, _ failure: CallFailure?) {
    report.check(!stream.isOver, "stream \(stream.id) ends twice")
    stream.isOver = true
    streams[stream.id] = nil
    answerCount += 1
    guard let status = failure?.status else {
      return report.check(
        stream.answer == .ok && stream.answeredCount == stream.engineAnsweredCount,
        "stream \(stream.id) ends with \(stream.answeredCount) answers, and the engine gave \(stream.engineAnsweredCount)"
      )
    }
    let isRefused = status.detail == .limit("gateway_checks")
    report.check(isRefused == stream.isRefused, "stream \(stream.id): \(status)")
    if isRefused { return }
    check(status, stream.id, stream.answer, stream.connection, isCancelled: false, deadline: nil)
  }

  /// Whether a call or a stream may fail so.
  private func check(
    _ status: Status, _ id: Int, _ answer: StatusCode?, _ connection: SimulatedEngine.Connection?,
    isCancelled: Bool, deadline: NIODeadline?
  ) {
    let now = loop.now
    let isAllowed =
      switch status {
      case CallFailure.hung.status: hasHung(connection)
      case CallFailure.connectionLost.status: connection?.isLost ?? false || engine.lost == now
      case CallFailure.unreachable.status: engine.refused == now
      case CallFailure.unanswered.status: deadline.map { now > $0 + .milliseconds(250) } ?? false
      case _ where status.message == "of \(id)": answer == status.code
      case _ where status.code == .cancelled: isCancelled
      case _ where status.code == .deadlineExceeded: deadline.map { now >= $0 } ?? false
      case _ where status.code == .unavailable: answer == .unavailable
      default: false
      }
    report.check(isAllowed, "\(id) fails: \(status)")
  }

  /// Whether the engine answered nothing for two seconds, and no probe since, or one a moment ago.
  private func hasHung(_ connection: SimulatedEngine.Connection?) -> Bool {
    let now = loop.now
    let longest = TimeAmount.milliseconds(1990)
    if let muted = connection?.mutedAt, now - muted > longest { return true }
    return engine.hangs.contains { hang in
      (hang.until ?? now) - hang.from > longest && now - (hang.answered ?? now) < .seconds(4)
    }
  }

  // MARK: At any time

  func check() {
    let now = loop.now
    let waiting = (
      calls: calls.values.filter(\.isWaiting).count, streams: streams.values.filter(\.isWaiting).count
    )
    report.check(link.isLive, "the gateway says that it can call no engine any more")
    report.check(
      link.waitingCallCount == waiting.calls, "\(link.waitingCallCount) calls wait, not \(waiting.calls)")
    report.check(
      link.waitingStreamCount == waiting.streams,
      "\(link.waitingStreamCount) streams wait, not \(waiting.streams)")
    let checks = streams.values.filter(\.isCheck).count
    report.check(link.checkCount == checks, "\(link.checkCount) checks count, and \(checks) are open")
    checkRoom(waiting.calls, for: .calls, each: engine.limits.callsPerConnection)
    checkRoom(waiting.streams, for: .streams, each: engine.limits.streamsPerConnection)
    for call in calls.values {
      let isHung = call.connection?.mutedAt.map { now - max($0, call.sentAt) > .seconds(4) } ?? false
      report.check(!isHung, "call \(call.id) waits on a connection that has hung for four seconds")
      if let deadline = call.deadline, now - deadline > .milliseconds(500) {
        report.found("call \(call.id) has no answer \((now - deadline).nanoseconds) ns after its deadline")
      }
    }
    if engine.isSilent, now - engine.silentSince > .seconds(4), !calls.isEmpty || !streams.isEmpty {
      report.found(
        "\(calls.count) calls and \(streams.count) streams wait for an engine that has hung for four seconds")
    }
  }

  /// Nothing waits while there is room, or could be: then the gateway connects. After an attempt that failed
  /// it pauses until its next tick, so an engine that ends every connection does not keep it busy. An attempt
  /// whose connection hangs lasts until the gateway detects that, within the three seconds of docs/gateway.md.
  private func checkRoom(_ waiting: Int, for use: SimulatedEngine.Use, each most: Int) {
    guard waiting > 0 else { return }
    let open = engine.connections.filter { $0.use == use && $0.isOpen }
    let now = loop.now
    let isGreeting = engine.connections.contains {
      $0.isGreeting && $0.mutedAt.map { now - $0 <= .seconds(3) } ?? true
    }
    let isConnecting = !engine.connecting.isEmpty || isGreeting
    let isPausing = engine.attemptFailed.map { now - $0 <= .milliseconds(250) } ?? false
    report.check(
      open.count >= use.mostConnections || isConnecting || isPausing || engine.isSilent,
      "\(waiting) \(use) wait, and nobody connects")
    if use == .streams, open.count < use.mostConnections { return }
    for connection in open {
      report.check(connection.unanswered.count >= most, "\(waiting) \(use) wait, and a connection has room")
    }
  }

  /// Everything ends when the engine is well.
  func end() {
    for connection in engine.connections where connection.mutedAt != nil { engine.lose(connection) }
    engine.become(.serving)
    for stream in streams.values.sorted(by: { $0.id < $1.id }) { stream.finish() }
    for _ in 0..<240 { loop.advanceTime(by: .milliseconds(500)) }
    check()
    report.check(
      calls.isEmpty && streams.isEmpty, "\(calls.count) calls and \(streams.count) streams have no end")
    // The next probe may just have been sent.
    for connection in engine.connections where connection.use != .probe {
      report.check(
        connection.unanswered.isEmpty,
        "the engine has \(connection.unanswered.count) calls that nobody waits for")
    }
  }
}
