import FaceCore
import Service

/// What users do, and what they are answered.
extension SchedulingSimulation {
  func job(_ number: Int) -> Job<Int> {
    guard let call = calls[number] else { preconditionFailure("only calls that exist become jobs") }
    return Job(
      requestID: call.requestID, deadline: call.deadline, size: call.size, usesModels: true, work: number)
  }

  /// A message of `user` arrives; the worker that waits for the connections reads it.
  func receive(_ user: Int) throws(Finding) {
    inbox.append(user)
    guard let poller = workerNumbers.first(where: { workers[$0]?.state == .polling }) else { return }
    plan(poller, .polling, at: soon())
  }

  func handle(_ user: Int) throws(Finding) {
    if isDraining { return }
    defer { timeline.add(.user(user), at: now + pause(of: user)) }
    let own = users[user]
    if random.isLucky(oneIn: 60) { return try loseConnection(of: user) }
    if random.isLucky(oneIn: 12), let call = own.calls.randomElement(using: &random) {
      return try cancel(call)
    }
    guard own.calls.count < own.most else { return }
    try send(user)
  }

  private func pause(of user: Int) -> TimeSpan {
    switch users[user].kind {
    case .quiet: random.span(from: .milliseconds(1), to: .milliseconds(200))
    case .flood: random.span(from: .microseconds(10), to: .milliseconds(10))
    case .long, .stubborn: random.span(from: .milliseconds(1), to: .seconds(2))
    }
  }

  private func send(_ user: Int) throws(Finding) {
    let own = users[user]
    lastCall += 1
    let number = lastCall
    var requestID = RequestID(
      user: UInt32(user), connection: own.connection, stream: UInt32(truncatingIfNeeded: number),
      serial: UInt64(number))
    var call = own.makeCall(requestID, user: user, at: now, &random)
    // A frame of a stream has the place of the one that waits there.
    if call.isFrame,
      let old = own.calls.first(where: { calls[$0]?.isFrame == true && calls[$0]?.state == .waiting }),
      let place = calls[old]?.requestID
    {
      requestID = RequestID(
        user: place.user, connection: place.connection, stream: place.stream, serial: place.serial)
      call = SimulatedCall(
        requestID: requestID, user: user, turns: 1, turnTime: call.turnTime, step: call.step,
        deadline: call.deadline, size: call.size, isFrame: true)
      calls[number] = call
      guard let replaced = schedule.replaceQueued(with: job(number), at: now) else {
        throw fail("no frame waits in the place of call \(old)")
      }
      try end(replaced.work, from: .waiting)
      add(number, call)
      return
    }
    calls[number] = call
    do throws(Status) {
      wake(try schedule.submit(job(number), at: now))
      add(number, call)
    } catch {
      calls[number] = nil
      let total = accounts.total
      // Users may have half of what others leave; a user that has nothing is refused only when all is taken.
      guard
        own.waiting > 0 || total.queuedCalls >= limits.queuedCalls
          || total.queuedBytes + call.size > limits.queuedBytes
      else { throw fail("a user that has nothing is refused: \(error.message)") }
    }
  }

  private func add(_ number: Int, _ call: SimulatedCall) {
    users[call.user].calls.append(number)
    waitingCalls += 1
    waitingBytes += call.size
    noteWaiting(call.user, 1)
  }

  private func cancel(_ number: Int) throws(Finding) {
    guard let call = calls[number], call.cancelled == nil else { return }
    wake(schedule.cancel(call.requestID, at: now))
    try forget(number, where: { $0.requestID == call.requestID })
  }

  func loseConnection(of user: Int) throws(Finding) {
    let connection = users[user].connection
    wake(schedule.cancelAll(ofConnection: connection, user: UInt32(user), at: now))
    for call in users[user].calls { try forget(call, where: { $0.requestID.connection == connection }) }
    lastConnection += 1
    users[user].connection = lastConnection
  }

  /// Notes that a call was cancelled: one that waits is gone, and one that runs ends soon.
  private func forget(_ number: Int, where isMeant: (SimulatedCall) -> Bool) throws(Finding) {
    guard let call = calls[number], isMeant(call) else { return }
    if call.state == .waiting { return try end(number, from: .waiting) }
    if call.cancelled == nil { calls[number]?.cancelled = now }
  }

  func move(_ number: Int, to state: SimulatedCall.State) {
    guard let call = calls[number] else { return }
    calls[number]?.state = state
    calls[number]?.since = now
    let change = state == .running ? 1 : -1
    runningCalls += change
    users[call.user].running += change
    waitingCalls -= change
    waitingBytes -= change * call.size
    noteWaiting(call.user, -change)
  }

  /// A call has its answer, or nobody waits for one. Exactly once for each call.
  func end(_ number: Int, from state: SimulatedCall.State) throws(Finding) {
    guard let call = calls[number], call.state == state else {
      throw fail("call \(number) ends as \(state) and is \(String(describing: calls[number]?.state))")
    }
    if state == .waiting {
      waitingCalls -= 1
      waitingBytes -= call.size
      noteWaiting(call.user, -1)
    } else {
      runningCalls -= 1
      users[call.user].running -= 1
      noteWaiting(call.user, 0)
    }
    calls[number] = nil
    users[call.user].calls.removeAll { $0 == number }
  }

  private func noteWaiting(_ user: Int, _ change: Int) {
    users[user].waiting += change
    let waits = users[user].kind == .quiet && users[user].waiting > 0 && users[user].running == 0
    if !waits { overtaken[user] = nil } else if overtaken[user] == nil { overtaken[user] = [:] }
  }

  /// Counts the time of a running call for those that it has overtaken.
  func count(_ time: TimeSpan, of number: Int) {
    guard let user = calls[number]?.user else { return }
    for (quiet, others) in overtaken where others[user] != nil { overtaken[quiet]?[user]? += time }
  }
}
