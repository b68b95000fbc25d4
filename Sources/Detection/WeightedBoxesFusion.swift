package import FaceCore

/// Makes of what several passes found one list of faces: those that overlap are one face, in which every pass has a vote.
///
/// A face's box and points are the means of what the passes that found it say, by their confidence. Its confidence is the
/// sum of theirs over the votes of all passes that could have seen it, so that a face that only some see counts less: that
/// orders faces better than the highest confidence does, since the passes err in different places. A pass has no say in
/// faces of a size it does not see well: it would deny the right ones, and take parts of a huge face for faces.
/// Source: Solovyev, Wang, Gabruseva, "Weighted Boxes Fusion", 2019; box voting: Gidaris, Komodakis, 2015; sizes: Singh,
/// Davis, "An Analysis of Scale Invariance in Object Detection (SNIP)", 2018.
package enum WeightedBoxesFusion {
  /// What one pass found.
  package struct Ballot {
    /// Without overlaps.
    package var faces: [Face]
    /// How much the pass counts.
    package var weight: Float
    /// Of the faces it has a say in: sides of a square of their box's area, in the pixels of the boxes.
    package var sizes: ClosedRange<Float>

    package init(faces: [Face], weight: Float, sizes: ClosedRange<Float> = 0...Float.infinity) {
      self.faces = faces
      self.weight = weight
      self.sizes = sizes
    }

    fileprivate func sees(_ face: Face) -> Bool { sizes.contains(face.box.meanSide) }
  }

  /// Intersection over union from which on two passes mean the same face.
  package static let sameFace: Float = 0.5
  /// Only so many of the most confident faces of all passes are looked at, as in `NonMaximumSuppression`.
  package static let maxCandidates = NonMaximumSuppression.maxCandidates

  /// - Returns: the faces, in no order; those of different places may overlap by less than `sameFace`.
  package static func apply(_ ballots: [Ballot]) -> [Face] {
    var waiting = ballots.enumerated().flatMap { pass, ballot in
      ballot.faces.filter(ballot.sees).map { Vote(face: $0, pass: pass, weight: ballot.weight) }
    }
    // In the order given among equals, so that the same picture always gives the same faces.
    waiting = waiting.enumerated().sorted {
      ($1.element.face.confidence, $0.offset) < ($0.element.face.confidence, $1.offset)
    }.prefix(maxCandidates).map(\.element)
    var isTaken = [Bool](repeating: false, count: waiting.count)
    var faces: [Face] = []
    for first in waiting.indices where !isTaken[first] {
      var agreeing: [Vote] = []
      var passes: Set<Int> = []
      let box = waiting[first].face.box
      for index in first..<waiting.count where !isTaken[index] {
        let vote = waiting[index]
        guard index == first || vote.face.box.intersectionOverUnion(box) >= sameFace else { continue }
        isTaken[index] = true
        // One vote a pass: its most confident one.
        if passes.insert(vote.pass).inserted { agreeing.append(vote) }
      }
      var face = mean(agreeing)
      let votes = ballots.indices.filter { passes.contains($0) || ballots[$0].sees(face) }
        .reduce(0) { $0 + ballots[$1].weight }
      let strength = agreeing.reduce(0) { $0 + $1.strength }
      face.confidence = votes > 0 ? min(strength / votes, 1) : 0
      faces.append(face)
    }
    return faces
  }

  private struct Vote {
    var face: Face
    var pass: Int
    var weight: Float

    var strength: Float { face.confidence * weight }
  }

  /// Without its confidence.
  private static func mean(_ agreeing: [Vote]) -> Face {
    let boxes = WeightedMean(agreeing.map(\.strength))
    let box = Box(
      x: boxes.of(agreeing.map(\.face.box.x)), y: boxes.of(agreeing.map(\.face.box.y)),
      width: boxes.of(agreeing.map(\.face.box.width)), height: boxes.of(agreeing.map(\.face.box.height)))
    let withPoints = agreeing.filter { $0.face.points != nil }
    return Face(
      box: box, confidence: 0,
      points: points(withPoints.compactMap(\.face.points), WeightedMean(withPoints.map(\.strength))))
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
