import Client
import FaceCore
import Posix
import Wire

/// A thread that makes one call after the other, as `Client.withConnection` and `ClientConnection.exchange` do.
final class CallingThread: ClientThread {
  private enum Stage {
    case resting, searching, greeting, calling, reading
  }

  private var stage = Stage.resting
  private var record = ClientCall(0, isImmediate: true)
  private var retries = Retries()
  private var caller = ConnectionSearch<ClientEnd>.Caller()
  private var call = PendingCall(deadline: .never)

  var isResting: Bool { stage == .resting }
  var isConnecting: Bool { stage == .greeting }
  var isReading: Bool { stage == .reading }
  /// Whether it waits for its slot or answer, and why it should not.
  var isParked: Bool { waitsFor === call }
  var isStepping: Bool { stage == .calling && waitsFor == nil && !hasSending }
  var hasUnusedSlot: Bool { (stage == .calling || isReading) && call.stage == .ready(hasSlot: true) }
  var isQueued: Bool { isParked && call.stage == .queued }
  var misses: Bool {
    guard isParked, let end else { return false }
    switch call.stage {
    case .queued: return end.isLost || end.goAway != nil
    case .sent(let stream): return end.isLost || end.goAway.map { $0 < stream } == true
    case .ready, .answered, .refused: return true
    }
  }

  override func proceed() throws(Finding) {
    switch stage {
    case .resting: begin()
    case .searching: try search()
    case .greeting: try greet()
    case .calling: try step()
    case .reading: try read()
    }
  }

  /// The call is cancelled from another thread; see the handlers of `CancellationToken.interruptible`.
  func cancel() {
    guard !isResting, !isCancelled else { return }
    isCancelled = true
    guard let end else { return simulation.wakeThread(self) }
    switch stage {
    case .greeting: end.wire.shutDown()
    case .calling, .reading:
      end.calls.wake(call)
      simulation.wakeCalls(of: end)
      if waitsFor === end.turns { run() }
    case .resting, .searching: simulation.wakeThread(self)
    }
  }

  private func begin() {
    if simulation.isEnding { return }
    record = simulation.newRecord()
    (retries, caller, isCancelled) = (Retries(), ConnectionSearch.Caller(), false)
    deadline = .never
    if random.isLucky(oneIn: 3) {
      deadline = simulation.now + random.span(from: .microseconds(20), to: .seconds(1))
    }
    stage = .searching
    run()
  }

  private func finish(_ status: Status?) throws(Finding) {
    if let fault = fault(status) {
      throw simulation.fail("call \(record.number) ends with \(status?.code ?? .ok): \(fault)")
    }
    simulation.answerCount += 1
    simulation.records[record.number] = nil
    (stage, end, deadline, isCancelled) = (.resting, nil, .never, false)
    run(after: random.span(from: .microseconds(1), to: simulation.traits.pause))
  }

  /// What is wrong with an outcome that is not the engine's answer.
  private func fault(_ status: Status?) -> String? {
    switch status?.code {
    case nil: nil
    case .cancelled: isCancelled ? nil : "nobody has cancelled it"
    case .deadlineExceeded: deadline <= simulation.now ? nil : "its deadline is later"
    case .dataLoss: simulation.hasGarbage ? nil : "no engine has sent garbage"
    default:
      if let status, simulation.hasFailedToConnect(with: status) {
        nil
      } else if record.isUnserved {
        record.attempts < 8 ? "it was not served, and is not made again" : nil
      } else {
        record.end?.isLost == true ? nil : "its engine is there"
      }
    }
  }

  // MARK: Connecting

  private func search() throws(Finding) {
    switch simulation.search.step(
      of: &caller, at: simulation.now, isCancelled: isCancelled, isUsable: \.isUsable)
    {
    case .use(let end): enter(end)
    case .fail(let failure): try finish(failure)
    case .wait:
      if let failure { return try finish(failure) }
      wait(for: simulation.searchers, until: deadline)
    case .connect:
      if let fault = simulation.connecting(isAlone: !simulation.callers.contains(where: \.isConnecting)) {
        throw simulation.fail(fault)
      }
      guard let engine = simulation.listening else {
        return try found(.failure(Status(.unavailable, "no engine listens")), wasRefused: false)
      }
      let end = simulation.connect(to: engine)
      self.end = end
      stage = .greeting
      if let hello = try? Handshake.request([.buffers, .cancel, .goaway]) {
        send({ () throws(ExchangeFailure) in hello }) { [unowned self] (sent) throws(Finding) in
          guard case .failure(let failure) = sent else { return }
          let reason = failure.status == ClientEnd.gone ? ClientEnd.refused : failure.status
          try found(.failure(isCancelled ? Canceller.status : reason), wasRefused: true)
        }
      }
    }
  }

  private func greet() throws(Finding) {
    guard let end else { return }
    let reply = Result { () throws(Status) in try readReply(end) }
    switch reply {
    case .success(let outcome?):
      end.callLimit = outcome.hello?.limits.callsPerConnection ?? 0
      end.calls = CallTable(
        slotCount: end.callLimit, isDraining: outcome.isDraining, draining: ClientEnd.draining)
      end.features = outcome.hello?.features ?? []
      try found(.success(end), wasRefused: true)
    case .success(nil): waitToRead(end.wire)
    case .failure(let reason):
      end.wire.shutDown()
      try found(.failure(reason), wasRefused: true)
    }
  }

  private func readReply(_ end: ClientEnd) throws(Status) -> Handshake.Outcome? {
    if end.wire.isReadable {
      guard let frames = try end.read() else { throw isCancelled ? Canceller.status : ClientEnd.refused }
      if frames.contains(where: { $0.header.type == FrameType.goAway.rawValue }) { end.goAway = 0 }
      return try Handshake.outcome(in: frames)
    }
    if let failure { throw failure }
    return nil
  }

  private func found(_ outcome: Result<ClientEnd, Status>, wasRefused: Bool) throws(Finding) {
    var isCallers = false
    if case .failure(let reason) = outcome { isCallers = reason == failure }
    let old = simulation.search.finish(
      outcome, isCallers: isCallers, wasRefused: wasRefused, at: simulation.now, &random)
    // Its last user closes it.
    if let old, old.queue.failure != nil { old.wire.close() }
    simulation.wake(simulation.searchers)
    switch outcome {
    case .success(let end):
      simulation.noteSuccess()
      enter(end)
    case .failure(let reason):
      if !isCallers { simulation.noteFailure(reason, wasRefused: wasRefused) }
      end = nil
      try finish(reason)
    }
  }

  // MARK: Calling

  private func enter(_ end: ClientEnd) {
    self.end = end
    stage = .calling
    call = PendingCall(deadline: deadline)
    (record.hasBegun, record.stream, record.end) = (false, 0, end)
    record.attempts += 1
    end.calls.add(call, isImmediate: record.isImmediate)
    simulation.wakeCalls(of: end)
    run()
  }

  private func step() throws(Finding) {
    guard let end else { return }
    let before = call.stage
    let step = end.calls.step(of: call, at: simulation.now, isCancelled: isCancelled)
    simulation.wakeCalls(of: end)
    switch step {
    case .wait: wait(for: call, until: deadline)
    case .read:
      if let other = simulation.callers.first(where: { $0.end === end && $0.isReading }) {
        throw simulation.fail("two threads read: \(number) and \(other.number)")
      }
      stage = .reading
      run()
    case .send: transmit(end)
    case .finish(let body): try finish(with: body)
    case .fail(let failure, let stream):
      var given: UInt32?
      if case .sent(let own) = before, self.failure == failure.status { given = own }
      guard stream == given else {
        throw simulation.fail("call \(record.number) cancels \(stream ?? 0), not \(given ?? 0)")
      }
      guard let stream, end.features.contains(.cancel) else { return try fail(failure) }
      end.cancelCount += 1
      try sendQueued(ControlFromClient.cancel(stream: stream).frame) { [unowned self] () throws(Finding) in
        try fail(failure)
      }
    }
  }

  private func transmit(_ end: ClientEnd) {
    let make = { [unowned self] () throws(ExchangeFailure) -> [UInt8] in
      let stream = try end.calls.assignStream(to: call)
      simulation.wakeCalls(of: end)
      (record.stream, record.cancelsBefore) = (stream, end.cancelCount)
      if !record.isImmediate, end.callLimit > 0 { end.slots.insert(stream) }
      let size = random.isLucky(oneIn: 8) ? random.pick(0...2000) : random.pick(0...40)
      return rawFrame(.request, stream, record.bytes + [UInt8](repeating: 0, count: size))
    }
    let began = { [unowned self] in record.hasBegun = true }
    send(make, began: began) { [unowned self] (sent) throws(Finding) in
      guard case .failure(let failure) = sent else { return }
      end.slots.remove(record.stream)
      end.calls.withdraw(call)
      simulation.wakeCalls(of: end)
      if record.hasBegun { throw simulation.fail("call \(record.number) counts as unsent, and has begun") }
      try fail(failure)
    }
  }

  private func fail(_ failure: ExchangeFailure) throws(Finding) {
    guard retries.continues(after: failure) else { return try finish(failure.status) }
    guard record.isUnserved else { throw simulation.fail("call \(record.number) may have been served") }
    (stage, end, caller) = (.searching, nil, ConnectionSearch.Caller())
    run()
  }

  private func finish(with body: [UInt8]) throws(Finding) {
    guard body.dropLast() == record.bytes[...], record.answer?.rawValue == body.last.map(Int32.init) else {
      throw simulation.fail("call \(record.number) gets the answer \(body), not \(record.answer ?? .unknown)")
    }
    try finish(nil)
  }

  // MARK: Reading

  private func read() throws(Finding) {
    guard let end else { return }
    if !end.wire.isReadable, !end.isInterrupted, failure == nil { return waitToRead(end.wire) }
    stage = .calling
    end.calls.stopReading()
    do throws(Status) {
      if end.isInterrupted {
        end.isInterrupted = false
      } else if end.wire.isReadable {
        guard let frames = try end.read() else { throw ClientEnd.ended }
        for frame in frames { try receive(frame, end) }
      }
    } catch {
      end.isLost = true
      end.calls.lose(end.queue.fail(error))
    }
    simulation.wakeCalls(of: end)
    run()
  }

  private func receive(_ frame: Frame, _ end: ClientEnd) throws(Status) {
    _ = try end.calls.receive(frame)
    if frame.header.type == FrameType.response.rawValue { end.slots.remove(frame.header.stream) }
    if frame.header.type == FrameType.goAway.rawValue {
      let last = frame.body.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      end.goAway = last
      end.slots = end.slots.filter { $0 <= last }
    }
  }
}
