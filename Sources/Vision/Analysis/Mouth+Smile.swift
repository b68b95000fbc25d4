package import FaceCore

import func Glibc.expf

extension Mouth {
  package init?(_ expressions: Expressions, _ landmarks: Landmarks) {
    guard let smile = Smile.probability(expressions, landmarks), let open = Mouth.openness(landmarks) else {
      return nil
    }
    self.init(smile: smile, open: open)
  }

  /// Returns the gap between the lips relative to the distance between the outer corners of the eyes, both in
  /// three dimensions so that turning the head changes neither; a mouth counts as wide open at half of that
  /// distance.
  package static func openness(_ landmarks: Landmarks) -> Float? {
    guard let gap = landmarks.distance(Landmarks.upperLipInner, Landmarks.lowerLipInner) else { return nil }
    return min(gap / 0.5, 1)
  }
}

/// The probability that people call an expression a smile: a logistic regression on three coefficients and
/// three distances.
///
/// A smile draws the corners of the mouth up and apart, and the upper lip towards the nose without pushing it
/// up; it raises the lower lids, but so does a frown: therefore lowered brows count against it. The weights were
/// fitted on the 240 labelled photos that Tests/Benchmarks/smile_pose.py reports on.
package enum Smile {
  package static func probability(_ expressions: Expressions, _ landmarks: Landmarks) -> Float? {
    guard let smile = expressions.mean("mouthSmileLeft", "mouthSmileRight"),
      let upperLipShrug = expressions["mouthShrugUpper"],
      let browDown = expressions.mean("browDownLeft", "browDownRight"),
      let mouthWidth = landmarks.distance(Landmarks.mouthRight, Landmarks.mouthLeft),
      let philtrum = landmarks.distance(Landmarks.noseBase, Landmarks.upperLipTop),
      let lowerLid = landmarks.lowerLid
    else { return nil }
    var sum: Float = 3.498
    sum += 4.755 * smile
    sum -= 15.490 * upperLipShrug
    sum -= 2.761 * browDown
    sum += 14.331 * mouthWidth
    sum -= 39.588 * philtrum
    sum -= 113.795 * lowerLid
    return sum.isFinite ? 1 / (1 + expf(-sum)) : nil
  }
}

extension Expressions {
  fileprivate func mean(_ left: StaticString, _ right: StaticString) -> Float? {
    guard let left = self[left], let right = self[right] else { return nil }
    return (left + right) / 2
  }
}

/// Distances in three dimensions relative to that between the outer corners of the eyes; `nil` where that is
/// not known.
extension Landmarks {
  fileprivate func distance(_ first: Int, _ second: Int) -> Float? {
    guard points.count == Landmarks.count else { return nil }
    return relative(points[first].distance(to: points[second]))
  }

  /// The distance of the midpoints of the lower lids from the midpoints between the eyes' corners.
  fileprivate var lowerLid: Float? {
    guard points.count == Landmarks.count else { return nil }
    func gap(_ lid: Int, _ outer: Int, _ inner: Int) -> Float {
      points[lid].distance(to: points[outer].middle(to: points[inner]))
    }
    let left = gap(Landmarks.leftLowerLid, Landmarks.leftEyeOuterCorner, Landmarks.leftEyeInnerCorner)
    let right = gap(Landmarks.rightLowerLid, Landmarks.rightEyeOuterCorner, Landmarks.rightEyeInnerCorner)
    return relative((left + right) / 2)
  }

  private func relative(_ distance: Float) -> Float? {
    let eyes = points[Landmarks.leftEyeOuterCorner].distance(to: points[Landmarks.rightEyeOuterCorner])
    guard eyes > 0, eyes.isFinite, distance.isFinite else { return nil }
    return distance / eyes
  }
}

extension Point3D {
  func distance(to other: Point3D) -> Float {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }
}
