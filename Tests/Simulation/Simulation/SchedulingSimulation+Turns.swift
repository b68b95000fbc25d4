import FaceCore
import Service

/// The turns of workers: a call that runs is paused, continues and ends.
extension SchedulingSimulation {
  mutating func begin(_ job: Job<Int>, _ token: CancellationToken, on worker: Int) throws(Finding) {
    let call = job.work
    guard calls[call].state == .waiting else { throw fail("call \(call) runs, and it does not wait") }
    changes += 1
    workers[worker].sure = sureTime(calls[call].user)
    move(call, to: .running)
    workers[worker].call = call
    workers[worker].token = token
    workers[worker].left = calls[call].turnTime
    workers[worker].had = .zero
    workers[worker].free = runningCalls > capacity ? FairQueue<Fifo<Int>>.slice : .zero
    workers[worker].resumed = (.zero, changes)
    // A call whose caller no longer waits costs nothing.
    if token.deadline <= now { return try finish(worker) }
    goOn(worker)
  }

  private mutating func goOn(_ worker: Int) {
    workers[worker].since = now
    plan(worker, .running, at: now + min(calls[workers[worker].call].step, workers[worker].left))
  }

  /// The token of the worker's call is checked, or its turn is done.
  mutating func reachCheck(_ worker: Int) throws(Finding) {
    let call = workers[worker].call
    let wasRunning = workers[worker].state == .running
    if wasRunning {
      let time = now - workers[worker].since
      workers[worker].since = now
      workers[worker].left -= time
      workers[worker].had += time
      let user = calls[call].user
      shares.count(time, free: workers[worker].free, of: user, isBacklogged: users[user].isBacklogged)
      workers[worker].free = max(.zero, workers[worker].free - time)
      if workers[worker].left <= .zero { return try finishTurn(worker) }
    }
    let (goesOn, wakes) = schedule.mayGoOn(worker, at: now)
    wake(wakes)
    guard goesOn else {
      if wasRunning { try notePause(worker) }
      return plan(worker, .paused, at: now + JobSchedule<Int>.longestWait)
    }
    if !wasRunning {
      users[calls[call].user].paused -= 1
      workers[worker].resumed = (workers[worker].had, changes)
      workers[worker].sure = FairQueue<Fifo<Int>>.slice / Int64(capacity)
    }
    if workers[worker].token.map({ $0.isCancelled || $0.deadline <= now }) == true {
      return try finish(worker)
    }
    goOn(worker)
  }

  private mutating func finishTurn(_ worker: Int) throws(Finding) {
    let call = workers[worker].call
    guard calls[call].turns > 1 else { return try finish(worker) }
    calls[call].turns -= 1
    noteEnd(worker)
    wake(schedule.resubmit(job(call), of: worker, at: now))
    if calls[call].cancelled != .never { try end(call, from: .running) } else { move(call, to: .waiting) }
    // The event loop considers the deadline of the rest.
    if inbox.isEmpty, let poller = workerNumbers.first(where: { workers[$0].state == .polling }) {
      plan(poller, .polling, at: schedule.nextExpiry)
    }
    plan(worker, .asking, at: now)
  }

  private mutating func finish(_ worker: Int) throws(Finding) {
    let call = workers[worker].call
    noteEnd(worker)
    wake(schedule.finish(worker, at: now))
    let (cancelled, step) = (calls[call].cancelled, calls[call].step)
    if cancelled != .never, step != .max, now - cancelled > step + .milliseconds(2) {
      throw fail("call \(call) ran for \((now - cancelled).seconds) s after it was cancelled")
    }
    // A paused call asks again after `longestWait`, at the latest.
    let late = now - max(calls[call].deadline, calls[call].since)
    if step != .max, late > step + JobSchedule<Int>.longestWait + .milliseconds(2) {
      throw fail("call \(call) ran for \(late.seconds) s after its deadline")
    }
    try end(call, from: .running)
    plan(worker, .asking, at: now)
  }

  private mutating func noteEnd(_ worker: Int) {
    lastUse = now
    let user = calls[workers[worker].call].user
    // A user without calls may be forgotten, also between the turns of a batch.
    users[user].lastCost = users[user].running + users[user].waiting > 1 ? workers[worker].had : .zero
  }
}
