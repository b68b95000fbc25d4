public import FaceCore
public import Inference

import func Glibc.expf

/// YuNet: anchor-free, one cell per `stride` × `stride` pixels, five points. Source: Wu, Peng, Yu, "YuNet: A
/// Tiny Millisecond-level Face Detector", 2023.
public struct YuNet: DetectorFamily {
  /// The blob names of one stride.
  public struct Level: Sendable {
    public let stride: Int
    /// [1][h][w], 0…1: the probability of a face.
    public let classification: String
    /// [1][h][w], 0…1: how well a box fits here.
    public let objectness: String
    /// [4][h][w]: centre offset x, y in strides; logarithm of width, height in strides.
    public let box: String
    /// [10][h][w]: offset x, y in strides of right eye, left eye, nose tip, right and left mouth corner.
    public let points: String

    public init(stride: Int, classification: String, objectness: String, box: String, points: String) {
      self.stride = stride
      self.classification = classification
      self.objectness = objectness
      self.box = box
      self.points = points
    }
  }

  public let levels: [Level]
  public let inputMultiple: Int

  public init(levels: [Level], inputMultiple: Int) {
    self.levels = levels
    self.inputMultiple = inputMultiple
  }

  public var outputs: [String] {
    levels.flatMap { [$0.classification, $0.objectness, $0.box, $0.points] }
  }

  public func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    guard maps.count == levels.count * 4 else {
      throw Status(.internal, "YuNet was given \(maps.count) maps instead of \(levels.count * 4)")
    }
    var faces: [Face] = []
    faces.reserveCapacity(64)
    for (index, level) in levels.enumerated() {
      let group = maps[index * 4..<index * 4 + 4]
      try MapGroup.check(group, channels: [1, 1, 4, 10], family: "YuNet")
      let cell = Cells(group, stride: Float(level.stride))
      cell.decode(minConfidence: minConfidence, into: &faces)
    }
    return faces
  }
}

/// The four maps of one stride.
private struct Cells {
  let classification: TensorView
  let objectness: TensorView
  let box: TensorView
  let points: TensorView
  let stride: Float

  init(_ maps: ArraySlice<TensorView>, stride: Float) {
    let first = maps.startIndex
    classification = maps[first]
    objectness = maps[first + 1]
    box = maps[first + 2]
    points = maps[first + 3]
    self.stride = stride
  }

  func decode(minConfidence: Float, into faces: inout [Face]) {
    let width = classification.shape.width
    let classification = classification.values.span
    let objectness = objectness.values.span
    // Excludes nearly all cells without a square root; a little less than the square, because it is rounded.
    let least = minConfidence * minConfidence * 0.9999
    let count = self.classification.shape.height * width
    var next = 0
    while next < count {
      let cell = next
      if cell + Cells.together <= count, least > 0, isBelow(least, from: cell) {
        next += Cells.together
        continue
      }
      next += 1
      let product = clamp(classification[cell]) * clamp(objectness[cell])
      guard product >= least else { continue }
      // Compared with the threshold as given: its square would exclude some faces that are exactly at it.
      let confidence = product.squareRoot()
      guard confidence >= minConfidence else { continue }
      let column = Float(cell % width)
      let row = Float(cell / width)
      faces.append(
        Face(
          box: boxAt(cell, column: column, row: row), confidence: confidence,
          points: pointsAt(cell, column: column, row: row)))
    }
  }

  private static let together = 16

  /// Returns whether all of the cells from `cell` on are certainly below a product of more than 0. Values are
  /// not clamped to 0…1, which could only reduce products above 0.
  private func isBelow(_ least: Float, from cell: Int) -> Bool {
    func values(_ map: TensorView) -> SIMD16<Float> {
      UnsafeRawBufferPointer(map.values)
        .loadUnaligned(fromByteOffset: cell * MemoryLayout<Float>.stride, as: SIMD16<Float>.self)
    }
    return !any(values(classification) * values(objectness) .>= least)
  }

  private func boxAt(_ cell: Int, column: Float, row: Float) -> Box {
    let values = box.values.span
    let plane = box.shape.channelStride
    let centreX = (column + values[cell]) * stride
    let centreY = (row + values[plane + cell]) * stride
    let width = expf(values[2 * plane + cell]) * stride
    let height = expf(values[3 * plane + cell]) * stride
    return Box(x: centreX - width / 2, y: centreY - height / 2, width: width, height: height)
  }

  private func pointsAt(_ cell: Int, column: Float, row: Float) -> FivePoints {
    let values = points.values.span
    let plane = points.shape.channelStride
    func point(_ index: Int) -> Point {
      Point(
        x: (column + values[2 * index * plane + cell]) * stride,
        y: (row + values[(2 * index + 1) * plane + cell]) * stride)
    }
    return FivePoints(
      leftEye: point(1), rightEye: point(0), noseTip: point(2), mouthLeft: point(4), mouthRight: point(3))
  }

  private func clamp(_ value: Float) -> Float { min(max(value, 0), 1) }
}
