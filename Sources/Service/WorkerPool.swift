import FaceCore
import Posix
import Wire

/// A call, and the connection that its answer goes to.
struct Job: Sendable {
  let connection: UInt64
  let call: Call
}

/// The answer to a job.
struct Completion: Sendable {
  let connection: UInt64
  let method: Method
  let stream: UInt32
  let answer: Answer
}

/// Threads that do calls, each connection getting its turn.
final class WorkerPool: Sendable {
  private struct State {
    var queue = TurnQueue<UInt64, Job>()
    var queuedBytes = 0
    var stopping = false
  }

  private let state = Monitor(State())
  private let work = Condition()
  private let harness: Harness
  private let limits: ServiceLimits
  private let deliver: @Sendable (Completion) -> Void

  /// - Parameter deliver: called on a worker's thread, once for each job that was not withdrawn.
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
        state.queuedBytes + job.call.body.count <= limits.queuedBytes
      else {
        throw Status(
          .resourceExhausted,
          "the engine is busy: \(state.queue.count) calls wait already; try again later")
      }
      state.queuedBytes += job.call.body.count
      state.queue.append(job, to: job.connection)
    }
    work.wakeOne()
  }

  /// Forgets what waits for a connection that is no more. What runs goes on, and is delivered to nobody.
  func withdraw(_ connection: UInt64) {
    state.withLock { state in
      for job in state.queue.remove(connection) { state.queuedBytes -= job.call.body.count }
    }
  }

  /// Lets the threads end when they have done what runs; what waits is forgotten.
  func stop() {
    state.withLock { state in state.stopping = true }
    work.wakeAll()
  }

  private func run() {
    while case .job(let job) = next() {
      let answer = harness.answer(job.call)
      deliver(
        Completion(
          connection: job.connection, method: job.call.method, stream: job.call.stream, answer: answer))
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
      state.queuedBytes -= job.call.body.count
      return .job(job)
    }
  }
}
