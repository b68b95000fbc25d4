import FaceCore
import Posix
import Wire

/// Threads that do calls, each user, connection and stream getting its turn.
final class WorkerPool: Sendable {
  private struct State {
    var queue = JobQueue()
    /// What the threads are at. A ticket that is withdrawn leaves, so that its call is not gone on with.
    var running: Set<Ticket> = []
    var stopping = false
  }

  private let state = Monitor(State())
  private let work = Condition()
  private let harness: Harness
  private let limits: ServiceLimits
  private let deliver: @Sendable (Completion) -> Void

  /// - Parameter deliver: called on a worker's thread, at most once for each job.
  init(harness: Harness, limits: ServiceLimits, deliver: @escaping @Sendable (Completion) -> Void) {
    self.harness = harness
    self.limits = limits
    self.deliver = deliver
  }

  /// The threads end after `stop`.
  func start(_ count: Int) throws(Status) -> [Thread] {
    var threads: [Thread] = []
    do {
      for index in 0..<count { threads.append(try Thread(name: "face-worker-\(index)") { self.run() }) }
    } catch {
      stop()
      for thread in threads { thread.join() }
      throw error
    }
    return threads
  }

  /// Throws `resourceExhausted` when too much waits already.
  func submit(_ job: Job) throws(Status) {
    try state.withLock { (state) throws(Status) in
      guard state.queue.count < limits.queuedCalls,
        state.queue.bytes + job.work.bytes <= limits.queuedBytes
      else {
        throw Status(
          .resourceExhausted,
          "the engine is busy: \(state.queue.count) calls wait already; try again later")
      }
      state.queue.append(job)
    }
    work.wakeOne()
  }

  /// Puts `job` in the place of the one that waits on its stream; that one, or `nil` when none waits and nothing was
  /// done.
  func replace(with job: Job) -> Job? {
    state.withLock { state in state.queue.replace(with: job) }
  }

  /// Forgets a call. What runs goes on to the end of its turn; what it delivers then is nobody's.
  func withdraw(_ ticket: Ticket) {
    state.withLock { state in
      state.queue.remove(ticket)
      state.running.remove(ticket)
    }
  }

  /// The same for all calls of a connection that is no more.
  func withdraw(user: UInt32, connection: UInt64) {
    state.withLock { state in
      state.queue.remove(user: user, connection: connection)
      for ticket in state.running where ticket.connection == connection { state.running.remove(ticket) }
    }
  }

  /// Lets the threads end when they have done what runs; what waits is forgotten.
  func stop() {
    state.withLock { state in state.stopping = true }
    work.wakeAll()
  }

  private func run() {
    while case .job(let job) = next() {
      if let completion = take(turn: job) { deliver(completion) }
    }
  }

  /// Does one turn's work. When this returns the job is gone, and with it its hold on shared memory: a peer that has its
  /// answer finds that freed.
  private func take(turn job: consuming Job) -> Completion? {
    let ticket = job.ticket
    let method = job.work.method
    switch harness.take(turn: job.work) {
    case .done(let answer):
      state.withLock { state in _ = state.running.remove(ticket) }
      return Completion(ticket: ticket, method: method, answer: answer)
    case .more(let work):
      let goesOn = state.withLock { state in
        // Not refused for want of room: it was let in as a whole.
        guard state.running.remove(ticket) != nil else { return false }
        state.queue.append(Job(ticket: ticket, work: work))
        return true
      }
      if goesOn { self.work.wakeOne() }
      return nil
    }
  }

  private enum Next {
    case job(Job)
    case end
  }

  private func next() -> Next? {
    state.wait(for: work) { state in
      if state.stopping { return .end }
      guard let job = state.queue.popFirst() else { return nil }
      state.running.insert(job.ticket)
      return .job(job)
    }
  }
}
