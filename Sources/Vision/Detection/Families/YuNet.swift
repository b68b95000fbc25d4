public import FaceCore
import Inference

import func Glibc.expf

/// YuNet: anchor-free, one cell per `stride` × `stride` pixels, five points. Source: Wu, Peng, Yu, "YuNet: A
/// Tiny Millisecond-level Face Detector", 2023.
///
/// Maps:
/// - cls: [1][h][w], 0…1: the probability of a face.
/// - obj: [1][h][w], 0…1: how well a box fits here.
/// - box: [4][h][w]: centre offset x, y in strides; logarithm of width, height in strides.
/// - points: [10][h][w]: offset x, y of each point, in strides.
public struct YuNet: KnownFamily {
  public static let name = "yunet"
  public static let title = "YuNet"
  public static let kinds = ["cls", "obj", "box", "points"]
  public static let trainedInput = InputSpecification(colour: .bgr, mean: 0, scale: 1)

  public let levels: [MapLevel]
  public let inputMultiple: Int
  /// Means over 285 faces of labelled photos, small and turned ones too.
  public let boxes: DetectedBoxes? = DetectedBoxes(margin: 1.267, lowering: 0.044)

  public init(_ levels: [MapLevel], inputMultiple: Int) {
    (self.levels, self.inputMultiple) = (levels, inputMultiple)
  }

  /// All four maps at every stride. The order of the first two makes no difference: the confidence is their
  /// geometric mean.
  public static func recognise(_ heads: [[GraphHead]]) -> YuNet? {
    guard !heads.isEmpty, heads.joined().allSatisfy({ $0.channels > 1 || $0.isProbability }) else {
      return nil
    }
    return heads.levels { _ in [1, 1, 4, 10] }.map { YuNet($0, inputMultiple: heads.coarsest) }
  }

  public func channels(of _: MapLevel) -> [Int] { [1, 1, 4, 10] }

  public func decode(_ maps: LevelMaps, minConfidence: Float, into faces: inout [Face]) {
    let (classification, objectness) = (maps[0].values, maps[1].values)
    // Excludes nearly all cells without a square root; a little less than the square, because it is rounded.
    let least = minConfidence * minConfidence * 0.9999
    let count = maps.cellCount
    var next = 0
    while next < count {
      let cell = next
      if cell + YuNet.together <= count, least > 0,
        YuNet.areBelow(least, classification, objectness, from: cell)
      {
        next += YuNet.together
        continue
      }
      next += 1
      let product = clamp(classification[cell]) * clamp(objectness[cell])
      guard product >= least else { continue }
      // Compared with the threshold as given: its square would exclude some faces that are exactly at it.
      let confidence = product.squareRoot()
      guard confidence >= minConfidence else { continue }
      faces.append(face(cell, confidence, maps))
    }
  }

  private static let together = 16

  /// Returns whether all of the cells from `cell` on are certainly below a product of more than 0. Values are
  /// not clamped to 0…1, which could only reduce products above 0.
  private static func areBelow(
    _ least: Float, _ classification: UnsafeBufferPointer<Float>, _ objectness: UnsafeBufferPointer<Float>,
    from cell: Int
  ) -> Bool {
    func values(_ map: UnsafeBufferPointer<Float>) -> SIMD16<Float> {
      UnsafeRawBufferPointer(map)
        .loadUnaligned(fromByteOffset: cell * MemoryLayout<Float>.stride, as: SIMD16<Float>.self)
    }
    return !any(values(classification) * values(objectness) .>= least)
  }

  private func face(_ cell: Int, _ confidence: Float, _ maps: LevelMaps) -> Face {
    let (box, points) = (maps[2], maps[3])
    let (column, row, stride) = (maps.column(cell), maps.row(cell), maps.stride)
    func point(_ map: TensorView, _ channel: Int) -> Point {
      Point(x: (column + map.value(channel, cell)) * stride, y: (row + map.value(channel + 1, cell)) * stride)
    }
    let centre = point(box, 0)
    let width = expf(box.value(2, cell)) * stride
    let height = expf(box.value(3, cell)) * stride
    return Face(
      box: Box(center: centre, width: width, height: height),
      confidence: confidence, points: FivePoints(networkOrder: { point(points, 2 * $0) }))
  }

  private func clamp(_ value: Float) -> Float { min(max(value, 0), 1) }
}
