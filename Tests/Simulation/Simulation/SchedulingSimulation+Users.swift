import FaceCore
import Service

/// What users do, and what they are answered.
extension SchedulingSimulation {
  func job(_ number: Int) -> Job<Int> {
    let call = calls[number]
    return Job(
      requestID: call.requestID, deadline: call.deadline, size: call.size, usesModels: call.usesModels,
      work: number)
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
    if random.isLucky(oneIn: 10) { try reserve(user) }
    if users[user].calls.count < users[user].most { try send(user) }
  }

  /// The connections of a user take something else that is limited.
  private mutating func reserve(_ user: Int) throws(Finding) {
    if reservations.count > 12 || random.isLucky(oneIn: 3), !reservations.isEmpty {
      let (user, amount, _) = reservations.remove(at: random.pick(0...reservations.count - 1))
      return owned.add(amount, of: user, times: -1)
    }
    var amount = UserAccount(checks: 1)
    if !random.isLucky(oneIn: 4) {
      let kind = [\UserAccount.frameBytes, \.mappedBytes, \.incomingBytes][random.pick(0...2)]
      let most = owned.most(kind, for: UInt32(user))
      // Often as much as there is, or one byte more.
      let size =
        random.isLucky(oneIn: 2)
        ? random.pick(0...1) + most : random.pick(1...limits.queuedBytes / random.pick(1...8))
      amount = UserAccount()
      amount[keyPath: kind] = max(1, size)
    }
    var failure: Status?
    do throws(Status) {
      reservations.append((UInt32(user), amount, try accounts.reserve(amount, for: UInt32(user))))
    } catch { failure = error }
    if let fault = owned.fault(failure, amount, for: UInt32(user)) { throw fail(fault) }
    if failure == nil { owned.add(amount, of: UInt32(user)) }
  }

  private mutating func send(_ user: Int) throws(Finding) {
    let number = calls.count
    let requestID = RequestID(
      user: UInt32(user), connection: users[user].connections.randomElement(using: &random) ?? 0,
      stream: UInt32(number), serial: UInt64(number))
    calls.append(users[user].makeCall(requestID, at: now, &random))
    if random.isLucky(oneIn: 20) {
      calls[number].size = max(1, random.pick(0...1) + owned.most(\.queuedBytes, for: UInt32(user)))
    }
    calls[number].since = now
    calls[number].pixels = min(calls[number].pixels, allPixels)
    // A frame of a stream has the place of the one that waits there.
    if calls[number].isFrame,
      let old = users[user].calls.first(where: { calls[$0].isFrame && calls[$0].state == .waiting })
    {
      calls[number].requestID = calls[old].requestID
      calls[number].turns = 1
      guard let replaced = schedule.replaceQueued(with: job(number)), replaced.work == old else {
        throw fail("no frame waits in the place of call \(old)")
      }
      model.replace(old, with: number, of: calls[old].requestID)
      add(number)
      return try end(old, from: .waiting)
    }
    let wasEmpty = waitingCalls == 0
    var (failure, wakes): (Status?, WorkerSchedule<Int>.Wakes) = (nil, [])
    do throws(Status) { wakes = try schedule.submit(job(number), at: now) } catch { failure = error }
    if let fault = owned.fault(failure, job(number).queued, for: UInt32(user)) { throw fail(fault) }
    if failure != nil { return calls[number].state = .ended }
    model.advance(to: now)
    model.add(number, of: requestID)
    add(number)
    // The first one is for the calling thread.
    try wake(wakes, expected: !wasEmpty && model.mayStart ? .oneWaiting : [])
  }

  private mutating func add(_ number: Int) {
    users[calls[number].user].calls.append(number)
    deadlines.insert(calls[number].deadline.nanoseconds)
    waiting.insert(number)
    changes += 1
    change(number, waiting: 1)
  }

  private mutating func cancel(_ number: Int) throws(Finding) {
    let wasRunning = calls[number].state == .running
    let wakes = schedule.cancel(calls[number].requestID, at: now)
    model.remove(number, of: calls[number].requestID)
    try wake(wakes, expected: wasRunning ? .paused : [])
    try forget(number)
  }

  mutating func loseConnection(of user: Int) throws(Finding) {
    guard let connection = users[user].connections.randomElement(using: &random) else { return }
    let lost = users[user].calls.filter { calls[$0].requestID.connection == connection }
    let wakes = schedule.cancelAll(ofConnection: connection, user: UInt32(user), at: now)
    // A user that has nothing is looked at, too.
    let nobody = RequestID(user: UInt32(user), connection: connection, stream: 0, serial: 0)
    model.remove(-1, of: nobody)
    for call in lost { model.remove(call, of: calls[call].requestID) }
    try wake(wakes, expected: lost.contains { calls[$0].state == .running } ? .paused : [])
    for call in lost { try forget(call) }
    lastConnection += 1
    users[user].connections.removeAll { $0 == connection }
    users[user].connections.append(lastConnection)
  }

  /// Notes that a call was cancelled: one that waits is gone, and one that runs ends soon.
  private mutating func forget(_ number: Int) throws(Finding) {
    if calls[number].state == .waiting { return try end(number, from: .waiting) }
    calls[number].cancelled = min(calls[number].cancelled, now)
    for worker in workerNumbers
    where workers[worker].call == number && [.running, .paused, .stalled].contains(workers[worker].state) {
      model.abandon(worker, from: now)
      guard workers[worker].token?.isCancelled == true else {
        throw fail("call \(number) does not know that it is cancelled")
      }
    }
  }

  mutating func move(_ number: Int, to state: SimulatedCall.State) {
    calls[number].state = state
    calls[number].since = now
    let started = state == .running ? 1 : -1
    if state == .running { waiting.remove(number) } else { waiting.insert(number) }
    change(number, waiting: -started, running: started)
  }

  /// A call has its answer, or nobody waits for one. Exactly once for each call.
  mutating func end(_ number: Int, from state: SimulatedCall.State) throws(Finding) {
    guard calls[number].state == state else {
      throw fail("call \(number) ends as \(state) and is \(calls[number].state)")
    }
    calls[number].state = .ended
    waiting.remove(number)
    let user = calls[number].user
    if let place = users[user].calls.firstIndex(of: number) { users[user].calls.remove(at: place) }
    if state == .waiting { change(number, waiting: -1) } else { change(number, running: -1) }
  }

  private mutating func change(_ number: Int, waiting: Int = 0, running: Int = 0) {
    let user = calls[number].user
    owned.add(job(number).queued, of: UInt32(user), times: waiting)
    users[user].waiting += waiting
    waitingCalls += waiting
    users[user].running += running
    runningCalls += running
  }
}

extension Job {
  /// What it takes up while it waits.
  fileprivate var queued: UserAccount { UserAccount(queuedCalls: 1, queuedBytes: size) }
}
