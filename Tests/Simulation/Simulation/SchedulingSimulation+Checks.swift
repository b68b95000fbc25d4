import FaceCore
import Service

/// What holds after every event.
extension SchedulingSimulation {
  private typealias Rules = FairQueue<Fifo<Int>>

  mutating func check() throws(Finding) {
    guard runningCalls <= capacity + extra else { throw fail("\(runningCalls) calls run at a time") }
    guard workerNumbers.count <= capacity + extra + 2 else {
      throw fail("there are \(workerNumbers.count) workers")
    }
    if eventCount % 8 == 0 {
      try checkAccounts()
      try checkShares()
      try checkStarts()
    }
    if eventCount % 64 == 0 { try checkTimes() }
    try checkPauses()
    if count(.asking) == 0 { try checkSettled() }
  }

  private func checkAccounts() throws(Finding) {
    let total = accounts.total
    guard total.queuedCalls == waitingCalls, total.queuedBytes == waitingBytes else {
      throw fail(
        "accounts have \(total.queuedCalls) calls and \(total.queuedBytes) bytes, and \(waitingCalls) of \(waitingBytes) wait"
      )
    }
    guard schedule.isRunning == (runningCalls > 0) else {
      throw fail("\(runningCalls) calls run, it says otherwise")
    }
  }

  /// What holds once every worker has its turn.
  private func checkSettled() throws(Finding) {
    guard count(.polling) + count(.reading) + count(.leaving) > 0 else {
      throw fail("nobody waits for the connections")
    }
    if threadsFail { return }
    // Who reads takes one of them next.
    guard runningCalls >= capacity || waitingCalls <= count(.reading) else {
      throw fail("\(waitingCalls) calls wait, and only \(runningCalls) of \(capacity) run")
    }
    guard runningCalls < capacity + extra, count(.polling) == 1 else { return }
    for user in users.indices where users[user].kind == .quiet && users[user].isBlocked {
      throw fail("user \(user) waits with nothing running, beside \(runningCalls) calls")
    }
  }

  // MARK: Pauses

  /// While fewer calls than the capacity go on, none is paused for longer than threads take to wake; and of more
  /// than the capacity, the long ones pause at their checks.
  private mutating func checkPauses() throws(Finding) {
    let going = count(.paused) > 0 ? goingCalls : 0
    needlessPause = count(.paused) > 0 && going < capacity ? min(needlessPause, now) : .never
    guard needlessPause == .never || now - needlessPause <= .milliseconds(5) else {
      throw fail("\(count(.paused)) calls are paused, and only \(going) of \(capacity) run")
    }
    missingPause = count(.running) > capacity && longGoingCalls > capacity ? min(missingPause, now) : .never
    guard missingPause == .never || now - missingPause <= .milliseconds(100) else {
      throw fail("\(count(.running)) calls run for long, and \(capacity) may")
    }
  }

  /// The number of calls that go on, without those that have not looked at their token for long.
  private var goingCalls: Int {
    let silence = WorkerSchedule<Fifo<Int>>.silence + JobSchedule<Int>.longestWait
    return workerNumbers.count { workers[$0].state == .running && workers[$0].since + silence > now }
  }

  /// The number of calls that have gone on for so long that they would pause for others, and check their tokens.
  private var longGoingCalls: Int {
    var number = 0
    for worker in workerNumbers where workers[worker].state == .running {
      let call = calls[workers[worker].call]
      if call.step != .max, call.cancelled == .never, call.since + Rules.slice + call.step < now {
        number += 1
      }
    }
    return number
  }

  /// What a call of `user` that starts now has before it is paused, if nothing changes. Beyond the capacity it has to be
  /// far enough behind to end: memory for calls that would only be paused is not taken.
  func sureTime(_ user: Int) -> TimeSpan {
    let cost = users[user].lastCost
    return runningCalls >= capacity && cost >= Rules.slice ? cost : Rules.slice
  }

  mutating func notePause(_ worker: Int) throws(Finding) {
    let user = calls[workers[worker].call].user
    if !users[user].isBacklogged { shares.begin(user) }
    users[user].paused += 1
    let (had, resumed) = (workers[worker].had, workers[worker].resumed)
    guard had >= Rules.slice else { throw fail("a short call is paused") }
    guard had - resumed.had >= workers[worker].sure || resumed.changes != changes else {
      throw fail(
        "call \(workers[worker].call) is paused \((had - resumed.had).seconds) s after it began or was resumed"
      )
    }
  }

  /// A call that may start does so when another one looks at its token, at the latest.
  private mutating func checkStarts() throws(Finding) {
    let mayStart = waitingCalls > 0 && !threadsFail && schedule.canStart
    let isMissed = mayStart && checksTokens && missedStart.changes == changes
    missedStart = (isMissed ? min(missedStart.since, now) : .never, changes)
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

  // MARK: Times

  private func checkTimes() throws(Finding) {
    for user in users {
      guard user.running <= capacity else { throw fail("a user has \(user.running) calls running") }
      for call in user.calls where calls[call].state == .waiting {
        guard max(calls[call].deadline, calls[call].since) + .milliseconds(10) >= now else {
          throw fail("call \(call) waits after its deadline")
        }
      }
    }
  }

  /// No user gets far ahead of one that waits: by no more than one turn of each worker, of either user.
  private func checkShares() throws(Finding) {
    for user in users.indices where users[user].isBacklogged {
      for other in users.indices where other != user {
        let gain = shares.gain(of: other, over: user)
        let turns = (users[user].longestTurn + users[other].longestTurn) * Int64(capacity)
        let bound = turns + users[user].longestTurn + .milliseconds(200)
        guard gain <= bound else {
          throw fail("user \(other) has \(gain.seconds) s more than user \(user), who waits")
        }
      }
    }
  }

  // MARK: The end

  /// Lets all calls end, checks that nothing is left, and stops the workers.
  mutating func drain() throws(Finding) {
    isDraining = true
    // In every other run the users are gone, too.
    if random.isLucky(oneIn: 2) { for user in users.indices { try loseConnection(of: user) } }
    let end = now + .seconds(3600)
    while waitingCalls + runningCalls > 0 {
      guard now < end else { throw fail("\(waitingCalls) calls wait and \(runningCalls) run for ever") }
      try step()
    }
    guard accounts.total == UserAccount(), users.allSatisfy({ $0.calls.isEmpty }) else {
      throw fail("something is left: \(accounts.total)")
    }
    guard schedule.idleSince == lastUse else {
      throw fail("idle since \(schedule.idleSince.map { "\($0.nanoseconds) ns" } ?? "never")")
    }
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
      if case .act(let worker, let version) = event, workers[worker].version == version { try act(worker) }
    }
    guard workerNumbers.isEmpty else { throw fail("\(workerNumbers.count) workers do not end") }
  }
}
