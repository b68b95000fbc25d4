import Posix

/// A thread that waits on a connection, first for a slot and then for its answer. Used only under the
/// connection's lock.
final class Waiter: @unchecked Sendable {
  let wake = Condition()
  var hasSlot = false
  var body: [UInt8]?
  var isParked = false
  /// Whether the engine has said that it does not serve the call.
  var isRefused = false
}

/// Limits the calls in flight on one connection to the number that the engine allows. Further calls wait for
/// a slot in the order of their arrival.
///
/// A slot becomes free when the engine answers, even if no thread waits for that answer any more.
struct InFlightLimiter: Sendable {
  private var freeSlots: Int
  /// The streams of calls that have a slot.
  private var unanswered: Set<UInt32> = []
  private(set) var queue: [Waiter] = []

  /// - Parameter count: the number of slots; 0 for no limit.
  init(_ count: Int) {
    freeSlots = count == 0 ? .max : count
  }

  /// Adds `waiter` to the queue, and gives it a slot if one is free and no other waits.
  mutating func enqueue(_ waiter: Waiter) {
    assert(!waiter.hasSlot && !queue.contains { $0 === waiter }, "a call waits for one slot")
    queue.append(waiter)
    assign()
  }

  /// Removes `waiter`, which does not make its call.
  mutating func remove(_ waiter: Waiter) {
    if waiter.hasSlot { free() } else { queue.removeAll { $0 === waiter } }
    waiter.hasSlot = false
  }

  /// Moves the slot of `waiter`, if it has one, to the call that is about to be sent as `stream`.
  mutating func transfer(to stream: UInt32, from waiter: Waiter) {
    assert(!unanswered.contains(stream), "a stream number is used once")
    if waiter.hasSlot { unanswered.insert(stream) }
    waiter.hasSlot = false
  }

  /// Frees the slot, if any, of a call that was answered or not sent.
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
      assert(!queue[0].hasSlot, "a waiter with a slot has left the queue")
      let next = queue.removeFirst()
      next.hasSlot = true
      next.wake.wakeOne()
    }
  }
}
