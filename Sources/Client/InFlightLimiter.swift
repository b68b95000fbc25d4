import Posix

/// A thread that waits on a connection: for its turn to call, then for its answer.
///
/// Touched only under the lock of the connection's state.
final class Waiter: @unchecked Sendable {
  let wake = Condition()
  var hasSlot = false
  var body: [UInt8]?
  var isParked = false
}

/// Who may call: the engine refuses more than so many unanswered calls of one connection, so the others wait for their turn,
/// in the order in which they came.
///
/// A slot is free again when the engine has answered, also where nobody waits for that answer any more.
struct InFlightLimiter: Sendable {
  private var free: Int
  /// Calls that have a slot, by their streams.
  private var unanswered: Set<UInt32> = []
  private(set) var queue: [Waiter] = []

  /// - Parameter count: 0 for an engine that does not say.
  init(_ count: Int) {
    free = count == 0 ? .max : count
  }

  /// Gives `waiter` a slot when one is free and nobody came before it.
  mutating func enter(_ waiter: Waiter) {
    queue.append(waiter)
    serve()
  }

  /// `waiter` does not call after all.
  mutating func leave(_ waiter: Waiter) {
    if waiter.hasSlot { release() } else { queue.removeAll { $0 === waiter } }
    waiter.hasSlot = false
  }

  /// The slot of `waiter`, if it has one, is its call's now, which is about to be sent under this number.
  mutating func hand(to stream: UInt32, from waiter: Waiter) {
    if waiter.hasSlot { unanswered.insert(stream) }
    waiter.hasSlot = false
  }

  /// The engine has answered a call, which may be one that needs no slot; or it was not sent.
  mutating func end(_ stream: UInt32) {
    if unanswered.remove(stream) != nil { release() }
  }

  private mutating func release() {
    free += 1
    serve()
  }

  private mutating func serve() {
    while free > 0, !queue.isEmpty {
      free -= 1
      let next = queue.removeFirst()
      next.hasSlot = true
      next.wake.wakeOne()
    }
  }
}
