package import FaceCore

/// The openness of one person's eyes in the last frames, with which the next frame is compared.
///
/// The openness of one photo differs between people and views: one closed eye in ten has 0.45. The gap between the lids
/// of the same person in the same stream is more reliable: closed, it is less than half of the gap while the eyes are
/// open.
package struct EyeHistory: Sendable {
  /// The gaps of the left and the right eye in frames with open eyes, as a ring buffer.
  private var gaps: [SIMD2<Float>] = []
  /// The position for the next gap, once there are `count`.
  private var next = 0

  private static let count = 60
  /// The least number of frames with open eyes from which the person's open eyes are known.
  private static let leastCount = 5
  /// The gap of a closed eye relative to that of the same eye when open. The points of the two lids do not
  /// meet: 0.39…0.54 was measured for closed eyes in clips.
  private static let shut: Float = 0.25
  /// From this openness of the frame alone on, eyes count as open regardless of the history: the head may have
  /// turned.
  private static let surelyOpen: Float = 0.6
  /// From this openness relative to the history on, eyes count as open.
  private static let stillOpen: Float = 0.6

  package init() {}

  /// Returns the openness relative to the person's own open eyes: 1 is as open as usual, and more is
  /// possible; `eyes` itself while too little is known.
  /// - Parameter eyes: the openness found in the next frame alone.
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
  /// The gaps between the midpoints of the lids, left and right, relative to the distance between the corners
  /// of each eye; `nil` where an eye has no extent.
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
