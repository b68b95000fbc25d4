public import FaceCore

/// Suppresses overlapping boxes: the most confident one of each group is kept.
public enum NonMaximumSuppression {
  /// The number of most confident boxes that are considered: the cost grows with the square, and a threshold
  /// of 0 on a large image produces a million boxes.
  public static let maxCandidates = 5000

  /// - Parameters:
  ///   - overlapThreshold: intersection over union above which the less confident of two is left out.
  ///   - limit: the largest number to keep; 0 for all.
  /// - Returns: the kept faces, the most confident first; equal ones in the order given.
  public static func apply(_ faces: [Face], overlapThreshold: Float, limit: Int) -> [Face] {
    // A threshold of 0 gives hundreds of thousands of candidates; only the few that count are sorted.
    let least = leastConfidence(of: faces)
    let order = faces.indices.filter { faces[$0].confidence >= least }.sorted {
      faces[$0].confidence != faces[$1].confidence
        ? faces[$0].confidence > faces[$1].confidence
        : $0 < $1
    }
    var kept: [Face] = []
    var boxes: [Box] = []  // a face is many times as large, and all are compared with all
    kept.reserveCapacity(min(order.count, 16))
    boxes.reserveCapacity(min(order.count, 16))
    for index in order.prefix(maxCandidates) {
      if limit > 0, kept.count == limit { break }
      let box = faces[index].box
      if boxes.allSatisfy({ $0.intersectionOverUnion(box) <= overlapThreshold }) {
        kept.append(faces[index])
        boxes.append(box)
      }
    }
    return kept
  }

  /// The intersection over union from which on a suppressed box is averaged into the kept one.
  private static let minOverlapOfMean: Float = 0.6
  /// The distance between left edges, in widths of a box, beyond which another cannot overlap it so much.
  private static let maxShift = (1 - minOverlapOfMean) / minOverlapOfMean

  /// As `apply`, but each kept face has the mean box and points of all candidates that overlap it by
  /// `minOverlapOfMean`, weighted by confidence: neighbouring cells err in different directions.
  ///
  /// Source: box voting of Gidaris, Komodakis, 2015.
  package static func applyWithMeans(_ faces: [Face], overlapThreshold: Float) -> [Face] {
    let kept = apply(faces, overlapThreshold: overlapThreshold, limit: 0)
    guard kept.count < faces.count else { return kept }
    let boxes = faces.map(\.box)  // a face is many times as large
    return kept.map { kept in
      let (box, reach) = (kept.box, (x: kept.box.width * maxShift, y: kept.box.height * maxShift))
      // In crowds all are compared with all; most are too far away for an overlap of this size.
      let same = boxes.indices.filter {
        abs(boxes[$0].x - box.x) < reach.x && abs(boxes[$0].y - box.y) < reach.y
          && boxes[$0].intersectionOverUnion(box) >= minOverlapOfMean
      }.map { faces[$0] }
      return same.count > 1
        ? WeightedBoxesFusion.mean(same, weights: same.map(\.confidence), confidence: kept.confidence) : kept
    }
  }

  /// Returns a confidence that at least `maxCandidates` faces have, or all; not many more, unless they are
  /// equal.
  private static func leastConfidence(of faces: [Face]) -> Float {
    guard faces.count > 2 * maxCandidates else { return -.infinity }
    let bins = 1024
    func bin(_ face: Face) -> Int { Int(max(0, min(1, face.confidence)) * Float(bins - 1)) }
    var counts = [Int](repeating: 0, count: bins)
    for face in faces { counts[bin(face)] += 1 }
    var count = 0
    for bin in counts.indices.reversed() {
      count += counts[bin]
      if count >= maxCandidates { return Float(bin) / Float(bins - 1) * 0.999 }
    }
    return -.infinity
  }
}
