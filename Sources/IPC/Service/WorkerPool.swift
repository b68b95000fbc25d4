import FaceCore
import Posix

/// The threads of the engine: one of them waits for the connections, and the others run jobs, as the
/// scheduler decides.
///
/// The thread that has read a call also runs it, and leaves the waiting to another thread. A call thus wakes
/// one thread of the engine before it runs and none afterwards. There is one thread more than jobs may run,
/// so that one can always wait. Source: D. Schmidt et al., "Leader/Followers", 2000.
struct WorkerPool: Sendable {
  let scheduler: JobScheduler
  let loop: EventLoop
  let callHandler: CallHandler

  /// Starts the threads. They end after the scheduler has stopped.
  /// - Parameter ended: called on one of them when the loop has ended.
  func start(ended: @escaping @Sendable (Result<Bool, Status>) -> Void) throws(Status) -> [Thread] {
    var threads: [Thread] = []
    do {
      for worker in 0..<scheduler.capacity + 2 {
        threads.append(try Thread(name: "face-worker-\(worker)") { self.run(worker, ended) })
      }
    } catch {
      scheduler.stop()
      for thread in threads { thread.join() }
      throw error
    }
    return threads
  }

  private func run(_ worker: Int, _ ended: @Sendable (Result<Bool, Status>) -> Void) {
    while true {
      switch scheduler.nextTurn(of: worker) {
      case .run(let job, let token):
        // Consumes the job: when this returns, the job has released its shared memory. A peer that has its
        // answer finds the memory freed.
        let statistics = callHandler.service.statistics
        statistics.busyWorkers.add()
        let outcome = callHandler.run(consume job, token)
        statistics.busyWorkers.subtract()
        switch outcome {
        case .completed(let completion): loop.deliver(completion)
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
      case .end: return
      }
    }
  }
}
