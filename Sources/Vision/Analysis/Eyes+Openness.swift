package import FaceCore

extension Eyes {
  /// The openness of the eyes: a sum of the coefficient of a blink and the gap between the lids, such that 0.5 divides
  /// closed eyes from open ones. In a stream `EyeHistory` compares it with the person's own open eyes.
  ///
  /// The coefficient alone says up to 0.7 for closed eyes, and differs between the two. Tests/Benchmarks/closed_eyes.py
  /// reports the share of eyes on the wrong side.
  package init?(_ expressions: Expressions, _ landmarks: Landmarks) {
    guard let left = expressions["eyeBlinkLeft"], let right = expressions["eyeBlinkRight"],
      let gaps = landmarks.lidGaps
    else { return nil }
    self.init(leftOpen: Eyes.openness(left, gaps.x), rightOpen: Eyes.openness(right, gaps.y))
  }

  /// - Parameter gap: between the lids, relative to the width of the eye.
  private static func openness(_ blink: Float, _ gap: Float) -> Float {
    min(max(0.65 * (1 - blink) + 2.25 * gap - 0.35, 0), 1)
  }
}
