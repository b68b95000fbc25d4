import FaceCore
import Imaging

import func Glibc.atan2f
import func Glibc.cosf
import func Glibc.sinf

/// Determines at low cost how far the heads of a picture are tilted: where a small copy of it, in any of its
/// quarter turns, shows something like a face, that place is searched again at several angles.
///
/// A detector's points hardly show how far a head is tilted, but its confidences do: from 15° on either side
/// they fall, by half at 45°. The roll of a place is the mean of the angles at which it is detected as a
/// face.
struct RollSearch {
  /// Searches the squares and the small copies.
  let pipeline: DetectionPipeline
  /// The picture, upright and without a region.
  let picture: UprightImage

  /// A place that looks like a face in at least one of the quarter turns.
  struct Candidate {
    /// The most confident detection.
    var face: Face
    /// Degrees, clockwise in the picture.
    var roll: Float
    /// The votes of the quarter turns, each with its most confident face.
    fileprivate var votes = Direction()
  }

  /// The long sides of the small copies relative to the picture's. The second one is only made if the first
  /// shows no face: it costs four times as much.
  static let smallSides: [Float] = [0.22, 0.44]
  /// The least long side of a small copy, in pixels.
  private static let minSmallSide: Float = 128
  /// The side in pixels of a square that is searched at an angle; the face takes half of it.
  static let squareSide = 64
  /// A face below this confidence in a small copy is not a candidate.
  private static let minConfidence: Float = 0.2
  /// The most candidates that are searched at several angles, and the largest share of the picture's pixels
  /// that they may have together.
  private static let (maxSearched, maxSearchedShare) = (4, 0.15)
  /// Degrees relative to the angle from the quarter turns.
  private static let angles: [Float] = [-67.5, -45, -22.5, 0, 22.5, 45, 67.5]
  /// A candidate that does not reach this confidence at any angle is not a face.
  static let sureConfidence: Float = 0.6

  /// Returns the candidates of a small copy, the most confident first, and the roll of most of them; `nil` if
  /// none is certainly a face.
  /// - Parameter share: the long side of the copy relative to that of the picture.
  func candidates(share: Float) throws(Status) -> (candidates: [Candidate], roll: Float?) {
    let side = max(Float(picture.size.longSide) * share, RollSearch.minSmallSide)
    var candidates = try search(side: Int(side))
    let searched = candidates.prefix(searchedCount)
    guard !searched.isEmpty else { return ([], nil) }
    let squares = searched.flatMap { candidate in
      RollSearch.angles.map { RotatedSquare(candidate.face.box, roll: candidate.roll + $0) }
    }
    let found = try pipeline.search(
      picture, squares: squares, side: RollSearch.squareSide, minConfidence: 0.1)
    var all = Direction()
    for index in searched.indices {
      let row = index * RollSearch.angles.count..<(index + 1) * RollSearch.angles.count
      let scores = found[row].map { $0?.confidence ?? 0 }
      guard let best = scores.max(), best >= RollSearch.sureConfidence else { continue }
      var direction = Direction()
      // Angles at which it is hardly a face carry no information.
      let floor = max(0.25, best - 0.45)
      for (angle, score) in zip(squares[row].map(\.angle), scores) {
        direction.add(angle, (max(score - floor, 0) * max(score - floor, 0)))
      }
      candidates[index].roll = direction.angle
      // The direction of a tiny face is uncertain.
      let size = candidates[index].face.box.meanSide / Float(picture.size.longSide)
      all.add(direction.angle, best * best * min(1, size * 20))
    }
    return (candidates, all.isEmpty ? nil : all.angle)
  }

  private var searchedCount: Int {
    let pixels = Double(picture.size.width * picture.size.height) * RollSearch.maxSearchedShare
    let each = RollSearch.angles.count * RollSearch.squareSide * RollSearch.squareSide
    return min(max(Int(pixels) / each, 1), RollSearch.maxSearched)
  }

  /// Returns the candidates of a small copy in its quarter turns.
  private func search(side: Int) throws(Status) -> [Candidate] {
    let small = try picture.networkInput(maxSide: side, multiple: 1, mayBorrow: true)
    guard small.letterbox.content.shortSide >= ImageLimits.minSide else { return [] }
    let view = try ImageView(small.pixels)
    var sightings: [(face: Face, turn: QuarterTurn)] = []
    for turn in QuarterTurn.allCases {
      let orientation = Orientation(turn)
      let turned = try UprightImage(picture.input.made(into: .pixels(view), orientation: orientation))
      let found = try pipeline.search(turned, maxSide: 0, minConfidence: RollSearch.minConfidence)
      let toPicture = orientation.toUpright(view.size).inverse
      sightings += found.faces.map { (small.letterbox.toImage(toPicture.upright($0)), turn) }
    }
    extendLifetime(small)
    sightings.sort { $0.face.confidence > $1.face.confidence }
    var candidates: [Candidate] = []
    for (face, turn) in sightings {
      // A head that is upright after a turn was tilted by its inverse.
      let roll = Float(turn.inverse.rawValue)
      if let index = candidates.firstIndex(where: { $0.face.box.isNear(face.box) }) {
        candidates[index].votes.add(once: roll, face.confidence)
      } else {
        candidates.append(Candidate(face: face, roll: roll))
        candidates[candidates.count - 1].votes.add(once: roll, face.confidence)
      }
      if candidates.count == RollSearch.maxCandidates { break }
    }
    for index in candidates.indices { candidates[index].roll = candidates[index].votes.angle }
    return candidates
  }

  /// The most candidates of one copy: the cost of grouping grows with their square.
  private static let maxCandidates = 200
}

/// A weighted mean of directions.
private struct Direction {
  private var x: Float = 0
  private var y: Float = 0
  private var angles: [Float] = []

  var isEmpty: Bool { x == 0 && y == 0 }

  /// Degrees, −180…180.
  var angle: Float { atan2f(y, x) * 180 / .pi }

  mutating func add(_ degrees: Float, _ weight: Float) {
    x += cosf(degrees * .pi / 180) * weight
    y += sinf(degrees * .pi / 180) * weight
  }

  /// Adds a confidence at one of the quarter turns, of which only the first counts.
  mutating func add(once degrees: Float, _ confidence: Float) {
    guard !angles.contains(degrees) else { return }
    angles.append(degrees)
    let weight = max(confidence - 0.15, 0)
    add(degrees, weight * weight)
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
