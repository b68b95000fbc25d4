import Testing
import Tracking

@Suite struct AssignmentTests {
  /// The lowest total over all ways to pair, by trying each of them.
  private func naive(
    _ costs: [[Assignment.Pair]], columns: Int, unpaired: Float, row: Int = 0, taken: Set<Int> = []
  )
    -> Float
  {
    if row == costs.count { return 0 }
    var best = unpaired + naive(costs, columns: columns, unpaired: unpaired, row: row + 1, taken: taken)
    for pair in costs[row] where !taken.contains(pair.column) {
      let rest = naive(
        costs, columns: columns, unpaired: unpaired, row: row + 1, taken: taken.union([pair.column]))
      best = min(best, pair.cost + rest)
    }
    return best
  }

  @Test func totalCostIsMinimal() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let rows = Int.random(in: 0...5, using: &generator)
      let columns = Int.random(in: 0...5, using: &generator)
      let costs = (0..<rows).map { _ in
        (0..<columns).filter { _ in Bool.random(using: &generator) }
          .map { Assignment.Pair(column: $0, cost: Float(Int.random(in: 0...20, using: &generator)) / 4) }
      }
      let result = Assignment.solve(costs: costs, columns: columns, unpaired: 3)
      var total: Float = 0
      for (row, column) in result.enumerated() {
        guard let column else { total += 3; continue }
        total += costs[row].first { $0.column == column }?.cost ?? .infinity
      }
      let taken = result.compactMap { $0 }
      #expect(Set(taken).count == taken.count)
      #expect(total == naive(costs, columns: columns, unpaired: 3), "\(costs)")
    }
  }

  /// The nearest pair is not always the right one.
  @Test func cheapestPairYieldsForALowerTotal() {
    let costs = [
      [Assignment.Pair(column: 0, cost: 0.3), .init(column: 1, cost: 0.4)], [.init(column: 0, cost: 0.35)],
    ]
    #expect(Assignment.solve(costs: costs, columns: 2, unpaired: 1) == [1, 0])
  }
}
