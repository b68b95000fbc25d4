package import FaceCore

/// Keeps the ids of faces unique across the connections of one stream. Each new tracker in the engine starts
/// at 1, so its ids are shifted past those already used.
package struct TrackIDs: Sendable {
  private var offset: UInt64 = 0
  private var highest: UInt64 = 0
  private var inView: Set<UInt64> = []

  package init() {}

  /// Returns the result with the ids of this stream.
  package mutating func translate(_ result: DetectionResult) -> DetectionResult {
    var result = result
    for index in result.faces.indices {
      guard let id = result.faces[index].track?.id else { continue }
      let own = translate(id)
      result.faces[index].track?.id = own
      inView.insert(own)
    }
    return result
  }

  /// Returns the report with the ids of this stream: the result of a guided check contains its face, too.
  package mutating func translate(_ report: CheckReport?) -> CheckReport? {
    guard var report else { return nil }
    for (index, event) in report.events.enumerated() {
      guard case .result(var result) = event, let id = result.face.track?.id else { continue }
      result.face.track?.id = translate(id)
      report.events[index] = .result(result)
    }
    return report
  }

  /// Returns this stream's ids of the faces that have left.
  package mutating func translate(left: [UInt64]) -> [UInt64] {
    left.map { id in
      let own = translate(id)
      inView.remove(own)
      return own
    }
  }

  private mutating func translate(_ id: UInt64) -> UInt64 {
    // Assigned here and not by the engine.
    if id >= FollowedFace.firstID { return id }
    // An overflow is the engine's fault; a trap would be worse.
    let own = id &+ offset
    highest = max(highest, own)
    return own
  }

  /// Starts again with a new tracker in the engine.
  /// - Returns: the ids of the faces that were in view, in ascending order.
  package mutating func restart() -> [UInt64] {
    offset = highest
    defer { inView = [] }
    return inView.sorted()
  }
}
