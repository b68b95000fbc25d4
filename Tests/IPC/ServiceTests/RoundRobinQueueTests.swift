import Service
import Testing

@Suite struct RoundRobinQueueTests {
  private typealias Lanes = RoundRobinQueue<String, Fifo<Int>>

  private func drain(_ queue: inout some WaitingLine<Int>) -> [Int] {
    var elements: [Int] = []
    while let element = queue.popFirst() { elements.append(element) }
    return elements
  }

  @Test func lanesTakeTurns() {
    var queue = Lanes()
    for value in 1...4 { queue.change("greedy") { $0.append(value) } }
    queue.change("modest") { $0.append(10) }
    queue.change("late") { $0.append(20) }
    #expect(drain(&queue) == [1, 10, 20, 2, 3, 4])
    #expect(queue.isEmpty)
  }

  @Test func lanesWithinLanesTakeTurns() {
    var users = RoundRobinQueue<String, Lanes>()
    for value in 1...3 {
      users.change("a") { lanes in lanes.change("a1") { $0.append(value) } }
      users.change("a") { lanes in lanes.change("a2") { $0.append(10 + value) } }
    }
    for value in 1...3 { users.change("b") { lanes in lanes.change("b1") { $0.append(100 + value) } } }
    #expect(drain(&users) == [1, 101, 11, 102, 2, 103, 12, 3, 13])
  }

  @Test func emptiedLaneLeavesTheOthersAndMayComeBack() {
    var queue = Lanes()
    for (lane, value) in [("gone", 1), ("stays", 2), ("gone", 3)] { queue.change(lane) { $0.append(value) } }
    queue.change("gone") { $0 = Fifo() }
    queue.change("never") { _ in }
    #expect(!queue.isEmpty)
    queue.change("gone") { $0.append(4) }
    queue.change("gone") { $0.append(5) }
    #expect(drain(&queue) == [4, 2, 5])
    #expect(queue.isEmpty)
  }

  @Test func manyEmptiedLanesAreForgotten() {
    var queue = RoundRobinQueue<Int, Fifo<Int>>()
    queue.change(-1) { $0.append(-1) }
    for lane in 0..<10_000 {
      queue.change(lane) { $0.append(lane) }
      if lane % 1000 != 0 { queue.change(lane) { $0 = Fifo() } }
    }
    #expect(drain(&queue) == [-1] + stride(from: 0, to: 10_000, by: 1000))
    #expect(queue.isEmpty)
  }

  /// Compares it with a list of lists that does the same the slow way.
  @Test func agreesWithTheReference() {
    var generator = Pseudorandom(state: 7)
    var queue = RoundRobinQueue<Int, Fifo<Int>>()
    var reference: [(lane: Int, values: [Int])] = []
    for step in 0..<50_000 {
      let lane = Int(generator.next() % 20)
      switch generator.next() % 4 {
      case 0, 1:
        queue.change(lane) { $0.append(step) }
        if let index = reference.firstIndex(where: { $0.lane == lane }) {
          reference[index].values.append(step)
        } else {
          reference.append((lane, [step]))
        }
      case 2:
        queue.change(lane) { $0 = Fifo() }
        if let index = reference.firstIndex(where: { $0.lane == lane }) { reference[index].values = [] }
      default:
        var expected: Int?
        while expected == nil, !reference.isEmpty {
          var first = reference.removeFirst()
          if first.values.isEmpty { continue }
          expected = first.values.removeFirst()
          if !first.values.isEmpty { reference.append(first) }
        }
        let element = queue.popFirst()
        #expect(element == expected)
      }
      #expect(queue.isEmpty == reference.allSatisfy(\.values.isEmpty))
    }
  }

  @Test func fifoKeepsItsOrderOverManyRounds() {
    var fifo = Fifo<Int>()
    var next = 0
    for value in 0..<10_000 {
      fifo.append(value)
      if value % 3 != 0 {
        #expect(fifo.popFirst() == next)
        next += 1
      }
    }
    #expect(fifo.elements == Array(next..<10_000))
    #expect(fifo.first == next)
    while fifo.popFirst() != nil { next += 1 }
    #expect(next == 10_000)
    #expect(fifo.isEmpty)
  }
}

/// The same numbers in every run. Knuth's MMIX generator
struct Pseudorandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
