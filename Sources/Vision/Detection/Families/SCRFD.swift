public import FaceCore
public import Inference

/// SCRFD: anchors are only positions, usually two in every cell; a box is four distances from its anchor.
/// With or without five points.
/// Source: Guo, Deng, Lattas, Zafeiriou, "Sample and Computation Redistribution for Efficient Face
/// Detection", 2021.
public struct SCRFD: DetectorFamily {
  /// The blob names of one stride, for `anchors` anchors.
  public struct Level: Equatable, Sendable {
    public let stride: Int
    /// [anchors][h][w]: the score of a face.
    public let scores: String
    /// [anchors × 4][h][w]: from the cell's corner to the box's left, top, right and bottom, in strides.
    public let boxes: String
    /// [anchors × 10][h][w]: from the cell's corner to right eye, left eye, nose tip, right and left mouth
    /// corner, x and y of each, in strides; `nil` where the network has no points.
    public let points: String?

    public init(stride: Int, scores: String, boxes: String, points: String?) {
      self.stride = stride
      self.scores = scores
      self.boxes = boxes
      self.points = points
    }
  }

  public let levels: [Level]
  public let anchors: Int
  public let scoreForm: ScoreForm
  public let inputMultiple: Int

  public init(levels: [Level], anchors: Int, scoreForm: ScoreForm, inputMultiple: Int) {
    self.levels = levels
    self.anchors = anchors
    self.scoreForm = scoreForm
    self.inputMultiple = inputMultiple
  }

  public var outputs: [String] {
    levels.flatMap { [$0.scores, $0.boxes] + ($0.points.map { [$0] } ?? []) }
  }

  public func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    guard maps.count == outputs.count else {
      throw Status(.internal, "SCRFD was given \(maps.count) maps instead of \(outputs.count)")
    }
    var faces: [Face] = []
    var rest = maps[...]
    for level in levels {
      let channels = [anchors, anchors * 4] + (level.points == nil ? [] : [anchors * 10])
      let maps = rest.prefix(channels.count)
      rest = rest.dropFirst(channels.count)
      try MapGroup.check(maps, channels: channels, family: "SCRFD")
      let group = DistanceMaps(maps, stride: Float(level.stride))
      for anchor in 0..<anchors {
        group.decode(anchor, scoreForm, minConfidence: minConfidence, into: &faces)
      }
    }
    return faces
  }
}

/// The maps of one stride.
private struct DistanceMaps {
  let scores: TensorView
  let boxes: TensorView
  let points: TensorView?
  let stride: Float

  init(_ maps: ArraySlice<TensorView>, stride: Float) {
    scores = maps[maps.startIndex]
    boxes = maps[maps.startIndex + 1]
    points = maps.count > 2 ? maps[maps.startIndex + 2] : nil
    self.stride = stride
  }

  func decode(_ anchor: Int, _ form: ScoreForm, minConfidence: Float, into faces: inout [Face]) {
    let width = scores.shape.width
    let least = form.minScore(for: minConfidence)
    for cell in 0..<scores.shape.height * width {
      let score = scores.values[anchor * scores.shape.channelStride + cell]
      guard score >= least else { continue }
      let confidence = form.probability(score)
      guard confidence >= minConfidence else { continue }
      let corner = Point(x: Float(cell % width) * stride, y: Float(cell / width) * stride)
      faces.append(
        Face(
          box: box(anchor, cell, from: corner), confidence: confidence,
          points: points.map { fivePoints(anchor, cell, from: corner, $0) }))
    }
  }

  private func box(_ anchor: Int, _ cell: Int, from corner: Point) -> Box {
    func distance(_ side: Int) -> Float {
      boxes.values[(anchor * 4 + side) * boxes.shape.channelStride + cell] * stride
    }
    let left = distance(0)
    let top = distance(1)
    return Box(x: corner.x - left, y: corner.y - top, width: left + distance(2), height: top + distance(3))
  }

  private func fivePoints(_ anchor: Int, _ cell: Int, from corner: Point, _ map: TensorView) -> FivePoints {
    func point(_ index: Int) -> Point {
      let channel = anchor * 10 + 2 * index
      return Point(
        x: corner.x + map.values[channel * map.shape.channelStride + cell] * stride,
        y: corner.y + map.values[(channel + 1) * map.shape.channelStride + cell] * stride)
    }
    return FivePoints(
      leftEye: point(1), rightEye: point(0), noseTip: point(2), mouthLeft: point(4), mouthRight: point(3))
  }
}
