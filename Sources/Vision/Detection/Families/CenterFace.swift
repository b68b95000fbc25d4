public import FaceCore
import Inference

import func Glibc.expf

/// CenterFace: faces are peaks of a heat map with a cell for every four pixels, and have five points. Source:
/// Xu, Yan, Sun et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point", 2019.
///
/// Maps:
/// - heatmap: [1][h][w], 0…1: the probability of a face's middle.
/// - size: [2][h][w]: logarithms of the box's height and width in strides.
/// - offset: [2][h][w]: y and x of the middle in strides, from half a cell inside the cell.
/// - points: [10][h][w]: y and x from the box's top-left corner in heights and widths of the box.
public struct CenterFace: KnownFamily {
  public static let name = "centerface"
  public static let title = "CenterFace"
  public static let kinds = ["heatmap", "size", "offset", "points"]
  public static let trainedInput = InputSpecification(colour: .rgb, mean: 0, scale: 1)

  public let levels: [MapLevel]
  public let inputMultiple: Int
  /// Means over 285 faces of labelled photos, small and turned ones too.
  public let boxes: DetectedBoxes? = DetectedBoxes(margin: 1.235, lowering: 0.049)

  public init(_ levels: [MapLevel], inputMultiple: Int) throws(Status) {
    guard levels.count == 1 else {
      throw Status(.failedPrecondition, "strides in model.json must be one number for CenterFace, as in [4]")
    }
    (self.levels, self.inputMultiple) = (levels, inputMultiple)
  }

  /// One stride with its heads in this order.
  public static func recognise(_ heads: [[GraphHead]]) -> CenterFace? {
    guard let first = heads.first, first.map(\.channels) == [1, 2, 2, 10], first[0].isProbability else {
      return nil
    }
    return heads.levels { _ in [1, 2, 2, 10] }.flatMap { try? CenterFace($0, inputMultiple: 32) }
  }

  public func channels(of _: MapLevel) -> [Int] { [1, 2, 2, 10] }

  public func decode(_ maps: LevelMaps, minConfidence: Float, into faces: inout [Face]) {
    let heatmap = maps[0].values.span
    for cell in 0..<maps.cellCount {
      let confidence = min(heatmap[cell], 1)
      guard confidence >= minConfidence else { continue }
      let box = box(cell, maps)
      let points = FivePoints(networkOrder: { index in
        let y = maps[3].value(2 * index, cell)
        let x = maps[3].value(2 * index + 1, cell)
        return Point(x: box.x + x * box.width, y: box.y + y * box.height)
      })
      faces.append(Face(box: box, confidence: confidence, points: points))
    }
  }

  private func box(_ cell: Int, _ maps: LevelMaps) -> Box {
    let (scale, offset) = (maps[1], maps[2])
    let height = expf(scale.value(0, cell)) * maps.stride
    let width = expf(scale.value(1, cell)) * maps.stride
    let centreY = (maps.row(cell) + 0.5 + offset.value(0, cell)) * maps.stride
    let centreX = (maps.column(cell) + 0.5 + offset.value(1, cell)) * maps.stride
    return Box(center: Point(x: centreX, y: centreY), width: width, height: height)
  }
}
