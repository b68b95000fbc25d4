package import FaceCore

import func Glibc.expf
import func Glibc.logf

extension Eyes {
  /// Openness is what a blink's coefficient leaves of 1.
  package init?(_ expressions: Expressions) {
    guard let left = expressions["eyeBlinkLeft"], let right = expressions["eyeBlinkRight"] else { return nil }
    self.init(leftOpen: 1 - left, rightOpen: 1 - right)
  }
}

extension Mouth {
  package init?(_ expressions: Expressions, _ landmarks: Landmarks) {
    guard let smile = Smile.probability(expressions), let open = Mouth.openness(landmarks) else { return nil }
    self.init(smile: smile, open: open)
  }

  /// The gap between the lips by the distance between the eyes' outer corners, both in three dimensions so that turning
  /// the head changes neither; at half of it a mouth counts as wide open.
  package static func openness(_ landmarks: Landmarks) -> Float? {
    let points = landmarks.points
    guard points.count == Landmarks.count else { return nil }
    let gap = points[Landmarks.upperLipInner].distance(to: points[Landmarks.lowerLipInner])
    let eyes = points[Landmarks.leftEyeOuterCorner].distance(to: points[Landmarks.rightEyeOuterCorner])
    guard eyes > 0, gap.isFinite, eyes.isFinite else { return nil }
    return min(gap / (0.5 * eyes), 1)
  }
}

/// How likely people are to call it a smile: a logistic regression on three coefficients' log-odds.
///
/// Weights fitted by Tests/Benchmarks/smile_pose.py on half of its photos.
package enum Smile {
  private static let bias: Float = -0.721
  private static let weights: [(left: StaticString, right: StaticString, weight: Float)] = [
    ("mouthSmileLeft", "mouthSmileRight", 0.854), ("mouthUpperUpLeft", "mouthUpperUpRight", 0.117),
    ("mouthDimpleLeft", "mouthDimpleRight", -0.681),
  ]

  package static func probability(_ expressions: Expressions) -> Float? {
    var sum = bias
    for (left, right, weight) in weights {
      guard let odds = expressions.logOdds(left, right) else { return nil }
      sum += weight * odds
    }
    return 1 / (1 + expf(-sum))
  }
}

extension Expressions {
  /// ln(v / (1 − v)) of two coefficients, their mean. Beyond ±7 they say no more.
  fileprivate func logOdds(_ left: StaticString, _ right: StaticString) -> Float? {
    guard let left = self[left], let right = self[right] else { return nil }
    return (Expressions.logOdds(left) + Expressions.logOdds(right)) / 2
  }

  private static func logOdds(_ value: Float) -> Float {
    let inside = min(max(value, 0.001), 0.999)
    return logf(inside / (1 - inside))
  }
}

extension Point3D {
  func distance(to other: Point3D) -> Float {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }
}
