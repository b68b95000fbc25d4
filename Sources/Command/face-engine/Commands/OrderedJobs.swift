import FaceCore
import Posix

/// Runs numbered jobs on several threads and delivers their results, in order if wanted.
enum OrderedJobs {
  private struct State<Value> {
    var next = 0
    /// The number of jobs that are run.
    var end: Int
    var delivered = 0
    var done: [Int: Value] = [:]
    var isOver = false
  }

  /// The most finished or running jobs beyond the delivered ones, per thread.
  private static let lead = 4

  /// Returns when all results have been delivered. An error of `deliver` ends it early, after the running
  /// jobs.
  /// - Parameters:
  ///   - inOrder: whether results are delivered in the order of their numbers, or as they come.
  ///   - isStopped: asked before each job; once it returns `true`, no other job begins.
  ///   - work: called once for each of `0..<count`; on the calling thread if `threads` is 1.
  ///   - deliver: called on the calling thread.
  static func run<Value: Sendable>(
    _ count: Int, threads: Int, inOrder: Bool = true,
    isStopped: @escaping @Sendable () -> Bool = { false },
    _ work: @escaping @Sendable (Int) -> Value, deliver: (Int, Value) throws -> Void
  ) throws {
    guard threads > 1, count > 1 else {
      for index in 0..<count where !isStopped() { try deliver(index, work(index)) }
      return
    }
    let (state, changed) = (Monitor(State<Value>(end: count)), Condition())
    var workers: [Thread] = []
    defer {
      state.withLock { $0.isOver = true }
      changed.wakeAll()
      for worker in workers { worker.join() }
    }
    for _ in 0..<min(threads, count) {
      workers.append(
        try Thread(name: "pictures") {
          while true {
            let index = state.wait(for: changed) { state -> Int?? in
              if isStopped() { state.end = state.next }
              if state.isOver || state.next == state.end { return .some(nil) }
              guard state.next < state.delivered + lead * threads else { return nil }
              defer { state.next += 1 }
              return state.next
            }
            // The delivering thread looks whether there are results to come.
            guard let index = index ?? nil else { return changed.wakeAll() }
            let value = work(index)
            state.withLock { $0.done[index] = value }
            changed.wakeAll()
          }
        })
    }
    while true {
      let result = state.wait(for: changed) { state -> (index: Int, value: Value)?? in
        let index = inOrder ? state.delivered : state.done.keys.first
        if let index, let value = state.done.removeValue(forKey: index) {
          state.delivered += 1
          return (index, value)
        }
        return state.delivered == state.end ? .some(nil) : nil
      }
      guard let result = result ?? nil else { return }
      changed.wakeAll()
      try deliver(result.index, result.value)
    }
  }
}
