package import FaceCore

import func Glibc.logf

/// Merges the detections of several passes over one picture: boxes that overlap become one face.
///
/// A face's box and points are the means of its cluster's, weighted by confidence. Its confidence is the
/// weighted mean over all passes, including those that did not find it, so that a face found by only some
/// counts less: that orders faces better than the highest confidence does, because the passes err in
/// different places. A pass does not count for faces of a size that it does not detect well (`FaceSizes`): it
/// would reject correct ones, and report parts of a huge face as faces.
/// Source: Solovyev, Wang, Gabruseva, "Weighted Boxes Fusion", 2019; box voting: Gidaris, Komodakis, 2015;
/// sizes: Singh, Davis, "An Analysis of Scale Invariance in Object Detection (SNIP)", 2018.
package enum WeightedBoxesFusion {
  /// The detections of one pass.
  package struct Detections {
    /// The faces, without overlaps.
    package var faces: [Face]
    package var weight: Float
    /// The sizes of faces for which the pass counts, in the pixels of the boxes.
    package var sizes: FaceSizes

    package init(faces: [Face], weight: Float, sizes: FaceSizes = FaceSizes(0...Float.infinity)) {
      self.faces = faces
      self.weight = weight
      self.sizes = sizes
    }

    /// Returns the weight of the pass for `face`, whether it found it or not.
    fileprivate func weight(for face: Face) -> Float { weight * sizes.share(of: face.box.meanSide) }
  }

  /// Intersection over union from which on detections of two passes are the same face.
  package static let minOverlap: Float = 0.5
  /// The number of most confident faces of all passes that are considered, as in `NonMaximumSuppression`.
  package static let maxCandidates = NonMaximumSuppression.maxCandidates

  /// Returns the faces, in no particular order; those of different places may overlap by less than
  /// `minOverlap`.
  package static func fuse(_ passes: [Detections]) -> [Face] {
    precondition(passes.allSatisfy { $0.weight >= 0 })
    var candidates = passes.enumerated().flatMap { pass, detections in
      detections.faces.map { face in
        Candidate(face: face, pass: pass, share: detections.sizes.share(of: face.box.meanSide))
      }
    }
    // Equal ones keep the given order, so that the same picture always gives the same faces.
    candidates = candidates.enumerated().sorted {
      ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset)
    }.prefix(maxCandidates).map(\.element)
    var isClustered = [Bool](repeating: false, count: candidates.count)
    var faces: [Face] = []
    // A detection beyond a pass's sizes only confirms what the others have found.
    for first in candidates.indices where !isClustered[first] && candidates[first].share > 0 {
      var cluster: [Candidate] = []
      var found: Set<Int> = []
      let box = candidates[first].face.box
      for index in first..<candidates.count where !isClustered[index] {
        let candidate = candidates[index]
        guard index == first || candidate.face.box.intersectionOverUnion(box) >= minOverlap else { continue }
        isClustered[index] = true
        // One box per pass: its most confident one.
        if found.insert(candidate.pass).inserted { cluster.append(candidate) }
      }
      var face = mean(cluster, passes)
      // All by the same size of the face: whether a pass counts must not depend on its own box.
      let weights = passes.map { $0.weight(for: face) }
      let totalWeight = weights.reduce(0, +)
      let confidence = cluster.reduce(0) { $0 + $1.face.confidence * weights[$1.pass] }
      face.confidence = totalWeight > 0 ? min(confidence / totalWeight, 1) : 0
      faces.append(face)
    }
    return faces
  }

  private struct Candidate {
    var face: Face
    var pass: Int
    /// How well the pass detects faces of its size, 0…1.
    var share: Float

    var rank: Float { face.confidence * share }
  }

  private static func mean(_ cluster: [Candidate], _ passes: [Detections]) -> Face {
    mean(cluster.map(\.face), weights: cluster.map { $0.rank * passes[$0.pass].weight }, confidence: 0)
  }

  /// Returns the face with the weighted mean box and points. Faces without points count for the box alone.
  /// - Parameter weights: 0 or more, one for each face; all 0 for equal ones.
  static func mean(_ faces: [Face], weights: [Float], confidence: Float) -> Face {
    let boxes = WeightedMean(weights)
    let box = Box(
      x: boxes.of(faces.map(\.box.x)), y: boxes.of(faces.map(\.box.y)),
      width: boxes.of(faces.map(\.box.width)), height: boxes.of(faces.map(\.box.height)))
    let withPoints = zip(faces, weights).filter { $0.0.points != nil }
    return Face(
      box: box, confidence: confidence,
      points: points(withPoints.compactMap(\.0.points), WeightedMean(withPoints.map(\.1))))
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

/// The sizes of faces that a pass detects well, as sides of a square of their box's area.
///
/// Beyond the range a pass counts less and less, and not at all at `margin` times its ends: if it counted in
/// full up to an end, a face that grows over it would suddenly be rejected, or be left to the other passes.
package struct FaceSizes: Equatable, Sendable {
  package let range: ClosedRange<Float>

  package static let margin: Float = 1.5

  package init(_ range: ClosedRange<Float>) { self.range = range }

  /// Returns the weight of a pass for a face of `side`: 1 inside the range, falling with the logarithm of the
  /// size to 0.
  package func share(of side: Float) -> Float {
    guard side > 0 else { return range.contains(side) ? 1 : 0 }
    let beyond = max(range.lowerBound / side, side / range.upperBound)
    return beyond <= 1 ? 1 : max(0, 1 - logf(beyond) / logf(FaceSizes.margin))
  }
}

/// The weighted mean of several numbers; unweighted if every weight is 0.
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
