/// Elements in lanes, one taken from each lane in turn: nobody waits behind all that another has queued.
package struct TurnQueue<Lane: Hashable & Sendable, Element: Sendable>: Sendable {
  private var lanes: [Lane: Fifo<Element>] = [:]
  /// Each lane that has elements, once, in the order of their turns.
  private var turns = Fifo<Lane>()
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ element: Element, to lane: Lane) {
    if lanes[lane] == nil { turns.append(lane) }
    lanes[lane, default: Fifo()].append(element)
    count += 1
  }

  package mutating func popFirst() -> Element? {
    while let lane = turns.popFirst() {
      // A lane that was removed has left its turn behind.
      guard let element = lanes[lane]?.popFirst() else { continue }
      if lanes[lane]?.isEmpty == true {
        lanes[lane] = nil
      } else {
        turns.append(lane)
      }
      count -= 1
      return element
    }
    return nil
  }

  /// Takes out all of a lane. The same lane must not be used again.
  package mutating func remove(_ lane: Lane) -> [Element] {
    guard let elements = lanes.removeValue(forKey: lane)?.elements else { return [] }
    count -= elements.count
    return elements
  }
}

/// First in, first out, at constant cost.
package struct Fifo<Element: Sendable>: Sendable {
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
}
