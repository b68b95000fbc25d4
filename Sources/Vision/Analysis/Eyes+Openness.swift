package import FaceCore

extension Eyes {
  /// The openness of the eyes: 1 less the coefficient of a blink. In a stream `EyeHistory` compares it with the
  /// person's own open eyes.
  package init?(_ expressions: Expressions) {
    guard let left = expressions["eyeBlinkLeft"], let right = expressions["eyeBlinkRight"] else { return nil }
    self.init(leftOpen: 1 - left, rightOpen: 1 - right)
  }
}
