import FaceCore
import Posix
import Wire

/// Threads that do all there is to do: one of them waits for the peers, and the others run calls, each user, connection
/// and stream getting its turn.
///
/// The thread that has read a call runs it as well, and leaves the waiting to another: so a call wakes one thread of the
/// engine before it is run, and none after. There is one thread more than calls may run, so that one can always wait.
/// Source: D. Schmidt et al., "Leader/Followers", 2000.
final class WorkerPool: Sendable {
  private struct State {
    var queue: JobQueue
    /// Threads that run a job.
    var busy = 0
    /// Whether a thread waits for the peers.
    var isPolling = false
    /// What the threads are at. A requestID that is cancelled leaves, so that its call is not gone on with.
    var running: [RequestID: Canceller] = [:]
    var stopping = false
  }

  private let state: Monitor<State>
  private let work = Condition()
  private let callHandler: CallHandler
  /// Jobs that run at a time.
  private let capacity: Int

  init(callHandler: CallHandler, limits: ServiceLimits, capacity: Int) {
    self.callHandler = callHandler
    state = Monitor(State(queue: JobQueue(limits)))
    self.capacity = capacity
  }

  /// Serves the peers of `loop`. The threads end after `stop`.
  /// - Parameter ended: called, on one of them, when the loop has come to its end.
  func start(
    _ loop: EventLoop, ended: @escaping @Sendable (Result<Bool, Status>) -> Void
  ) throws(Status) -> [Thread] {
    var threads: [Thread] = []
    do {
      for index in 0...capacity {
        threads.append(try Thread(name: "face-worker-\(index)") { self.run(loop, ended) })
      }
    } catch {
      stop()
      for thread in threads { thread.join() }
      throw error
    }
    return threads
  }

  /// Throws `resourceExhausted` when too much waits already.
  func submit(_ job: Job) throws(Status) {
    let count = try state.withLock { (state) throws(Status) in
      try state.queue.check(job)
      state.queue.append(job)
      return state.queue.count
    }
    // The first one is for the thread that calls this, which looks for its next turn soon.
    if count > 1 { work.wakeOne() }
  }

  /// Puts `job` in the place of the one that waits on its stream; that one, or `nil` when none waits and nothing was
  /// done.
  func replace(with job: Job) -> Job? {
    state.withLock { state in state.queue.replace(with: job) }
  }

  /// Forgets a call. What runs ends at the next stage of its work, and what it delivers then is not sent.
  func cancel(_ requestID: RequestID) {
    state.withLock { state in
      state.queue.remove(requestID)
      state.running.removeValue(forKey: requestID)?.cancel()
    }
  }

  /// The same for all calls of a connection that is no more.
  func cancel(user: UInt32, connection: UInt64) {
    state.withLock { state in
      state.queue.remove(user: user, connection: connection)
      for requestID in state.running.keys where requestID.connection == connection {
        state.running.removeValue(forKey: requestID)?.cancel()
      }
    }
  }

  /// Lets the threads end when they have done what runs; what waits is forgotten.
  func stop() {
    state.withLock { state in state.stopping = true }
    work.wakeAll()
  }

  private func run(_ loop: EventLoop, _ ended: @Sendable (Result<Bool, Status>) -> Void) {
    while true {
      let (turn, leavesMore) = next()
      // Whoever takes a turn sees to it that somebody takes the next one.
      if leavesMore { work.wakeOne() }
      switch turn {
      case .job(let job, let token):
        if let completion = take(turn: job, token) { loop.deliver(completion) }
        state.withLock { state in state.busy -= 1 }
      case .poll:
        let outcome = Result { () throws(Status) in try loop.poll() }
        switch outcome {
        case .success(nil): break
        case .success(let drained?): return ended(.success(drained))
        case .failure(let status): return ended(.failure(status))
        }
        state.withLock { state in state.isPolling = false }
      case .end: return
      }
    }
  }

  /// Does one turn's work. When this returns the job is gone, and with it its hold on shared memory: a peer that has its
  /// answer finds that freed.
  private func take(turn job: consuming Job, _ token: CancellationToken) -> Completion? {
    let requestID = job.requestID
    let method = job.work.method
    switch callHandler.take(turn: job.work, token) {
    case .done(let answer):
      state.withLock { state in state.running[requestID] = nil }
      return Completion(requestID: requestID, method: method, answer: answer)
    case .more(let work):
      // Not refused for want of room: it was let in as a whole. This thread takes the next turn, whosever that is.
      state.withLock { state in
        guard state.running.removeValue(forKey: requestID) != nil else { return }
        state.queue.append(Job(requestID: requestID, work: work))
      }
      return nil
    }
  }

  private enum Turn {
    case job(Job, CancellationToken)
    case poll
    case end
  }

  /// What the calling thread does next, and whether another one is needed besides.
  private func next() -> (Turn, leavesMore: Bool) {
    let turn = state.wait(for: work) { state -> (Turn, Bool)? in
      if state.stopping { return (.end, false) }
      if state.busy < capacity, let job = state.queue.popFirst() {
        state.busy += 1
        // What it throws is heard by no one: the caller that cancelled was answered then, or is gone.
        let canceller = Canceller()
        let token = CancellationToken(deadline: job.work.deadline, owner: canceller)
        state.running[job.requestID] = canceller
        return (.job(job, token), !state.isPolling || state.busy < capacity && state.queue.count > 0)
      }
      if state.isPolling { return nil }
      state.isPolling = true
      return (.poll, false)
    }
    return turn ?? (.end, false)
  }
}
