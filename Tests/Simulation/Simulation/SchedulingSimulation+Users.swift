import FaceCore
import Service

/// What users do, and what they are answered.
extension SchedulingSimulation {
  func job(_ number: Int) -> Job<Int> {
    let call = calls[number]
    return Job(
      requestID: call.requestID, deadline: call.deadline, size: call.size, usesModels: true, work: number)
  }

  /// A message of `user` arrives; the worker that waits for the connections reads it.
  mutating func receive(_ user: Int) {
    inbox.append(user)
    guard let poller = workerNumbers.first(where: { workers[$0].state == .polling }) else { return }
    plan(poller, .polling, at: soon())
  }

  mutating func handle(_ user: Int) throws(Finding) {
    if isDraining { return }
    timeline.add(.user(user), at: now + users[user].pause(&random))
    if random.isLucky(oneIn: 60) { return try loseConnection(of: user) }
    if random.isLucky(oneIn: 12), let call = users[user].calls.randomElement(using: &random) {
      return try cancel(call)
    }
    if users[user].calls.count < users[user].most { try send(user) }
  }

  private mutating func send(_ user: Int) throws(Finding) {
    let number = calls.count
    let requestID = RequestID(
      user: UInt32(user), connection: users[user].connection, stream: UInt32(number), serial: UInt64(number))
    calls.append(users[user].makeCall(requestID, at: now, &random))
    calls[number].since = now
    // A frame of a stream has the place of the one that waits there.
    if calls[number].isFrame,
      let old = users[user].calls.first(where: { calls[$0].isFrame && calls[$0].state == .waiting })
    {
      calls[number].requestID = calls[old].requestID
      calls[number].turns = 1
      guard let replaced = schedule.replaceQueued(with: job(number)) else {
        throw fail("no frame waits in the place of call \(old)")
      }
      add(number)
      return try end(replaced.work, from: .waiting)
    }
    do throws(Status) {
      wake(try schedule.submit(job(number)))
      add(number)
    } catch {
      calls[number].state = .ended
      let total = accounts.total
      // Users may have half of what others leave; a user that has nothing is refused only when all is taken.
      guard
        users[user].waiting > 0 || total.queuedCalls >= limits.queuedCalls
          || total.queuedBytes + calls[number].size > limits.queuedBytes
      else { throw fail("a user that has nothing is refused: \(error.message)") }
    }
  }

  private mutating func add(_ number: Int) {
    users[calls[number].user].calls.append(number)
    changes += 1
    change(calls[number].user, waiting: 1, size: calls[number].size)
  }

  private mutating func cancel(_ number: Int) throws(Finding) {
    guard calls[number].cancelled == .never else { return }
    wake(schedule.cancel(calls[number].requestID, at: now))
    try forget(number)
  }

  mutating func loseConnection(of user: Int) throws(Finding) {
    let connection = users[user].connection
    wake(schedule.cancelAll(ofConnection: connection, user: UInt32(user), at: now))
    for call in users[user].calls where calls[call].requestID.connection == connection { try forget(call) }
    lastConnection += 1
    users[user].connection = lastConnection
  }

  /// Notes that a call was cancelled: one that waits is gone, and one that runs ends soon.
  private mutating func forget(_ number: Int) throws(Finding) {
    if calls[number].state == .waiting { return try end(number, from: .waiting) }
    calls[number].cancelled = min(calls[number].cancelled, now)
  }

  mutating func move(_ number: Int, to state: SimulatedCall.State) {
    calls[number].state = state
    calls[number].since = now
    let started = state == .running ? 1 : -1
    change(calls[number].user, waiting: -started, size: calls[number].size, running: started)
  }

  /// A call has its answer, or nobody waits for one. Exactly once for each call.
  mutating func end(_ number: Int, from state: SimulatedCall.State) throws(Finding) {
    guard calls[number].state == state else {
      throw fail("call \(number) ends as \(state) and is \(calls[number].state)")
    }
    calls[number].state = .ended
    let user = calls[number].user
    if let place = users[user].calls.firstIndex(of: number) { users[user].calls.remove(at: place) }
    if users[user].calls.isEmpty { users[user].lastCost = .zero }
    if state == .waiting {
      change(user, waiting: -1, size: calls[number].size)
    } else {
      change(user, running: -1)
    }
  }

  private mutating func change(_ user: Int, waiting: Int = 0, size: Int = 0, running: Int = 0) {
    let wasBacklogged = users[user].isBacklogged
    users[user].waiting += waiting
    waitingCalls += waiting
    waitingBytes += waiting * size
    users[user].running += running
    runningCalls += running
    if !wasBacklogged, users[user].isBacklogged { shares.begin(user) }
  }
}
