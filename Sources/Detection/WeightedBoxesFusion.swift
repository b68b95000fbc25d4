package import FaceCore

/// Merges the detections of several passes over one picture: boxes that overlap become one face.
///
/// A face's box and points are the means of its cluster's, weighted by confidence. Its confidence is the sum of the
/// cluster's over the weights of all passes that could have found it, so that a face that only some found counts less:
/// that orders faces better than the highest confidence does, since the passes err in different places. A pass does not
/// count for faces of a size that it does not see well: it would deny the right ones, and take parts of a huge face for
/// faces.
/// Source: Solovyev, Wang, Gabruseva, "Weighted Boxes Fusion", 2019; box voting: Gidaris, Komodakis, 2015; sizes: Singh,
/// Davis, "An Analysis of Scale Invariance in Object Detection (SNIP)", 2018.
package enum WeightedBoxesFusion {
  /// The detections of one pass.
  package struct Detections {
    /// Without overlaps.
    package var faces: [Face]
    /// How much the pass counts.
    package var weight: Float
    /// Of the faces for which the pass counts: sides of a square of their box's area, in the pixels of the boxes.
    package var sizes: ClosedRange<Float>

    package init(faces: [Face], weight: Float, sizes: ClosedRange<Float> = 0...Float.infinity) {
      self.faces = faces
      self.weight = weight
      self.sizes = sizes
    }

    fileprivate func covers(_ face: Face) -> Bool { sizes.contains(face.box.meanSide) }
  }

  /// Intersection over union from which on two passes mean the same face.
  package static let minOverlap: Float = 0.5
  /// As many of the most confident faces of all passes are considered, as in `NonMaximumSuppression`.
  package static let maxCandidates = NonMaximumSuppression.maxCandidates

  /// - Returns: the faces, in no order; those of different places may overlap by less than `minOverlap`.
  package static func fuse(_ passes: [Detections]) -> [Face] {
    var candidates = passes.enumerated().flatMap { pass, detections in
      detections.faces.filter(detections.covers).map {
        Candidate(face: $0, pass: pass, weight: detections.weight)
      }
    }
    // In the order given among equals, so that the same picture always gives the same faces.
    candidates = candidates.enumerated().sorted {
      ($1.element.face.confidence, $0.offset) < ($0.element.face.confidence, $1.offset)
    }.prefix(maxCandidates).map(\.element)
    var isClustered = [Bool](repeating: false, count: candidates.count)
    var faces: [Face] = []
    for first in candidates.indices where !isClustered[first] {
      var cluster: [Candidate] = []
      var found: Set<Int> = []
      let box = candidates[first].face.box
      for index in first..<candidates.count where !isClustered[index] {
        let candidate = candidates[index]
        guard index == first || candidate.face.box.intersectionOverUnion(box) >= minOverlap else { continue }
        isClustered[index] = true
        // One box a pass: its most confident one.
        if found.insert(candidate.pass).inserted { cluster.append(candidate) }
      }
      var face = mean(cluster)
      let totalWeight = passes.indices.filter { found.contains($0) || passes[$0].covers(face) }
        .reduce(0) { $0 + passes[$1].weight }
      let confidence = cluster.reduce(0) { $0 + $1.weightedConfidence }
      face.confidence = totalWeight > 0 ? min(confidence / totalWeight, 1) : 0
      faces.append(face)
    }
    return faces
  }

  private struct Candidate {
    var face: Face
    var pass: Int
    var weight: Float

    var weightedConfidence: Float { face.confidence * weight }
  }

  /// Without its confidence.
  private static func mean(_ cluster: [Candidate]) -> Face {
    let boxes = WeightedMean(cluster.map(\.weightedConfidence))
    let box = Box(
      x: boxes.of(cluster.map(\.face.box.x)), y: boxes.of(cluster.map(\.face.box.y)),
      width: boxes.of(cluster.map(\.face.box.width)), height: boxes.of(cluster.map(\.face.box.height)))
    let withPoints = cluster.filter { $0.face.points != nil }
    return Face(
      box: box, confidence: 0,
      points: points(withPoints.compactMap(\.face.points), WeightedMean(withPoints.map(\.weightedConfidence)))
    )
  }

  private static func points(_ all: [FivePoints], _ mean: WeightedMean) -> FivePoints? {
    guard !all.isEmpty else { return nil }
    func point(_ part: KeyPath<FivePoints, Point>) -> Point {
      Point(x: mean.of(all.map { $0[keyPath: part].x }), y: mean.of(all.map { $0[keyPath: part].y }))
    }
    return FivePoints(
      leftEye: point(\.leftEye), rightEye: point(\.rightEye), noseTip: point(\.noseTip),
      mouthLeft: point(\.mouthLeft), mouthRight: point(\.mouthRight))
  }
}

/// The mean of several numbers, each counted by its weight; all alike where every weight is 0.
private struct WeightedMean {
  private let shares: [Float]

  init(_ weights: [Float]) {
    let total = weights.reduce(0, +)
    shares = total > 0 ? weights.map { $0 / total } : weights.map { _ in 1 / Float(weights.count) }
  }

  func of(_ values: [Float]) -> Float {
    zip(values, shares).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
