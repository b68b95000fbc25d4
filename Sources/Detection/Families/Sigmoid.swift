import func Glibc.expf
import func Glibc.logf

/// 1 / (1 + e⁻ˣ): a score of any size as a probability. Not a number stays none.
func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

/// What heads of scores give: the probability itself, or the value before the sigmoid.
public enum ScoreForm: Sendable {
  case probability
  case logit

  /// A score below which no probability is `probability` or more: leaves out nearly all cells without an exponential.
  package func leastScore(for probability: Float) -> Float {
    guard probability > 0 else { return -.infinity }
    switch self {
    case .probability: return probability
    case .logit:
      // A little less, since both ways are rounded.
      let inside = min(probability, 0.9999)
      return logf(inside / (1 - inside)) - 0.01
    }
  }

  /// As a probability, 0…1.
  package func probability(_ value: Float) -> Float {
    switch self {
    case .probability: min(max(value, 0), 1)
    case .logit: sigmoid(value)
    }
  }
}
