public import FaceCore
public import Inference

/// YOLOv5-face: in every cell a few boxes of fixed shape, the anchors, are fitted; five points.
/// Source: Qi, Tan, Yao et al., "YOLO5Face: Why Reinventing a Face Detector", 2021; the box as in YOLOv5.
public struct YOLOv5Face: DetectorFamily {
  /// The head of one stride.
  public struct Level: Equatable, Sendable {
    public let stride: Int
    /// [anchors × 16][h][w], before the sigmoid. For each anchor: centre x, y, width, height, objectness; x,
    /// y of right eye, left eye, nose tip, right and left mouth corner; class.
    public let map: String
    /// The anchors in pixels of the input.
    public let anchors: [Anchor]

    public init(stride: Int, map: String, anchors: [Anchor]) {
      self.stride = stride
      self.map = map
      self.anchors = anchors
    }
  }

  /// The shape of an anchor's box when the network changes nothing.
  public struct Anchor: Equatable, Sendable {
    public let width: Float
    public let height: Float

    public init(_ width: Float, _ height: Float) {
      self.width = width
      self.height = height
    }
  }

  static let channelsPerAnchor = 16

  /// The anchors that the published networks with strides 8, 16 and 32 were trained with.
  public static let publishedAnchors: [Int: [Anchor]] = [
    8: [Anchor(4, 5), Anchor(8, 10), Anchor(13, 16)],
    16: [Anchor(23, 29), Anchor(43, 55), Anchor(73, 105)],
    32: [Anchor(146, 217), Anchor(231, 300), Anchor(335, 433)],
  ]

  public let levels: [Level]
  public let inputMultiple: Int

  public init(levels: [Level], inputMultiple: Int) {
    self.levels = levels
    self.inputMultiple = inputMultiple
  }

  public var outputs: [String] { levels.map(\.map) }

  public func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    guard maps.count == levels.count else {
      throw Status(.internal, "YOLOv5-face was given \(maps.count) maps instead of \(levels.count)")
    }
    var faces: [Face] = []
    for (index, level) in levels.enumerated() {
      let channels = level.anchors.count * YOLOv5Face.channelsPerAnchor
      try MapGroup.check(maps[index...index], channels: [channels], family: "YOLOv5-face")
      for (number, anchor) in level.anchors.enumerated() {
        AnchorMap(map: maps[index], number: number, anchor: anchor, stride: Float(level.stride))
          .decode(minConfidence: minConfidence, into: &faces)
      }
    }
    return faces
  }
}

/// The 16 channels of one anchor.
private struct AnchorMap {
  let map: TensorView
  let number: Int
  let anchor: YOLOv5Face.Anchor
  let stride: Float

  func decode(minConfidence: Float, into faces: inout [Face]) {
    let width = map.shape.width
    // The product is not above either factor.
    let least = ScoreForm.logit.minScore(for: minConfidence)
    for cell in 0..<map.shape.height * width {
      let objectness = value(4, cell)
      guard objectness >= least else { continue }
      let confidence = sigmoid(objectness) * sigmoid(value(15, cell))
      guard confidence >= minConfidence else { continue }
      let column = Float(cell % width)
      let row = Float(cell / width)
      faces.append(
        Face(
          box: boxAt(cell, column: column, row: row), confidence: confidence,
          points: pointsAt(cell, column: column, row: row)))
    }
  }

  private func value(_ channel: Int, _ cell: Int) -> Float {
    map.values[(number * YOLOv5Face.channelsPerAnchor + channel) * map.shape.channelStride + cell]
  }

  private func boxAt(_ cell: Int, column: Float, row: Float) -> Box {
    let centreX = (column - 0.5 + 2 * sigmoid(value(0, cell))) * stride
    let centreY = (row - 0.5 + 2 * sigmoid(value(1, cell))) * stride
    let widthRoot = 2 * sigmoid(value(2, cell))
    let heightRoot = 2 * sigmoid(value(3, cell))
    let width = widthRoot * widthRoot * anchor.width
    let height = heightRoot * heightRoot * anchor.height
    return Box(x: centreX - width / 2, y: centreY - height / 2, width: width, height: height)
  }

  private func pointsAt(_ cell: Int, column: Float, row: Float) -> FivePoints {
    func point(_ index: Int) -> Point {
      Point(
        x: value(5 + 2 * index, cell) * anchor.width + column * stride,
        y: value(6 + 2 * index, cell) * anchor.height + row * stride)
    }
    return FivePoints(
      leftEye: point(1), rightEye: point(0), noseTip: point(2), mouthLeft: point(4), mouthRight: point(3))
  }
}
