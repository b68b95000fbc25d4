import Service
import Testing

@Suite struct TurnQueueTests {
  @Test func lanesTakeTurns() {
    var queue = TurnQueue<String, Int>()
    for value in 1...4 { queue.append(value, to: "greedy") }
    queue.append(10, to: "modest")
    queue.append(20, to: "late")
    #expect(queue.count == 6)
    let order = (0..<6).compactMap { _ in queue.popFirst() }
    #expect(order == [1, 10, 20, 2, 3, 4])
    #expect(queue.popFirst() == nil)
    #expect(queue.count == 0)
  }

  @Test func removedLaneLeavesTheOthers() {
    var queue = TurnQueue<String, Int>()
    queue.append(1, to: "gone")
    queue.append(2, to: "stays")
    queue.append(3, to: "gone")
    #expect(queue.remove("gone") == [1, 3])
    #expect(queue.remove("gone") == [])
    #expect(queue.count == 1)
    #expect(queue.popFirst() == 2)
    #expect(queue.popFirst() == nil)
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
