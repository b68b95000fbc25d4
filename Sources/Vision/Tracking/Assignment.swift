/// Solves the assignment of a frame's faces to known ones: the pairs with the least total cost.
package enum Assignment {
  /// A column with which a row may be paired, and the cost.
  package struct Pair {
    package var column: Int
    /// Not negative.
    package var cost: Float

    package init(column: Int, cost: Float) {
      self.column = column
      self.cost = cost
    }
  }

  /// Returns for every row its column, or `nil`.
  /// - Parameters:
  ///   - costs: for every row the columns with which it may be paired.
  ///   - unpaired: the cost of a row without a column; no pair that costs more is made.
  ///
  /// The Hungarian method by shortest augmenting paths; a row reaches only those it competes with, so many
  /// rows that are far from each other cost little. Source: Kuhn, "The Hungarian Method for the Assignment
  /// Problem", 1955; Jonker and Volgenant, 1987.
  package static func solve(costs: [[Pair]], columns: Int, unpaired: Float) -> [Int?] {
    assert(costs.joined().allSatisfy { (0..<columns).contains($0.column) && $0.cost >= 0 })
    // A single row has no competitors.
    if costs.count == 1 { return [cheapest(costs[0], unpaired: unpaired)] }
    // Each row has a dummy column of its own after the real ones, for staying unpaired.
    let none = columns + costs.count
    var rowOf = [Int?](repeating: nil, count: none + 1)
    var rowPrice = [Float](repeating: 0, count: costs.count)
    var columnPrice = [Float](repeating: 0, count: none + 1)
    var least = [Float](repeating: .infinity, count: none)
    var previous = [Int](repeating: none, count: none)
    var isDone = [Bool](repeating: false, count: none + 1)
    for start in costs.indices {
      // `none` stands for the start of the path.
      rowOf[none] = start
      var column = none
      for candidate in 0..<none { least[candidate] = .infinity }
      for candidate in 0...none { isDone[candidate] = false }
      while let row = rowOf[column] {
        isDone[column] = true
        var step = Float.infinity
        var next = none
        func consider(_ pair: Pair) {
          let reduced = pair.cost - rowPrice[row] - columnPrice[pair.column]
          guard !isDone[pair.column], reduced < least[pair.column] else { return }
          least[pair.column] = reduced
          previous[pair.column] = column
        }
        for pair in costs[row] { consider(pair) }
        consider(Pair(column: columns + row, cost: unpaired))
        for candidate in 0..<none where !isDone[candidate] && least[candidate] < step {
          step = least[candidate]
          next = candidate
        }
        for candidate in 0...none {
          if isDone[candidate], let row = rowOf[candidate] {
            rowPrice[row] += step
            columnPrice[candidate] -= step
          } else if candidate < none {
            least[candidate] -= step
          }
        }
        column = next
      }
      while column != none {
        rowOf[column] = rowOf[previous[column]]
        column = previous[column]
      }
    }
    var result = [Int?](repeating: nil, count: costs.count)
    for column in 0..<columns {
      if let row = rowOf[column] { result[row] = column }
    }
    return result
  }

  private static func cheapest(_ pairs: [Pair], unpaired: Float) -> Int? {
    guard let best = pairs.min(by: { $0.cost < $1.cost }), best.cost <= unpaired else { return nil }
    return best.column
  }
}
