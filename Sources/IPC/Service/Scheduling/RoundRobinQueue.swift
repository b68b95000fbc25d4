package protocol WaitingLine<Element>: Sendable {
  associatedtype Element: Sendable
  init()
  var isEmpty: Bool { get }
  /// Removes and returns the first element; `nil` only if the queue is empty.
  mutating func popFirst() -> Element?
  /// Removes and returns the elements for which `isMeant` is true, in any order.
  mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element]
}

/// A queue that takes elements from its lanes in turn, so that no lane waits behind all elements of another.
/// A lane may be such a queue itself.
package struct RoundRobinQueue<Lane: Hashable & Sendable, Line: WaitingLine>: WaitingLine {
  private var lanes: [Lane: Line] = [:]
  /// Each key of `lanes` once, in the order of their turns.
  private var turns = Fifo<Lane>()
  /// The number of lanes that lost their last element out of turn. They stay until their turn, or until there
  /// are many.
  private var emptied = 0

  package init() {}

  package var isEmpty: Bool { lanes.count == emptied }

  /// Lets `body` change the elements of `lane`.
  package mutating func change<Value>(_ lane: Lane, _ body: (inout Line) -> Value) -> Value {
    let before = lanes[lane]?.isEmpty
    let value = body(&lanes[lane, default: Line()])
    let isEmpty = lanes[lane]?.isEmpty ?? true
    switch (before, isEmpty) {
    case (nil, true): lanes[lane] = nil
    case (nil, false): turns.append(lane)
    case (true?, false): emptied -= 1
    case (false?, true):
      emptied += 1
      sweep()
    case (true?, true), (false?, false): break
    }
    assert(emptied >= 0 && emptied <= lanes.count, "each empty lane counts once")
    return value
  }

  package mutating func popFirst() -> Line.Element? {
    while let lane = turns.popFirst() {
      guard let element = lanes[lane]?.popFirst() else {
        lanes[lane] = nil
        emptied -= 1
        assert(emptied >= 0, "only a lane that counts as empty has no element")
        continue
      }
      if lanes[lane]?.isEmpty == true {
        lanes[lane] = nil
      } else {
        turns.append(lane)
      }
      return element
    }
    return nil
  }

  package mutating func removeAll(where isMeant: (Line.Element) -> Bool) -> [Line.Element] {
    Array(lanes.keys).flatMap { lane in change(lane) { $0.removeAll(where: isMeant) } }
  }

  /// Removes empty lanes, rarely enough to cost nothing.
  private mutating func sweep() {
    guard emptied > 32, emptied * 2 > lanes.count else { return }
    var kept = Fifo<Lane>()
    while let lane = turns.popFirst() {
      if lanes[lane]?.isEmpty == false { kept.append(lane) } else { lanes[lane] = nil }
    }
    turns = kept
    emptied = 0
    assert(lanes.values.allSatisfy { !$0.isEmpty })
  }
}

/// A first-in, first-out queue with constant amortised cost.
package struct Fifo<Element: Sendable>: WaitingLine {
  private var storage: [Element?] = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == storage.count }
  package var first: Element? { isEmpty ? nil : storage[head] }
  package var elements: [Element] { storage[head...].compactMap(\.self) }

  package mutating func append(_ element: Element) {
    storage.append(element)
  }

  package mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    let element = storage[head].take()
    assert(element != nil, "an element is taken once")
    head += 1
    if isEmpty {
      storage.removeAll(keepingCapacity: storage.count < 64)
      head = 0
    } else if head > 64, head * 2 > storage.count {
      storage.removeFirst(head)
      head = 0
    }
    return element
  }
  package mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element] {
    let (all, removed) = (elements, elements.filter(isMeant))
    if !removed.isEmpty { (storage, head) = (all.filter { !isMeant($0) }, 0) }
    return removed
  }
}
