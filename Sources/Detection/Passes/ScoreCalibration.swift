import func Glibc.expf
import func Glibc.logf

/// Brings the confidences of one network to the scale of another's: a straight line between their logits.
/// Source: Platt, "Probabilistic Outputs for Support Vector Machines", 1999.
public struct ScoreCalibration: Equatable, Sendable {
  /// Above 0, so that the order of faces stays.
  public let slope: Float
  public let offset: Float

  public static let none = ScoreCalibration(slope: 1, offset: 0)

  public init(slope: Float, offset: Float) {
    self.slope = slope
    self.offset = offset
  }

  /// - Parameter score: 0…1.
  package func calibrated(_ score: Float) -> Float {
    self == .none ? score : sigmoid(slope * ScoreCalibration.logit(score) + offset)
  }

  /// The score that is calibrated to `score`.
  package func raw(_ score: Float) -> Float {
    self == .none ? score : sigmoid((ScoreCalibration.logit(score) - offset) / slope)
  }

  private static func logit(_ score: Float) -> Float {
    let inside = min(max(score, 1e-6), 1 - 1e-6)
    return logf(inside / (1 - inside))
  }
}
