import Detection
import FaceCore
import Foundation

/// The formulas of the families as they are published, one value at a time in double precision.
enum NaiveFamilies {
  /// One value of a map.
  private static func value(_ map: Recording.Map, _ channel: Int, _ row: Int, _ column: Int) -> Double {
    Double(map.values[(channel * map.height + row) * map.width + column])
  }

  private static func sigmoid(_ value: Double) -> Double { 1 / (1 + exp(-value)) }

  /// - Parameter points: x and y of right eye, left eye, nose tip, right and left mouth corner.
  private static func face(
    left: Double, top: Double, width: Double, height: Double, score: Double, points: [(Double, Double)]
  ) -> Face {
    let points = points.map { Point(x: Float($0.0), y: Float($0.1)) }
    return Face(
      box: Box(x: Float(left), y: Float(top), width: Float(width), height: Float(height)),
      confidence: Float(score),
      points: points.isEmpty
        ? nil
        : FivePoints(
          leftEye: points[1], rightEye: points[0], noseTip: points[2], mouthLeft: points[4],
          mouthRight: points[3]))
  }

  /// Xu et al., "CenterFace", 2019, section 3, and the authors' demo: rows before columns everywhere.
  static func centerFace(_ recording: Recording, stride: Double, minConfidence: Double) -> [Face] {
    let maps = recording.maps
    var faces: [Face] = []
    for row in 0..<maps[0].height {
      for column in 0..<maps[0].width {
        func at(_ map: Int, _ channel: Int) -> Double { value(maps[map], channel, row, column) }
        let score = min(at(0, 0), 1)
        guard score >= minConfidence else { continue }
        let height = exp(at(1, 0)) * stride
        let width = exp(at(1, 1)) * stride
        let top = (Double(row) + at(2, 0) + 0.5) * stride - height / 2
        let left = (Double(column) + at(2, 1) + 0.5) * stride - width / 2
        let points = (0..<5).map { (left + at(3, 2 * $0 + 1) * width, top + at(3, 2 * $0) * height) }
        faces.append(
          face(left: left, top: top, width: width, height: height, score: score, points: points))
      }
    }
    return faces
  }

  /// Qi et al., "YOLO5Face", 2021, and YOLOv5's own box: (2σ − ½ + cell) × stride, (2σ)² × anchor.
  static func yolo(
    _ recording: Recording, anchors: [(stride: Double, sizes: [(Double, Double)])], minConfidence: Double
  ) -> [Face] {
    var faces: [Face] = []
    for (map, level) in zip(recording.maps, anchors) {
      for (number, anchor) in level.sizes.enumerated() {
        for row in 0..<map.height {
          for column in 0..<map.width {
            func at(_ index: Int) -> Double { value(map, number * 16 + index, row, column) }
            let score = sigmoid(at(4)) * sigmoid(at(15))
            guard score >= minConfidence else { continue }
            let x = (2 * sigmoid(at(0)) - 0.5 + Double(column)) * level.stride
            let y = (2 * sigmoid(at(1)) - 0.5 + Double(row)) * level.stride
            let width = pow(2 * sigmoid(at(2)), 2) * anchor.0
            let height = pow(2 * sigmoid(at(3)), 2) * anchor.1
            let points = (0..<5).map {
              (
                at(5 + 2 * $0) * anchor.0 + Double(column) * level.stride,
                at(6 + 2 * $0) * anchor.1 + Double(row) * level.stride
              )
            }
            faces.append(
              face(
                left: x - width / 2, top: y - height / 2, width: width, height: height, score: score,
                points: points))
          }
        }
      }
    }
    return faces
  }

  /// Deng et al., "RetinaFace", 2020: offsets from square anchors, in variances of 0.1 and 0.2.
  static func retinaFace(
    _ recording: Recording, anchors: [(stride: Double, sides: [Double])], minConfidence: Double
  ) -> [Face] {
    var faces: [Face] = []
    for (level, (stride, sides)) in anchors.enumerated() {
      let maps = Array(recording.maps[level * 3..<level * 3 + 3])
      for (anchor, side) in sides.enumerated() {
        for row in 0..<maps[0].height {
          for column in 0..<maps[0].width {
            func at(_ map: Int, _ channel: Int) -> Double { value(maps[map], channel, row, column) }
            let (background, isFace) = (exp(at(0, anchor * 2)), exp(at(0, anchor * 2 + 1)))
            let score = isFace / (background + isFace)
            guard score >= minConfidence else { continue }
            let (x, y) = ((Double(column) + 0.5) * stride, (Double(row) + 0.5) * stride)
            let width = side * exp(at(1, anchor * 4 + 2) * 0.2)
            let height = side * exp(at(1, anchor * 4 + 3) * 0.2)
            let points = (0..<5).map {
              (x + at(2, anchor * 10 + 2 * $0) * 0.1 * side, y + at(2, anchor * 10 + 2 * $0 + 1) * 0.1 * side)
            }
            faces.append(
              face(
                left: x + at(1, anchor * 4) * 0.1 * side - width / 2,
                top: y + at(1, anchor * 4 + 1) * 0.1 * side - height / 2, width: width, height: height,
                score: score, points: points))
          }
        }
      }
    }
    return faces
  }

  /// Guo et al., "Sample and Computation Redistribution for Efficient Face Detection", 2021: distances from
  /// the place of an anchor, all in strides.
  static func scrfd(
    _ recording: Recording, strides: [Double], anchors: Int, minConfidence: Double
  ) -> [Face] {
    var faces: [Face] = []
    for (level, stride) in strides.enumerated() {
      let maps = Array(recording.maps[level * 3..<level * 3 + 3])
      for anchor in 0..<anchors {
        for row in 0..<maps[0].height {
          for column in 0..<maps[0].width {
            func at(_ map: Int, _ channel: Int) -> Double { value(maps[map], channel, row, column) }
            let score = min(max(at(0, anchor), 0), 1)
            guard score >= minConfidence else { continue }
            let x = Double(column) * stride
            let y = Double(row) * stride
            let sides = (0..<4).map { at(1, anchor * 4 + $0) * stride }
            let points = (0..<5).map {
              (x + at(2, anchor * 10 + 2 * $0) * stride, y + at(2, anchor * 10 + 2 * $0 + 1) * stride)
            }
            faces.append(
              face(
                left: x - sides[0], top: y - sides[1], width: sides[0] + sides[2],
                height: sides[1] + sides[3], score: score, points: points))
          }
        }
      }
    }
    return faces
  }

  /// Wu, Peng, Yu, "YuNet: A Tiny Millisecond-level Face Detector", 2023, section 3: the score is the geometric mean
  /// of classification and objectness; a box's centre is an offset from its cell, its sides are exponentials, all in
  /// strides; so are the points' offsets.
  static func yunet(_ recording: Recording, strides: [Int], minConfidence: Double) -> [Face] {
    var faces: [Face] = []
    for (level, stride) in strides.enumerated() {
      let maps = Array(recording.maps[level * 4..<level * 4 + 4])
      let size = Double(stride)
      for row in 0..<maps[0].height {
        for column in 0..<maps[0].width {
          func at(_ map: Int, _ channel: Int) -> Double { value(maps[map], channel, row, column) }
          let score = (at(0, 0) * at(1, 0)).squareRoot()
          guard score >= minConfidence else { continue }
          let (width, height) = (exp(at(2, 2)) * size, exp(at(2, 3)) * size)
          let points = (0..<5).map {
            ((Double(column) + at(3, 2 * $0)) * size, (Double(row) + at(3, 2 * $0 + 1)) * size)
          }
          faces.append(
            face(
              left: (Double(column) + at(2, 0)) * size - width / 2,
              top: (Double(row) + at(2, 1)) * size - height / 2, width: width, height: height, score: score,
              points: points))
        }
      }
    }
    return faces
  }
}

extension Face {
  /// The largest difference between the numbers of two faces.
  func distance(to other: Face) -> Float {
    let pairs = zip(numbers, other.numbers)
    return pairs.map { abs($0 - $1) }.max() ?? .infinity
  }

  private var numbers: [Float] {
    let points = points.map { [$0.rightEye, $0.leftEye, $0.noseTip, $0.mouthRight, $0.mouthLeft] } ?? []
    return [box.x, box.y, box.width, box.height, confidence] + points.flatMap { [$0.x, $0.y] }
  }
}
