import func Glibc.expf

/// 1 / (1 + e⁻ˣ): a score of any size as a probability. Not a number stays none.
func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

/// What heads of scores give: the probability itself, or the value before the sigmoid.
public enum ScoreForm: Sendable {
  case probability
  case logit

  /// As a probability, 0…1.
  func probability(_ value: Float) -> Float {
    switch self {
    case .probability: min(max(value, 0), 1)
    case .logit: sigmoid(value)
    }
  }
}
