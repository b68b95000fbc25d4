public import FaceCore
public import Inference

import func Glibc.expf

/// CenterFace: faces are peaks of a heat map with a cell for every four pixels, and have five points. Source:
/// Xu, Yan, Sun et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point", 2019.
public struct CenterFace: DetectorFamily {
  public let stride: Int
  /// [1][h][w], 0…1: the probability of a face's middle.
  public let heatmap: String
  /// [2][h][w]: logarithms of the box's height and width in strides.
  public let scale: String
  /// [2][h][w]: y and x of the middle in strides, from half a cell inside the cell.
  public let offset: String
  /// [10][h][w]: y and x from the box's top-left corner in heights and widths of the box: right eye, left
  /// eye, nose tip, right and left mouth corner.
  public let points: String
  public let inputMultiple: Int

  public init(
    stride: Int, heatmap: String, scale: String, offset: String, points: String, inputMultiple: Int
  ) {
    self.stride = stride
    self.heatmap = heatmap
    self.scale = scale
    self.offset = offset
    self.points = points
    self.inputMultiple = inputMultiple
  }

  public var outputs: [String] { [heatmap, scale, offset, points] }

  public func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    try MapGroup.check(maps[...], channels: [1, 2, 2, 10], family: "CenterFace")
    let width = maps[0].shape.width
    let heatmap = maps[0].values.span
    var faces: [Face] = []
    for cell in 0..<maps[0].shape.height * width {
      let confidence = min(heatmap[cell], 1)
      guard confidence >= minConfidence else { continue }
      let box = box(
        cell, column: Float(cell % width), row: Float(cell / width), scale: maps[1], offset: maps[2])
      faces.append(Face(box: box, confidence: confidence, points: points(cell, of: box, maps[3])))
    }
    return faces
  }

  private func box(_ cell: Int, column: Float, row: Float, scale: TensorView, offset: TensorView) -> Box {
    let stride = Float(stride)
    let height = expf(scale.values[cell]) * stride
    let width = expf(scale.values[scale.shape.channelStride + cell]) * stride
    let centreY = (row + 0.5 + offset.values[cell]) * stride
    let centreX = (column + 0.5 + offset.values[offset.shape.channelStride + cell]) * stride
    return Box(x: centreX - width / 2, y: centreY - height / 2, width: width, height: height)
  }

  private func points(_ cell: Int, of box: Box, _ map: TensorView) -> FivePoints {
    func point(_ index: Int) -> Point {
      let y = map.values[2 * index * map.shape.channelStride + cell]
      let x = map.values[(2 * index + 1) * map.shape.channelStride + cell]
      return Point(x: box.x + x * box.width, y: box.y + y * box.height)
    }
    return FivePoints(
      leftEye: point(1), rightEye: point(0), noseTip: point(2), mouthLeft: point(4), mouthRight: point(3))
  }
}
