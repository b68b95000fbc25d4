package import NIOCore

/// Runs tasks on an event loop, so that they change no thread on their way to the engine's connections and back.
package final class LoopExecutor: TaskExecutor {
  package let loop: any EventLoop

  package init(_ loop: any EventLoop) {
    self.loop = loop
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
