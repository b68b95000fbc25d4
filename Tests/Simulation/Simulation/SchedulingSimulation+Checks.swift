import FaceCore
import Service

/// What holds after every event.
extension SchedulingSimulation {
  mutating func check() throws(Finding) {
    model.advance(to: now)
    if eventCount % 8 == 0 {
      guard accounts.total == owned.total, accounts.userCount == owned.users.count else {
        throw fail(
          "accounts of \(accounts.userCount) users have \(accounts.total), and should \(owned.total)")
      }
      guard schedule.userCount == model.users.count else {
        throw fail("\(schedule.userCount) users are kept, and should \(model.users.keys.sorted())")
      }
      try checkStarts()
      try checkTimes()
    }
    try checkPauses()
    if count(.asking) == 0 { try checkSettled() }
  }

  /// What holds once every worker has its turn.
  private func checkSettled() throws(Finding) {
    guard count(.polling) + count(.reading) + count(.leaving) > 0 else {
      throw fail("nobody waits for the connections")
    }
    if threadsFail || isPollerWoken { return }
    // Who reads takes one of them next.
    let isRead = waitingCalls <= count(.reading) || count(.stalled) > 0 && count(.reading) > 0
    guard model.activeCount >= capacity || isRead else {
      throw fail("\(waitingCalls) calls wait, and only \(model.activeCount) of \(capacity) run")
    }
    guard model.activeCount < capacity + extra, count(.polling) == 1 else { return }
    for user in users.indices where users[user].kind == .quiet && users[user].isBlocked {
      throw fail("user \(user) waits with nothing running, beside \(runningCalls) calls")
    }
  }

  /// While fewer calls than the capacity continue, none is paused for longer than threads take to wake.
  private mutating func checkPauses() throws(Finding) {
    let silence = TurnModel.silence + WorkerSchedule<Int>.longestWait
    let isNeedless = count(.paused) > 0 && model.hasRoom(at: now, after: silence)
    needlessPause = isNeedless ? min(needlessPause, now) : .never
    guard needlessPause == .never || now - needlessPause <= .milliseconds(5) else {
      throw fail("\(count(.paused)) calls are paused, and fewer than \(capacity) run")
    }
  }

  /// A call that may start does so when another one looks at its token, at the latest.
  private mutating func checkStarts() throws(Finding) {
    let isMissed = waitingCalls > 0 && !threadsFail && model.mayStart && checksTokens
    missedStart = (isMissed && missedStart.changes == changes ? min(missedStart.since, now) : .never, changes)
    guard missedStart.since == .never || now - missedStart.since <= .milliseconds(25) else {
      throw fail("a call may start and waits, beside \(runningCalls) calls")
    }
  }

  /// Whether a call looks at its token within 20 ms.
  private var checksTokens: Bool {
    workerNumbers.contains {
      workers[$0].state == .paused
        || workers[$0].state == .running && calls[workers[$0].call].step < workers[$0].left
    }
  }

  private mutating func checkTimes() throws(Finding) {
    guard schedule.isRunning == (runningCalls > 0),
      schedule.idleSince == (runningCalls + waitingCalls > 0 ? nil : lastUse)
    else { throw fail("idle since \(String(describing: schedule.idleSince)), and \(runningCalls) calls run") }
    let (silent, abandoned) = stuckTimes
    guard schedule.stuckTime(after: silent) == model.stuckTime(after: silent) else {
      throw fail("workers are stuck from \(schedule.stuckTime(after: silent).nanoseconds) ns on")
    }
    let confirmed = schedule.confirmedStuckTime(after: silent, abandoned: abandoned, at: now)
    guard confirmed == model.confirmedStuckTime(after: silent, abandoned: abandoned, at: now) else {
      throw fail("workers count as stuck from \(confirmed.nanoseconds) ns on")
    }
    let expiry = waiting.map { calls[$0].deadline }.min() ?? .never
    guard schedule.nextExpiry <= expiry,
      schedule.nextExpiry == .never || deadlines.contains(schedule.nextExpiry.nanoseconds)
    else {
      throw fail(
        "deadlines are looked at in \(schedule.nextExpiry.nanoseconds) ns, the next: \(expiry.nanoseconds)")
    }
    // Who reads what all users have sent takes up to half a millisecond for each.
    let patience: TimeSpan = .milliseconds(10 + Int64(users.count))
    guard waiting.allSatisfy({ max(calls[$0].deadline, calls[$0].since) + patience >= now }) else {
      throw fail("a call waits after its deadline")
    }
  }

  // MARK: The end

  /// Lets all calls end, checks that nothing is left, and stops the workers.
  mutating func drain() throws(Finding) {
    isDraining = true
    // In every other run the users are gone, too.
    if random.isLucky(oneIn: 2) {
      for user in users.indices { for _ in 0..<3 { try loseConnection(of: user) } }
    }
    let end = now + .seconds(3600)
    while waitingCalls + runningCalls > 0 {
      guard now < end else { throw fail("\(waitingCalls) calls wait and \(runningCalls) run for ever") }
      try step()
    }
    reservations = []
    guard accounts.total == UserAccount(), accounts.userCount == 0, schedule.userCount == 0,
      users.allSatisfy({ $0.calls.isEmpty })
    else {
      throw fail(
        "something is left: \(accounts.total) of \(accounts.userCount) and \(schedule.userCount) users")
    }
    owned = LimitModel(limits)
    let rest = now + .seconds(60)
    while timeline.nextTime < rest { try step() }
    guard workerNumbers.count == schedule.permanentWorkers.count else {
      throw fail(
        "\(workerNumbers.count) workers are left, and \(schedule.permanentWorkers.count) always exist")
    }
    wake(schedule.stop())
    // The one that waits for the connections is woken by the event loop.
    for worker in workerNumbers where workers[worker].state == .polling { plan(worker, .asking, at: soon()) }
    while !workerNumbers.isEmpty, let (time, event) = timeline.popFirst() {
      now = max(now, time)
      if case .act(let worker, let version) = event, workers[worker].version == version {
        guard let turn = schedule.nextTurn(of: worker, at: now, mayGrow: true), case .end = turn.turn else {
          throw fail("worker \(worker) has a turn after the end")
        }
        remove(worker)
      }
    }
    guard workerNumbers.isEmpty else { throw fail("\(workerNumbers.count) workers do not end") }
  }
}
