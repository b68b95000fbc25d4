import FaceCore
import Service

/// The turns of workers: a call that runs waits for memory, is paused, continues and ends.
extension SchedulingSimulation {
  mutating func begin(_ job: Job<Int>, _ token: CancellationToken, on worker: Int) throws(Finding) {
    let call = job.work
    guard calls[call].state == .waiting else { throw fail("call \(call) runs, and it does not wait") }
    guard token.deadline == calls[call].deadline, !token.isCancelled else {
      throw fail("call \(call) has the deadline of another one, or is cancelled")
    }
    if let fault = model.start(call, of: calls[call].requestID, on: worker, at: now) { throw fail(fault) }
    model.abandon(worker, from: calls[call].deadline)
    changes += 1
    move(call, to: .running)
    workers[worker].call = call
    workers[worker].token = token
    workers[worker].left = calls[call].turnTime
    // A call whose caller no longer waits costs nothing.
    if token.deadline <= now { return try finish(worker) }
    if calls[call].pixels == 0 || calls[call].pixels <= freePixels && memoryLine.isEmpty {
      take(worker)
      goOn(worker)
    } else {
      memoryLine.append(worker)
      try stall(worker, true)
      plan(worker, .stalled, at: now + .milliseconds(5))
    }
  }

  // MARK: Memory

  private mutating func take(_ worker: Int) {
    workers[worker].pixels = calls[workers[worker].call].pixels
    freePixels -= workers[worker].pixels
  }

  private mutating func stall(_ worker: Int, _ isStalled: Bool) throws(Finding) {
    changes += 1
    model.stall(worker, isStalled, at: now)
    let isShort =
      waitingCalls > 0 && model.activeCount < capacity + extra && model.turns.count + 2 > workerNumbers.count
    let mayStart = isStalled && (model.mayStart || isShort)
    try wake(
      schedule.stall(worker, isStalled, at: now),
      expected: isStalled ? (mayStart ? [.paused, .oneWaiting] : .paused) : [])
    // The one that waits for the connections starts a further worker if there is none.
    if mayStart, let poller = workerNumbers.first(where: { workers[$0].state == .polling }) {
      plan(poller, .polling, at: soon())
      isPollerWoken = true
    }
  }

  private mutating func grant() {
    while let worker = memoryLine.first, calls[workers[worker].call].pixels <= freePixels {
      memoryLine.removeFirst()
      take(worker)
      plan(worker, .stalled, at: soon())
    }
  }

  /// A call that waits for memory has it, or looks at its token.
  mutating func reachMemory(_ worker: Int) throws(Finding) {
    let hasEnded = workers[worker].token.map { $0.isCancelled || $0.deadline <= now } == true
    guard hasEnded || workers[worker].pixels > 0 else {
      return plan(worker, .stalled, at: now + .milliseconds(5))
    }
    memoryLine.removeAll { $0 == worker }
    try stall(worker, false)
    if hasEnded { return try finish(worker) }
    goOn(worker)
  }

  // MARK: Checks of tokens

  private mutating func goOn(_ worker: Int) {
    workers[worker].since = now
    plan(worker, .running, at: now + min(calls[workers[worker].call].step, workers[worker].left))
  }

  /// The token of the worker's call is checked, or its turn is done.
  mutating func reachCheck(_ worker: Int) throws(Finding) {
    if workers[worker].state == .running {
      workers[worker].left -= now - workers[worker].since
      if workers[worker].left <= .zero { return try finishTurn(worker) }
    }
    let wasPaused = workers[worker].state == .paused
    let (goesOn, wakes) = schedule.mayGoOn(worker, at: now)
    guard goesOn == model.mayGoOn(worker, at: now) else {
      throw fail(
        "call \(workers[worker].call) of user \(calls[workers[worker].call].user) \(goesOn ? "continues" : "pauses")"
      )
    }
    // One that stays paused wakes no other without need: they would wake each other without end.
    let mayWakeOthers = !goesOn && (!wasPaused || model.hasRoom(at: now))
    var expected: WorkerSchedule<Int>.Wakes = model.mayStart ? .oneWaiting : []
    if mayWakeOthers { expected.insert(.paused) }
    try wake(wakes, expected: expected)
    guard goesOn else { return plan(worker, .paused, at: now + WorkerSchedule<Int>.longestWait) }
    if workers[worker].token.map({ $0.isCancelled || $0.deadline <= now }) == true {
      return try finish(worker)
    }
    goOn(worker)
  }

  // MARK: Ends

  private mutating func finishTurn(_ worker: Int) throws(Finding) {
    let call = workers[worker].call
    guard calls[call].turns > 1 else { return try finish(worker) }
    calls[call].turns -= 1
    try noteEnd(worker)
    try wake(schedule.resubmit(job(call), of: worker, at: now), expected: .paused)
    if calls[call].cancelled != .never {
      try end(call, from: .running)
    } else {
      move(call, to: .waiting)
      model.add(call, of: calls[call].requestID)
    }
    // The event loop considers the deadline of the rest.
    if inbox.isEmpty, let poller = workerNumbers.first(where: { workers[$0].state == .polling }) {
      plan(poller, .polling, at: schedule.nextExpiry)
    }
    plan(worker, .asking, at: now)
  }

  private mutating func finish(_ worker: Int) throws(Finding) {
    let call = workers[worker].call
    try noteEnd(worker)
    try wake(schedule.finish(worker, at: now), expected: .paused)
    let (cancelled, step) = (calls[call].cancelled, calls[call].step)
    if cancelled != .never, step != .max, now - cancelled > max(step, .milliseconds(5)) + .milliseconds(2) {
      throw fail("call \(call) ran for \((now - cancelled).seconds) s after it was cancelled")
    }
    // A paused call asks again after `longestWait`, at the latest.
    let late = now - max(calls[call].deadline, calls[call].since)
    if step != .max, late > step + WorkerSchedule<Int>.longestWait + .milliseconds(2) {
      throw fail("call \(call) ran for \(late.seconds) s after its deadline")
    }
    try end(call, from: .running)
    plan(worker, .asking, at: now)
  }

  private mutating func noteEnd(_ worker: Int) throws(Finding) {
    let call = workers[worker].call
    guard workers[worker].token?.isCancelled == (calls[call].cancelled != .never) else {
      throw fail(
        "call \(call) was cancelled at \(calls[call].cancelled.nanoseconds) ns, its token says otherwise")
    }
    if calls[call].usesModels { lastUse = now }
    freePixels += workers[worker].pixels
    workers[worker].pixels = 0
    grant()
    changes += 1
    model.finish(worker, at: now)
  }
}
