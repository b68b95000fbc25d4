import FaceCore

/// Keeps the ids of faces unique over the connections of one stream: each new tracker in the engine begins at 1 again, and
/// is given the ids after those that were used.
struct TrackIDs: Sendable {
  private var offset: UInt64 = 0
  private var highest: UInt64 = 0
  private var inView: Set<UInt64> = []

  /// The same with the ids of this stream.
  mutating func translate(_ result: DetectionResult, left: [UInt64]) -> (DetectionResult, left: [UInt64]) {
    var result = result
    for index in result.faces.indices {
      guard let id = result.faces[index].track?.id else { continue }
      let own = translate(id)
      result.faces[index].track?.id = own
      inView.insert(own)
    }
    return (result, translate(left: left))
  }

  /// The result of a guided check has its face once more.
  mutating func translate(_ report: CheckReport?) -> CheckReport? {
    guard var report else { return nil }
    for (index, event) in report.events.enumerated() {
      guard case .result(var result) = event, let id = result.face.track?.id else { continue }
      result.face.track?.id = translate(id)
      report.events[index] = .result(result)
    }
    return report
  }

  mutating func translate(left: [UInt64]) -> [UInt64] {
    left.map { id in
      let own = translate(id)
      inView.remove(own)
      return own
    }
  }

  private mutating func translate(_ id: UInt64) -> UInt64 {
    // An engine that gives such numbers has given up on ids; a trap would be worse.
    let own = id &+ offset
    highest = max(highest, own)
    return own
  }

  /// The tracker is gone: ids of the faces that were in view with it, in ascending order.
  mutating func restart() -> [UInt64] {
    offset = highest
    defer { inView = [] }
    return inView.sorted()
  }
}
