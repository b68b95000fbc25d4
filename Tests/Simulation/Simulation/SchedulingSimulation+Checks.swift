import FaceCore
import Service

/// What holds after every event.
extension SchedulingSimulation {
  func check() throws(Finding) {
    let total = accounts.total
    guard total.queuedCalls == waitingCalls, total.queuedBytes == waitingBytes else {
      throw fail(
        "accounts have \(total.queuedCalls) calls and \(total.queuedBytes) bytes, and \(waitingCalls) of \(waitingBytes) wait"
      )
    }
    guard schedule.isRunning == (runningCalls > 0) else {
      throw fail("\(runningCalls) calls run, it says otherwise")
    }
    guard runningCalls <= capacity + extra else { throw fail("\(runningCalls) calls run at a time") }
    guard workerNumbers.count <= capacity + extra + 2 else {
      throw fail("there are \(workerNumbers.count) workers")
    }
    try checkPauses()
    guard !workerNumbers.contains(where: { workers[$0]?.state == .asking }) else { return }
    try checkSettled()
    if eventCount % 16 == 0 { try checkTimes() }
  }

  /// What holds once every worker has its turn.
  private func checkSettled() throws(Finding) {
    guard workerNumbers.contains(where: { workers[$0]?.state == .polling }) else {
      throw fail("nobody waits for the connections")
    }
    if threadsFail { return }
    guard runningCalls >= capacity || waitingCalls == 0 else {
      throw fail("\(waitingCalls) calls wait, and only \(runningCalls) of \(capacity) run")
    }
    guard runningCalls < capacity + extra else { return }
    for (number, user) in users.enumerated()
    where user.kind == .quiet && user.waiting > 0 && user.running == 0 {
      throw fail("user \(number) waits with nothing running, beside \(runningCalls) calls")
    }
  }

  /// While fewer calls than the capacity go on, none is paused for longer than threads take to wake.
  private func checkPauses() throws(Finding) {
    var (paused, going) = (0, 0)
    for worker in workerNumbers {
      switch workers[worker]?.state {
      case .paused: paused += 1
      case .running: going += 1
      default: break
      }
    }
    guard paused > 0, going < capacity else {
      needlessPause = .never
      return
    }
    needlessPause = min(needlessPause, now)
    guard now - needlessPause <= .milliseconds(5) else {
      throw fail("\(paused) calls are paused, and only \(going) of \(capacity) go on")
    }
  }

  private func checkTimes() throws(Finding) {
    for user in users where user.running > capacity { throw fail("a user has \(user.running) calls running") }
    for user in users {
      for number in user.calls {
        guard let call = calls[number], call.state == .waiting,
          max(call.deadline, call.since) + .milliseconds(3) < now
        else {
          continue
        }
        throw fail("call \(number) waits after its deadline")
      }
    }
    for worker in workerNumbers {
      guard let own = workers[worker], case .paused(let call) = own.state else { continue }
      // A paused call asks again after `longestWait`, at the latest.
      guard now - own.since <= WorkerSchedule<Fifo<Int>>.longestPause + .milliseconds(25) else {
        throw fail("call \(call) is paused for \((now - own.since).seconds) s")
      }
    }
  }

  /// A quiet user is overtaken by no user that has had much since it came.
  func checkOrder(beforeStartOf call: SimulatedCall) throws(Finding) {
    for quiet in users.indices {
      guard let others = overtaken[quiet], quiet != call.user else { continue }
      guard let had = others[call.user] else {
        overtaken[quiet]?[call.user] = .zero
        continue
      }
      guard had <= .milliseconds(200) else {
        throw fail(
          "user \(call.user) has had \(had.seconds) s while user \(quiet) waits, and starts another call")
      }
    }
  }

  /// Lets all calls end, checks that nothing is left, and stops the workers.
  func drain() throws(Finding) {
    isDraining = true
    // In every other run the users are gone, too.
    if random.isLucky(oneIn: 2) { for user in users.indices { try loseConnection(of: user) } }
    let end = now + .seconds(3600)
    while waitingCalls + runningCalls > 0 {
      guard now < end else { throw fail("\(waitingCalls) calls wait and \(runningCalls) run for ever") }
      try step()
    }
    guard accounts.total == UserAccount(), calls.isEmpty else {
      throw fail("something is left: \(accounts.total)")
    }
    guard schedule.idleSince == lastUse else {
      throw fail("idle since \(String(describing: schedule.idleSince))")
    }
    let rest = now + .seconds(60)
    while timeline.nextTime < rest { try step() }
    guard workerNumbers.count == schedule.permanentWorkers.count else {
      throw fail(
        "\(workerNumbers.count) workers are left, and \(schedule.permanentWorkers.count) always exist")
    }
    wake(schedule.stop())
    // The one that waits for the connections is woken by the event loop.
    for worker in workerNumbers where workers[worker]?.state == .polling { plan(worker, .asking, at: soon()) }
    let last = now + .seconds(1)
    while now < last, !workerNumbers.isEmpty, timeline.nextTime != .never {
      guard let (time, event) = timeline.popFirst() else { break }
      now = max(now, time)
      if case .act(let worker, let version) = event, workers[worker]?.version == version { try act(worker) }
    }
    guard workerNumbers.isEmpty else { throw fail("\(workerNumbers.count) workers do not end") }
  }
}
