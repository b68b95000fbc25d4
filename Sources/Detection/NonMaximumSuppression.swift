public import FaceCore

/// Suppresses overlapping boxes: of each group the most confident one is kept.
public enum NonMaximumSuppression {
  /// As many of the most confident boxes are considered: the cost grows with their square, and a threshold of 0 on a
  /// large image makes a million of them.
  public static let maxCandidates = 5000

  /// - Parameters:
  ///   - overlapThreshold: intersection over union above which the less confident of two is left out.
  ///   - limit: at most so many are kept; 0 for all.
  /// - Returns: the kept faces, the most confident first; among equals in the order given.
  public static func apply(_ faces: [Face], overlapThreshold: Float, limit: Int) -> [Face] {
    let order = faces.indices.sorted {
      faces[$0].confidence != faces[$1].confidence
        ? faces[$0].confidence > faces[$1].confidence
        : $0 < $1
    }
    var kept: [Face] = []
    for index in order.prefix(maxCandidates) {
      if limit > 0, kept.count == limit { break }
      let box = faces[index].box
      if kept.allSatisfy({ $0.box.intersectionOverUnion(box) <= overlapThreshold }) {
        kept.append(faces[index])
      }
    }
    return kept
  }
}
