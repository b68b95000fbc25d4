import FaceCore
import Posix

/// Runs numbered jobs on several threads and delivers their results in order.
enum OrderedJobs {
  private struct State<Value> {
    var next = 0
    var delivered = 0
    var done: [Int: Value] = [:]
    var isOver = false
  }

  /// The most finished or running jobs ahead of the next one to deliver, per thread.
  private static let lead = 4

  /// Returns when all results have been delivered. An error of `deliver` ends it early, after the running
  /// jobs.
  /// - Parameters:
  ///   - work: called once for each of `0..<count`; on the calling thread if `threads` is 1.
  ///   - deliver: called on the calling thread, in order.
  static func run<Value: Sendable>(
    _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Value,
    deliver: (Int, Value) throws -> Void
  ) throws {
    guard threads > 1, count > 1 else {
      for index in 0..<count { try deliver(index, work(index)) }
      return
    }
    let (state, changed) = (Monitor(State<Value>()), Condition())
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
              if state.isOver || state.next == count { return .some(nil) }
              guard state.next < state.delivered + lead * threads else { return nil }
              defer { state.next += 1 }
              return state.next
            }
            guard let index = index ?? nil else { return }
            let value = work(index)
            state.withLock { $0.done[index] = value }
            changed.wakeAll()
          }
        })
    }
    for index in 0..<count {
      let value = state.wait(for: changed) { state -> Value? in
        let value = state.done.removeValue(forKey: index)
        if value != nil { state.delivered += 1 }
        return value
      }
      changed.wakeAll()
      if let value { try deliver(index, value) }
    }
  }
}
