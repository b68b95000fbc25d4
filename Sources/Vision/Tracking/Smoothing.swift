extension [Float] {
  /// Smooths a square picture of `side` rows: each pixel with its eight neighbours, 1 2 1 in both directions.
  mutating func smooth(side: Int) {
    for (step, line) in [(1, side), (side, 1)] {
      for start in 0..<side {
        var before = self[start * line]
        for index in 0..<side {
          let place = start * line + index * step
          let value = self[place]
          let after = index + 1 < side ? self[place + step] : value
          self[place] = (before + 2 * value + after) / 4
          before = value
        }
      }
    }
  }
}
