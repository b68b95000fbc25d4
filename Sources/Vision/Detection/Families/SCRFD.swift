public import FaceCore
import Inference

/// SCRFD: anchors are only positions, usually two in every cell; a box is four distances from its anchor.
/// With or without five points.
/// Source: Guo, Deng, Lattas, Zafeiriou, "Sample and Computation Redistribution for Efficient Face
/// Detection", 2021.
///
/// Maps:
/// - scores: [anchors][h][w]: the score of a face.
/// - box: [anchors × 4][h][w]: from the cell's corner to the box's left, top, right and bottom, in strides.
/// - points: [anchors × 10][h][w]: from the cell's corner to each point, x and y, in strides.
public struct SCRFD: KnownFamily {
  public static let name = "scrfd"
  public static let title = "SCRFD"
  public static let kinds = ["scores", "box", "points"]
  public static let optionalKinds: Set = ["points"]
  public static let trainedInput = InputSpecification(colour: .rgb, mean: 127.5, scale: 1 / 128)

  public let levels: [MapLevel]
  public let inputMultiple: Int
  package private(set) var anchors = 2
  package private(set) var scoreForm = ScoreForm.probability

  public init(_ levels: [MapLevel], inputMultiple: Int) {
    (self.levels, self.inputMultiple) = (levels, inputMultiple)
  }

  /// For each anchor one score, four distances and, if there are points, ten more values, at every stride.
  public static func recognise(_ heads: [[GraphHead]]) -> SCRFD? {
    guard heads.count >= 3, let anchors = heads[0].map(\.channels).min(), anchors <= 8,
      let levels = heads.levels({ _ in [1, 4, 10].prefix(max(2, heads[0].count)).map { $0 * anchors } })
    else { return nil }
    let areProbabilities = Set(heads.joined().filter { $0.channels == anchors }.map(\.isProbability))
    guard areProbabilities.count == 1 else { return nil }
    var family = SCRFD(levels, inputMultiple: heads.coarsest)
    family.anchors = anchors
    family.scoreForm = areProbabilities == [true] ? .probability : .logit
    return family
  }

  public func channels(of level: MapLevel) -> [Int] {
    [1, 4, 10].prefix(level.blobs.count).map { $0 * anchors }
  }

  public func decode(_ maps: LevelMaps, minConfidence: Float, into faces: inout [Face]) {
    let least = scoreForm.minScore(for: minConfidence)
    let scores = maps[0]
    for anchor in 0..<anchors {
      for cell in 0..<maps.cellCount {
        let score = scores.value(anchor, cell)
        guard score >= least else { continue }
        let confidence = scoreForm.probability(score)
        guard confidence >= minConfidence else { continue }
        let corner = Point(x: maps.column(cell) * maps.stride, y: maps.row(cell) * maps.stride)
        func distance(_ map: Int, _ channel: Int) -> Float { maps[map].value(channel, cell) * maps.stride }
        let (left, top) = (distance(1, anchor * 4), distance(1, anchor * 4 + 1))
        let box = Box(
          x: corner.x - left, y: corner.y - top, width: left + distance(1, anchor * 4 + 2),
          height: top + distance(1, anchor * 4 + 3))
        func point(_ index: Int) -> Point {
          let channel = anchor * 10 + 2 * index
          return Point(x: corner.x + distance(2, channel), y: corner.y + distance(2, channel + 1))
        }
        faces.append(
          Face(
            box: box, confidence: confidence,
            points: maps.count > 2 ? FivePoints(networkOrder: point) : nil))
      }
    }
  }
}
