import FaceCore
import Logging
import Posix

/// The threads of the engine: one of them waits for the connections, and the others run jobs, as the
/// scheduler decides.
///
/// The thread that has read a call also runs it, and leaves the waiting to another thread. A call thus wakes
/// one thread of the engine before it runs and none afterwards. There is always a thread more than jobs run,
/// so that one can wait. Source: D. Schmidt et al., "Leader/Followers", 2000.
final class WorkerPool: Sendable {
  private let scheduler: JobScheduler
  private let loop: EventLoop
  private let callHandler: CallHandler
  private let logger: Logger
  private let ended: @Sendable (Result<Bool, Status>) -> Void
  private let threads = Monitor<[Int: Thread]>([:])

  /// - Parameter ended: called on one of the threads when the loop has ended.
  init(
    scheduler: JobScheduler, loop: EventLoop, callHandler: CallHandler, logger: Logger,
    ended: @escaping @Sendable (Result<Bool, Status>) -> Void
  ) {
    self.scheduler = scheduler
    self.loop = loop
    self.callHandler = callHandler
    self.logger = logger
    self.ended = ended
  }

  /// Starts the threads. They end after the scheduler has stopped.
  func start() throws(Status) {
    do {
      for worker in scheduler.permanentWorkers { try start(worker) }
    } catch {
      scheduler.stop()
      join()
      throw error
    }
  }

  /// Waits until all threads have ended.
  func join() {
    // A thread that has yet to start another one is among those that are waited for.
    while let thread = threads.withLock({ $0.popFirst()?.value }) { thread.join() }
  }

  private func start(_ worker: Int) throws(Status) {
    try threads.withLock { (threads) throws(Status) in
      threads[worker] = try Thread(name: "face-worker-\(worker)") { self.run(worker) }
    }
  }

  private func run(_ worker: Int) {
    let statistics = callHandler.service.statistics
    var mayGrow = true
    while true {
      switch scheduler.nextTurn(of: worker, mayGrow: mayGrow) {
      case .run(let job, var token):
        // The thread that waits for the connections starts a further worker if there is none for the next job.
        token.stalls = { [scheduler, loop] in if scheduler.stall(worker, $0) { loop.wake() } }
        // Consumes the job: when this returns, the job has released its shared memory. A peer that has its
        // answer finds the memory freed.
        statistics.busyWorkers.add()
        let outcome = callHandler.run(consume job, token)
        statistics.busyWorkers.subtract()
        switch outcome {
        case .completed(let completion):
          scheduler.finish(worker)
          loop.deliver(completion)
        case .unfinished(let rest):
          scheduler.resubmit(rest, of: worker)
          loop.reconsiderDeadline()
        }
      case .poll:
        do throws(Status) {
          if let isDrained = try loop.poll() { return ended(.success(isDrained)) }
        } catch {
          return ended(.failure(error))
        }
      case .start(let further):
        do throws(Status) {
          try start(further)
          statistics.workers.add()
        } catch {
          scheduler.discard(further)
          logger.warning(
            "a user waits, since no thread can be started", metadata: ["reason": "\(error.message)"])
          mayGrow = false
          continue
        }
      case .end:
        statistics.workers.subtract()
        threads.withLock { $0[worker] = nil }
        return
      }
      mayGrow = true
    }
  }
}
