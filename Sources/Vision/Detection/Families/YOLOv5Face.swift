public import FaceCore
import Inference

/// YOLOv5-face: in every cell a few boxes of fixed shape, the anchors, are fitted; five points.
/// Source: Qi, Tan, Yao et al., "YOLO5Face: Why Reinventing a Face Detector", 2021; the box as in YOLOv5.
///
/// Maps: [anchors × 16][h][w], before the sigmoid. For each anchor: centre x, y, width, height, objectness; x
/// and y of each point; class.
public struct YOLOv5Face: KnownFamily {
  public static let name = "yolov5-face"
  public static let title = "YOLOv5-face"
  public static let kinds = ["maps"]
  public static let trainedInput = InputSpecification(colour: .rgb, mean: 0, scale: 1 / 255)

  /// The widths and heights of the anchors of the published networks, by stride, in pixels of the input.
  static let anchors: [Int: [SIMD2<Float>]] = [
    8: [[4, 5], [8, 10], [13, 16]],
    16: [[23, 29], [43, 55], [73, 105]],
    32: [[146, 217], [231, 300], [335, 433]],
  ]

  private static let channelsPerAnchor = 16

  public let levels: [MapLevel]
  public let inputMultiple: Int

  public init(_ levels: [MapLevel], inputMultiple: Int) throws(Status) {
    try YOLOv5Face.checkStrides(of: levels, haveAnchors: YOLOv5Face.anchors)
    (self.levels, self.inputMultiple) = (levels, inputMultiple)
  }

  /// One head of three anchors at each published stride.
  public static func recognise(_ heads: [[GraphHead]]) -> YOLOv5Face? {
    guard heads.map({ $0[0].stride }) == anchors.keys.sorted(),
      let levels = heads.levels({ [channelsPerAnchor * (anchors[$0]?.count ?? 0)] }),
      !heads.joined().contains(where: \.isProbability)
    else { return nil }
    return try? YOLOv5Face(levels, inputMultiple: heads.coarsest)
  }

  public func channels(of level: MapLevel) -> [Int] {
    [YOLOv5Face.channelsPerAnchor * (YOLOv5Face.anchors[level.stride]?.count ?? 0)]
  }

  public func decode(_ maps: LevelMaps, minConfidence: Float, into faces: inout [Face]) {
    for (number, anchor) in (YOLOv5Face.anchors[Int(maps.stride)] ?? []).enumerated() {
      AnchorMap(maps: maps, map: maps[0], number: number, anchor: anchor)
        .decode(minConfidence: minConfidence, into: &faces)
    }
  }

  /// The 16 channels of one anchor.
  private struct AnchorMap {
    let maps: LevelMaps
    let map: TensorView
    let number: Int
    let anchor: SIMD2<Float>

    func decode(minConfidence: Float, into faces: inout [Face]) {
      // The product is not above either factor.
      let least = ScoreForm.logit.minScore(for: minConfidence)
      for cell in 0..<maps.cellCount {
        let objectness = value(4, cell)
        guard objectness >= least else { continue }
        let confidence = sigmoid(objectness) * sigmoid(value(15, cell))
        guard confidence >= minConfidence else { continue }
        let (column, row) = (maps.column(cell), maps.row(cell))
        let points = FivePoints(networkOrder: { index in
          Point(
            x: value(5 + 2 * index, cell) * anchor.x + column * maps.stride,
            y: value(6 + 2 * index, cell) * anchor.y + row * maps.stride)
        })
        faces.append(Face(box: box(cell, column, row), confidence: confidence, points: points))
      }
    }

    private func value(_ channel: Int, _ cell: Int) -> Float {
      map.value(number * YOLOv5Face.channelsPerAnchor + channel, cell)
    }

    private func box(_ cell: Int, _ column: Float, _ row: Float) -> Box {
      let centreX = (column - 0.5 + 2 * sigmoid(value(0, cell))) * maps.stride
      let centreY = (row - 0.5 + 2 * sigmoid(value(1, cell))) * maps.stride
      let widthRoot = 2 * sigmoid(value(2, cell))
      let heightRoot = 2 * sigmoid(value(3, cell))
      let width = widthRoot * widthRoot * anchor.x
      let height = heightRoot * heightRoot * anchor.y
      return Box(center: Point(x: centreX, y: centreY), width: width, height: height)
    }
  }
}
