public import FaceCore
import Inference

import func Glibc.expf

/// RetinaFace in the form of its PyTorch networks: square anchors of two sizes in the middle of every cell; a
/// box and five points are offsets from an anchor, in sides of the anchor and scaled by their variance.
/// Sources: Deng, Guo, Ververas, Kotsia, Zafeiriou, "RetinaFace: Single-Shot Multi-Level Face Localisation in
/// the Wild", CVPR 2020; Liu and others, "SSD: Single Shot MultiBox Detector", ECCV 2016 (the coding of
/// offsets).
///
/// Maps:
/// - scores: [anchors × 2][h][w]: background and face of each anchor, before the softmax.
/// - box: [anchors × 4][h][w]: offset of the middle, x and y, and the logarithms of width and height.
/// - points: [anchors × 10][h][w]: offsets, x and y of each.
public struct RetinaFace: KnownFamily {
  public static let name = "retinaface"
  public static let title = "RetinaFace"
  public static let kinds = ["scores", "box", "points"]
  public static let trainedInput = InputSpecification(colour: .bgr, mean: [104, 117, 123], scale: [1, 1, 1])

  /// The sides of the anchors of the published networks, by stride, in pixels of the input.
  static let anchors: [Int: [Float]] = [8: [16, 32], 16: [64, 128], 32: [256, 512]]

  /// Variances of offsets and of logarithms.
  private static let (offsetVariance, sizeVariance): (Float, Float) = (0.1, 0.2)
  /// The largest logarithm: a box e⁸ times as large as its anchor is invalid.
  private static let maxLogarithm: Float = 8

  public let levels: [MapLevel]
  public let inputMultiple: Int

  public init(_ levels: [MapLevel], inputMultiple: Int) throws(Status) {
    try RetinaFace.checkStrides(of: levels, haveAnchors: RetinaFace.anchors)
    (self.levels, self.inputMultiple) = (levels, inputMultiple)
  }

  /// Two scores, an offset with two logarithms, and ten more values for each anchor, at each published stride.
  public static func recognise(_ heads: [[GraphHead]]) -> RetinaFace? {
    guard heads.map({ $0[0].stride }) == anchors.keys.sorted(),
      let levels = heads.levels({ stride in [2, 4, 10].map { $0 * (anchors[stride]?.count ?? 0) } }),
      heads.allSatisfy({ $0.min { $0.channels < $1.channels }?.isProbability == false })
    else { return nil }
    return try? RetinaFace(levels, inputMultiple: heads.coarsest)
  }

  public func channels(of level: MapLevel) -> [Int] {
    [2, 4, 10].map { $0 * (RetinaFace.anchors[level.stride]?.count ?? 0) }
  }

  public func decode(_ maps: LevelMaps, minConfidence: Float, into faces: inout [Face]) {
    for (anchor, side) in (RetinaFace.anchors[Int(maps.stride)] ?? []).enumerated() {
      AnchorMaps(maps: maps, side: side, anchor: anchor).decode(minConfidence: minConfidence, into: &faces)
    }
  }

  /// The maps of one stride for one of its anchors.
  private struct AnchorMaps {
    let maps: LevelMaps
    /// Its side, and its index among those of a cell.
    let side: Float
    let anchor: Int

    func decode(minConfidence: Float, into faces: inout [Face]) {
      let least = ScoreForm.logit.minScore(for: minConfidence)
      let scores = maps[0]
      for cell in 0..<maps.cellCount {
        // The softmax of two values is the sigmoid of their difference.
        let score = scores.value(anchor * 2 + 1, cell) - scores.value(anchor * 2, cell)
        guard score >= least else { continue }
        let confidence = sigmoid(score)
        guard confidence >= minConfidence else { continue }
        let middle = Point(
          x: (maps.column(cell) + 0.5) * maps.stride, y: (maps.row(cell) + 0.5) * maps.stride)
        let points = FivePoints(networkOrder: { place(maps[2], anchor * 10 + 2 * $0, cell, middle) })
        faces.append(Face(box: box(cell, middle), confidence: confidence, points: points))
      }
    }

    /// Returns the position given by two values of `map`.
    private func place(_ map: TensorView, _ channel: Int, _ cell: Int, _ middle: Point) -> Point {
      let unit = RetinaFace.offsetVariance * side
      return Point(
        x: middle.x + map.value(channel, cell) * unit, y: middle.y + map.value(channel + 1, cell) * unit)
    }

    private func box(_ cell: Int, _ middle: Point) -> Box {
      let center = place(maps[1], anchor * 4, cell, middle)
      func length(_ channel: Int) -> Float {
        side * expf(min(maps[1].value(channel, cell) * RetinaFace.sizeVariance, RetinaFace.maxLogarithm))
      }
      let (width, height) = (length(anchor * 4 + 2), length(anchor * 4 + 3))
      return Box(center: center, width: width, height: height)
    }
  }
}
