import FaceCore
import Imaging

import func Glibc.atan2f
import func Glibc.cosf
import func Glibc.sinf

/// Determines at low cost how far the heads of a picture are tilted: a place that looks like a face, in a
/// small copy of the picture in any of eight turns or in the whole picture, is searched again at several angles.
///
/// A detector's points hardly show how far a head is tilted, but its confidences do: from 15° on either side
/// they fall, by half at 45°. The roll of a place is the mean of the angles at which it is detected as a
/// face.
struct RollSearch {
  /// Searches the squares and the small copies.
  let pipeline: DetectionPipeline
  /// The picture, upright and without a region.
  let picture: UprightImage

  /// A place that looks like a face.
  struct Candidate {
    /// The most confident detection.
    let face: Face
    /// Degrees, clockwise in the picture.
    fileprivate(set) var roll: Float
    /// The highest confidence at several angles; 0 if they were not searched, or it is not certainly a face.
    fileprivate(set) var confidence: Float = 0
  }

  /// The long side of the small copy relative to the picture's, and the least one in pixels.
  private static let (smallShare, minSmallSide): (Float, Float) = (0.22, 128)
  /// The side in pixels of a square that is searched at an angle; the face takes half of it.
  static let squareSide = 64
  /// A face below this confidence in the small copy is not a candidate.
  private static let minConfidence: Float = 0.2
  /// A candidate that does not reach this confidence at any angle is not a face. In a small copy patterns look
  /// more like faces, and what it misses is found in the whole picture.
  private static let (sureConfidence, sureConfidenceWhenSmall): (Float, Float) = (0.62, 0.8)
  /// What a pattern reaches at some angle or other.
  private static let noConfidence: Float = 0.5
  /// The most candidates of the small copy: the cost of grouping grows with their square.
  private static let maxCandidates = 200

  /// Returns the candidates of the small copy, the most confident first, with the roll of the first few.
  func smallCandidates() throws(Status) -> [Candidate] {
    let side = max(Float(picture.size.longSide) * RollSearch.smallShare, RollSearch.minSmallSide)
    var candidates = try candidates(ofCopyWithSide: Int(side))
    // The turns have told the roll to within some 45°.
    try measureRolls(
      of: &candidates, offsets: [-67.5, -45, -22.5, 0, 22.5, 45, 67.5], maxCount: 4, maxShare: 0.15,
      minConfidence: RollSearch.sureConfidenceWhenSmall)
    return candidates
  }

  /// Returns faces as candidates, with the roll of the first few.
  /// - Parameters:
  ///   - faces: found in the whole picture, also with little confidence; without overlaps, the most confident
  ///     first.
  ///   - roll: that of most of them, to within some 60°; `nil` if nothing is known of it.
  func candidates(_ faces: [Face], near roll: Float? = nil) throws(Status) -> [Candidate] {
    var candidates = faces.prefix(RollSearch.maxCandidates).map { Candidate(face: $0, roll: roll ?? 0) }
    try measureRolls(
      of: &candidates,
      offsets: roll == nil ? [-135, -90, -45, 0, 45, 90, 135, 180] : [-60, -30, 0, 30, 60],
      maxCount: 10, maxShare: 0.3, minConfidence: RollSearch.sureConfidence)
    return candidates
  }

  /// Sets the roll and the confidence of the first candidates, by searching them at several angles.
  /// - Parameters:
  ///   - offsets: degrees relative to a candidate's roll.
  ///   - maxShare: the largest share of the picture's pixels that the squares may have together.
  ///   - minConfidence: that which a candidate reaches at some angle, if it is certainly a face.
  private func measureRolls(
    of candidates: inout [Candidate], offsets: [Float], maxCount: Int, maxShare: Double, minConfidence: Float
  ) throws(Status) {
    let pixels = Double(picture.size.width * picture.size.height) * maxShare
    let each = offsets.count * RollSearch.squareSide * RollSearch.squareSide
    let searched = candidates.indices.prefix(min(max(Int(pixels) / each, 1), maxCount))
    let squares = searched.flatMap { index in
      offsets.map { RotatedSquare(candidates[index].face.box, roll: candidates[index].roll + $0) }
    }
    let found = try pipeline.search(
      picture, squares: squares, side: RollSearch.squareSide, minConfidence: 0.1)
    for index in searched {
      let row = index * offsets.count..<(index + 1) * offsets.count
      let scores = found[row].map { $0?.confidence ?? 0 }
      guard let best = scores.max(), best >= minConfidence else { continue }
      candidates[index].roll = MeanRoll.ofFace(Array(zip(squares[row].map(\.angle), scores))) ?? 0
      candidates[index].confidence = best
    }
  }

  /// Returns the roll of most of the heads that are certainly faces; `nil` if none is.
  func commonRoll(of candidates: [Candidate]) -> Float? {
    MeanRoll.ofMost(
      candidates.filter { $0.confidence > 0 }.map { candidate in
        // The roll of a tiny face is uncertain.
        let size = candidate.face.box.meanSide / Float(picture.size.longSide)
        let certainty = candidate.confidence - RollSearch.noConfidence
        return (candidate.roll, certainty * certainty * min(1, size * 20))
      })
  }

  /// Returns the candidates of a small copy in eight turns: in the quarter turns alone, heads halfway between
  /// two of them are hardly found.
  private func candidates(ofCopyWithSide side: Int) throws(Status) -> [Candidate] {
    let small = try picture.networkInput(maxSide: side, multiple: 1, mayBorrow: true)
    guard small.letterbox.content.shortSide >= ImageLimits.minSide else { return [] }
    let view = try ImageView(small.pixels)
    let copy = try UprightImage(picture.input.made(into: .pixels(view), orientation: .up))
    func search(_ turned: UprightImage) throws(Status) -> [Face] {
      try pipeline.search(turned, maxSide: 0, minConfidence: RollSearch.minConfidence).faces
    }
    var sightings: [(face: Face, roll: Float)] = []
    for turn in QuarterTurn.allCases {
      let orientation = Orientation(turn)
      let turned = try UprightImage(picture.input.made(into: .pixels(view), orientation: orientation))
      let toPicture = orientation.toUpright(view.size).inverse
      // A head that is upright after a turn was tilted by its inverse.
      let roll = Float(turn.inverse.rawValue)
      sightings += try search(turned).map { (toPicture.upright($0), roll) }
      let halfway = TurnedView(of: view.size, roll: roll + 45, maxPixels: .max)
      sightings += try halfway.faces(in: copy, search).map { ($0, roll + 45) }
    }
    for index in sightings.indices { sightings[index].face = small.letterbox.toImage(sightings[index].face) }
    extendLifetime(small)
    sightings.sort { $0.face.confidence > $1.face.confidence }
    var places: [(face: Face, votes: [(roll: Float, weight: Float)])] = []
    for (face, roll) in sightings {
      let vote = (roll: roll, weight: max(face.confidence - 0.15, 0))
      if let index = places.firstIndex(where: { $0.face.box.isNear(face.box) }) {
        // Of each turn the most confident one.
        if !places[index].votes.contains(where: { $0.roll == vote.roll }) { places[index].votes.append(vote) }
      } else {
        places.append((face, [vote]))
      }
      if places.count == RollSearch.maxCandidates { break }
    }
    return places.map { place in
      let mean = MeanRoll(place.votes.lazy.map { ($0.roll, $0.weight * $0.weight) })
      return Candidate(face: place.face, roll: mean.degrees)
    }
  }
}

/// The weighted mean of rolls, as directions.
package struct MeanRoll {
  /// −180…180.
  package let degrees: Float
  package let weight: Float

  /// - Parameter rolls: in degrees, with weights of 0 or more.
  package init(_ rolls: some Sequence<(Float, Float)>) {
    var (x, y, weight): (Float, Float, Float) = (0, 0, 0)
    for (roll, share) in rolls {
      x += cosf(roll * .pi / 180) * share
      y += sinf(roll * .pi / 180) * share
      weight += share
    }
    degrees = atan2f(y, x) * 180 / .pi
    self.weight = weight
  }

  /// Returns the roll of a face from its confidences at several angles, in degrees: the mean of the angles near
  /// the best one, weighted by how much of a face it is there. Further away small faces often look like others
  /// that stand upright. `nil` without angles.
  package static func ofFace(_ sightings: [(angle: Float, confidence: Float)]) -> Float? {
    guard let best = sightings.max(by: { $0.confidence < $1.confidence }) else { return nil }
    let near = sightings.filter {
      ($0.angle - best.angle).remainder(dividingBy: 360).magnitude <= maxFromBest
    }
    return MeanRoll(
      near.map { sighting in
        let share = max(sighting.confidence - best.confidence + confidenceRange, 0)
        return (sighting.angle, share * share)
      }
    ).degrees
  }

  /// Degrees from the best angle up to which others count.
  private static let maxFromBest: Float = 50
  /// The difference from the best confidence from which on an angle does not count.
  private static let confidenceRange: Float = 0.35

  /// The most degrees between the roll of a head and that of another of the same group.
  private static let maxDifference: Float = 30

  /// Returns the mean roll of the heaviest group of heads that are tilted alike: the mean of all would be that
  /// of none where one lies and another stands. `nil` without heads.
  /// - Parameter heads: their rolls in degrees, with weights above 0; of two groups of the same weight the one
  ///   of the first head is taken.
  package static func ofMost(_ heads: [(roll: Float, weight: Float)]) -> Float? {
    var best: MeanRoll?
    for head in heads {
      let group = MeanRoll(
        heads.filter { ($0.roll - head.roll).remainder(dividingBy: 360).magnitude <= maxDifference }
          .map { ($0.roll, $0.weight) })
      if group.weight > best?.weight ?? 0 { best = group }
    }
    return best?.degrees
  }
}

extension Box {
  /// Returns whether both may be one face.
  func isNear(_ other: Box) -> Bool {
    let (dx, dy) = (center.x - other.center.x, center.y - other.center.y)
    return (dx * dx + dy * dy).squareRoot() < 0.4 * max(meanSide, other.meanSide)
  }
}

extension RotatedSquare {
  /// The square in which a face of `box` is searched at an angle.
  init(_ box: Box, roll: Float) {
    self.init(center: box.center, side: 2 * max(box.width, box.height), angle: roll)
  }
}
