import FaceCore

/// Events in the order of their times; those of one time in the order in which they were added.
struct Timeline<Event> {
  private var heap: [(time: MonotonicTime, order: UInt64, event: Event)] = []
  private var added: UInt64 = 0

  var nextTime: MonotonicTime { heap.first?.time ?? .never }

  mutating func add(_ event: Event, at time: MonotonicTime) {
    added += 1
    heap.append((time, added, event))
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> (time: MonotonicTime, event: Event)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      var parent = 0
      while true {
        var least = parent
        for child in 2 * parent + 1..<min(2 * parent + 3, max(2 * parent + 1, heap.count))
        where isBefore(child, least) { least = child }
        if least == parent { break }
        heap.swapAt(parent, least)
        parent = least
      }
    }
    return (first.time, first.event)
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (heap[one].time, heap[one].order) < (heap[other].time, heap[other].order)
  }
}
