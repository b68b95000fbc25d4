import Detection
import FaceCore
import Foundation

/// YuNet's formulas, one value at a time in double precision.
///
/// Source: Wu, Peng, Yu, "YuNet: A Tiny Millisecond-level Face Detector", 2023, section 3: the score is the
/// geometric mean of classification and objectness; a box's centre is an offset from its cell, its sides are
/// exponentials, all in strides; so are the points' offsets.
enum NaiveYuNet {
  static func decode(_ recording: Recording, strides: [Int], minConfidence: Double) -> [Face] {
    var faces: [Face] = []
    for (level, stride) in strides.enumerated() {
      let maps = recording.maps[level * 4..<level * 4 + 4].map { $0 }
      for row in 0..<maps[0].height {
        for column in 0..<maps[0].width {
          func value(_ map: Int, _ channel: Int) -> Double {
            Double(maps[map].values[(channel * maps[map].height + row) * maps[map].width + column])
          }
          let score = (value(0, 0) * value(1, 0)).squareRoot()
          guard score >= minConfidence else { continue }
          let size = Double(stride)
          let centreX = (Double(column) + value(2, 0)) * size
          let centreY = (Double(row) + value(2, 1)) * size
          let width = exp(value(2, 2)) * size
          let height = exp(value(2, 3)) * size
          let points = (0..<5).map { index in
            Point(
              x: Float((Double(column) + value(3, 2 * index)) * size),
              y: Float((Double(row) + value(3, 2 * index + 1)) * size))
          }
          faces.append(
            Face(
              box: Box(
                x: Float(centreX - width / 2), y: Float(centreY - height / 2), width: Float(width),
                height: Float(height)),
              confidence: Float(score),
              points: FivePoints(
                leftEye: points[1], rightEye: points[0], noseTip: points[2], mouthLeft: points[4],
                mouthRight: points[3])))
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
