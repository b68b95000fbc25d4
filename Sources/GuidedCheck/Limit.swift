/// A limit that a value has to keep; once overstepped, it is kept again only from some way inside.
struct Limit {
  private var isOverstepped = false

  /// - Parameters:
  ///   - limit: the least value.
  ///   - end: the other end of what is allowed: the way back begins halfway to it at most.
  mutating func keeps(_ value: Float, atLeast limit: Float, upTo end: Float, _ hysteresis: Float) -> Bool {
    keeps(value - limit, band: hysteresis * min(abs(limit), abs(end - limit)))
  }

  /// - Parameters:
  ///   - limit: the greatest value.
  ///   - end: as above.
  mutating func keeps(_ value: Float, atMost limit: Float, downTo end: Float, _ hysteresis: Float) -> Bool {
    keeps(limit - value, band: hysteresis * min(abs(limit), abs(limit - end)))
  }

  /// What is no number keeps nothing.
  private mutating func keeps(_ margin: Float, band: Float) -> Bool {
    isOverstepped = !(margin >= (isOverstepped ? band : 0))
    return !isOverstepped
  }
}
