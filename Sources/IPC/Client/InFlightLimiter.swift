import Posix

/// A thread that waits on a connection: for a slot, then for its answer. Used only under the connection's lock.
final class Waiter: @unchecked Sendable {
  let wake = Condition()
  var hasSlot = false
  var body: [UInt8]?
  var isParked = false
  /// The engine has said that it does not serve the call.
  var isRefused = false
}

/// Limits the calls in flight on one connection to as many as the engine allows. The others wait for a slot in the order in
/// which they came.
///
/// A slot is free again when the engine has answered, also when no thread waits for that answer any more.
struct InFlightLimiter: Sendable {
  private var freeSlots: Int
  /// Calls that have a slot, by their streams.
  private var unanswered: Set<UInt32> = []
  private(set) var queue: [Waiter] = []

  /// - Parameter count: 0 for no limit.
  init(_ count: Int) {
    freeSlots = count == 0 ? .max : count
  }

  /// Puts `waiter` into the queue and gives it a slot when one is free and no other waits.
  mutating func enqueue(_ waiter: Waiter) {
    queue.append(waiter)
    assign()
  }

  /// Removes `waiter`, which makes no call.
  mutating func remove(_ waiter: Waiter) {
    if waiter.hasSlot { free() } else { queue.removeAll { $0 === waiter } }
    waiter.hasSlot = false
  }

  /// Moves the slot of `waiter`, if it has one, to the call that is about to be sent as `stream`.
  mutating func transfer(to stream: UInt32, from waiter: Waiter) {
    if waiter.hasSlot { unanswered.insert(stream) }
    waiter.hasSlot = false
  }

  /// Frees the slot of a call that was answered or not sent; a call may have none.
  mutating func release(_ stream: UInt32) {
    if unanswered.remove(stream) != nil { free() }
  }

  private mutating func free() {
    freeSlots += 1
    assign()
  }

  private mutating func assign() {
    while freeSlots > 0, !queue.isEmpty {
      freeSlots -= 1
      let next = queue.removeFirst()
      next.hasSlot = true
      next.wake.wakeOne()
    }
  }
}
