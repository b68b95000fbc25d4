package import FaceCore

/// Merges what a picture shows in two searches: as it is, and turned or in squares that are turned.
package enum TurnedFaces {
  /// Returns all faces of `upright`, and those of `turned` that are elsewhere, the most confident first. Where
  /// both have found a face, the more confident one is returned: a head has the better box in the search in
  /// which it stands upright.
  ///
  /// A turned face takes the place of one upright face at most, so that it cannot suppress a neighbour.
  /// - Parameters:
  ///   - upright: without overlaps.
  ///   - turned: may overlap; of those that do, the most confident one counts.
  ///   - overlapThreshold: intersection over union above which two are the same face.
  package static func merge(_ turned: [Face], into upright: [Face], overlapThreshold: Float) -> [Face] {
    var faces = upright
    var isReplaced = [Bool](repeating: false, count: upright.count)
    let candidates = NonMaximumSuppression.apply(turned, overlapThreshold: overlapThreshold, limit: 0)
    for candidate in candidates {
      let overlaps = upright.map { $0.box.intersectionOverUnion(candidate.box) }
      guard let index = overlaps.indices.max(by: { overlaps[$0] < overlaps[$1] }),
        overlaps[index] > overlapThreshold
      else {
        faces.append(candidate)
        continue
      }
      if !isReplaced[index], candidate.confidence > upright[index].confidence {
        faces[index] = candidate
        isReplaced[index] = true
      }
    }
    // Equal ones keep their order.
    return faces.enumerated().sorted {
      ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset)
    }.map(\.element)
  }
}
