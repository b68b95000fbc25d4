public import FaceCore
public import Inference

import func Glibc.expf

/// RetinaFace in the form of its PyTorch networks: square anchors of two sizes in the middle of every cell; a
/// box and five points are offsets from an anchor, in sides of the anchor and scaled by their variance.
/// Sources: Deng, Guo, Ververas, Kotsia, Zafeiriou, "RetinaFace: Single-Shot Multi-Level Face Localisation in
/// the Wild", CVPR 2020; Liu and others, "SSD: Single Shot MultiBox Detector", ECCV 2016 (the coding of
/// offsets).
public struct RetinaFace: DetectorFamily {
  /// The blob names of one stride.
  public struct Level: Equatable, Sendable {
    public let stride: Int
    /// The sides of a cell's anchors, in pixels of the input.
    public let anchors: [Float]
    /// [anchors × 2][h][w]: background and face of each anchor, before the softmax.
    public let scores: String
    /// [anchors × 4][h][w]: offset of the middle, x and y, and the logarithms of width and height.
    public let boxes: String
    /// [anchors × 10][h][w]: offsets of right eye, left eye, nose tip, right and left mouth corner, x and y
    /// of each.
    public let points: String

    public init(stride: Int, anchors: [Float], scores: String, boxes: String, points: String) {
      self.stride = stride
      self.anchors = anchors
      self.scores = scores
      self.boxes = boxes
      self.points = points
    }
  }

  /// The anchors of the published networks, by stride.
  public static let publishedAnchors: [Int: [Float]] = [8: [16, 32], 16: [64, 128], 32: [256, 512]]

  /// Variances of offsets and of logarithms.
  private static let (offsetVariance, sizeVariance): (Float, Float) = (0.1, 0.2)
  /// The largest logarithm: a box e⁸ times as large as its anchor is invalid.
  private static let maxLogarithm: Float = 8

  public let levels: [Level]
  public let inputMultiple: Int

  public init(levels: [Level], inputMultiple: Int) {
    self.levels = levels
    self.inputMultiple = inputMultiple
  }

  public var outputs: [String] { levels.flatMap { [$0.scores, $0.boxes, $0.points] } }

  public func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    guard maps.count == outputs.count else {
      throw Status(.internal, "RetinaFace was given \(maps.count) maps instead of \(outputs.count)")
    }
    var faces: [Face] = []
    for (index, level) in levels.enumerated() {
      let maps = maps[index * 3..<index * 3 + 3]
      let count = level.anchors.count
      try MapGroup.check(maps, channels: [count * 2, count * 4, count * 10], family: "RetinaFace")
      for anchor in level.anchors.indices {
        AnchorMaps(maps, level, anchor).decode(minConfidence: minConfidence, into: &faces)
      }
    }
    return faces
  }

  /// The maps of one stride for one of its anchors.
  private struct AnchorMaps {
    private let (scores, boxes, points): (TensorView, TensorView, TensorView)
    private let stride: Float
    /// Its side, and its index among those of a cell.
    private let side: Float
    private let anchor: Int

    init(_ maps: ArraySlice<TensorView>, _ level: Level, _ anchor: Int) {
      (scores, boxes, points) = (
        maps[maps.startIndex], maps[maps.startIndex + 1], maps[maps.startIndex + 2]
      )
      (stride, side, self.anchor) = (Float(level.stride), level.anchors[anchor], anchor)
    }

    func decode(minConfidence: Float, into faces: inout [Face]) {
      let width = scores.shape.width
      let least = ScoreForm.logit.minScore(for: minConfidence)
      for cell in 0..<scores.shape.height * width {
        // The softmax of two values is the sigmoid of their difference.
        let score = value(scores, anchor * 2 + 1, cell) - value(scores, anchor * 2, cell)
        guard score >= least else { continue }
        let confidence = sigmoid(score)
        guard confidence >= minConfidence else { continue }
        let middle = Point(
          x: (Float(cell % width) + 0.5) * stride, y: (Float(cell / width) + 0.5) * stride)
        faces.append(
          Face(box: box(cell, middle), confidence: confidence, points: fivePoints(cell, middle)))
      }
    }

    private func value(_ map: TensorView, _ channel: Int, _ cell: Int) -> Float {
      map.values[channel * map.shape.channelStride + cell]
    }

    /// Returns the position given by two values of `map`.
    private func place(_ map: TensorView, _ channel: Int, _ cell: Int, _ middle: Point) -> Point {
      let unit = RetinaFace.offsetVariance * side
      return Point(
        x: middle.x + value(map, channel, cell) * unit, y: middle.y + value(map, channel + 1, cell) * unit)
    }

    private func box(_ cell: Int, _ middle: Point) -> Box {
      let center = place(boxes, anchor * 4, cell, middle)
      func length(_ channel: Int) -> Float {
        side * expf(min(value(boxes, channel, cell) * RetinaFace.sizeVariance, RetinaFace.maxLogarithm))
      }
      let (width, height) = (length(anchor * 4 + 2), length(anchor * 4 + 3))
      return Box(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    private func fivePoints(_ cell: Int, _ middle: Point) -> FivePoints {
      func point(_ index: Int) -> Point { place(points, anchor * 10 + 2 * index, cell, middle) }
      return FivePoints(
        leftEye: point(1), rightEye: point(0), noseTip: point(2), mouthLeft: point(4), mouthRight: point(3))
    }
  }
}
