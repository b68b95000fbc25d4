package import FaceCore

/// How far one person's eyes were open over the last frames, against which the next frame is measured.
///
/// The expression network's coefficients differ between people and views: an eye that is shut reads anything from 0.3 to
/// 0.65 of openness. The gap between the lids of the same person in the same stream does not: shut, it is less than half of
/// what it is while the eyes are open.
package struct EyeHistory: Sendable {
  /// Of frames with open eyes, the left one's gap and the right one's.
  private var gaps: [SIMD2<Float>] = []
  /// Where the next one goes, once there are `count`.
  private var next = 0

  /// Frames that are kept.
  private static let count = 60
  /// With fewer frames of open eyes nothing is known of the person.
  private static let leastCount = 5
  /// The gap of an eye that is shut, by the gap of the same eye when it is open: the points of the two lids do not meet, and
  /// of shut eyes in clips 0.39…0.54 was seen.
  private static let shut: Float = 0.25
  /// Eyes of which the network says this much are open, whatever was before: the head may have turned.
  private static let surelyOpen: Float = 0.65
  /// Open eyes by the history itself.
  private static let stillOpen: Float = 0.6

  package init() {}

  /// - Parameter eyes: as the expression network sees them, in the next frame.
  /// - Returns: openness by the person's own open eyes: 1 as open as usual, or more; `eyes` itself while too little is
  ///   known.
  package mutating func relative(_ eyes: Eyes, _ landmarks: Landmarks) -> Eyes {
    guard let gap = landmarks.lidGaps else { return eyes }
    var relative: Eyes?
    if gaps.count >= EyeHistory.leastCount {
      let usual = SIMD2(median(0), median(1))
      let shares = (gap / usual - EyeHistory.shut) / (1 - EyeHistory.shut)
      let open = shares.clamped(lowerBound: .zero, upperBound: .one)
      relative = Eyes(leftOpen: open.x, rightOpen: open.y)
    }
    if eyes.meanOpen >= EyeHistory.surelyOpen
      || relative.map({ $0.meanOpen >= EyeHistory.stillOpen }) ?? false
    {
      add(gap)
    }
    return relative ?? eyes
  }

  private mutating func add(_ gap: SIMD2<Float>) {
    if gaps.count < EyeHistory.count {
      gaps.append(gap)
    } else {
      gaps[next] = gap
      next = (next + 1) % EyeHistory.count
    }
  }

  private func median(_ eye: Int) -> Float {
    gaps.map { $0[eye] }.sorted()[gaps.count / 2]
  }
}

extension Landmarks {
  /// The gaps between the middles of the lids, left and right, by the distance between the corners of each eye; `nil` where
  /// an eye has no extent.
  var lidGaps: SIMD2<Float>? {
    guard points.count == Landmarks.count else { return nil }
    func gap(_ upper: Int, _ lower: Int, _ outer: Int, _ inner: Int) -> Float {
      points[upper].distance(to: points[lower]) / points[outer].distance(to: points[inner])
    }
    let left = gap(
      Landmarks.leftUpperLid, Landmarks.leftLowerLid, Landmarks.leftEyeOuterCorner,
      Landmarks.leftEyeInnerCorner)
    let right = gap(
      Landmarks.rightUpperLid, Landmarks.rightLowerLid, Landmarks.rightEyeOuterCorner,
      Landmarks.rightEyeInnerCorner)
    return left.isFinite && right.isFinite && left > 0 && right > 0 ? SIMD2(left, right) : nil
  }
}
