import FaceCore

import func Glibc.log2f
import func Glibc.logf

/// Maps the confidences of one network to the scale of another's: a linear function of their logits. Source:
/// Platt, "Probabilistic Outputs for Support Vector Machines", 1999.
public struct ScoreCalibration: Equatable, Sendable {
  /// Above 0, so that the order of faces is preserved.
  public let slope: Float
  public let offset: Float

  public static let none = ScoreCalibration(slope: 1, offset: 0)

  public init(slope: Float, offset: Float) {
    self.slope = slope
    self.offset = offset
  }

  /// - Parameter score: 0…1.
  package func calibrated(_ score: Float) -> Float {
    self == .none ? score : sigmoid(slope * logit(score) + offset)
  }

  package func raw(_ score: Float) -> Float {
    self == .none ? score : sigmoid((logit(score) - offset) / slope)
  }
}

/// The prior of a face's size: of boxes with the same votes the smaller ones come later.
///
/// Most boxes that are no faces are small, because a picture has many more places for them, and what a
/// network sees in a few pixels is weaker evidence. So evidence counts less above the default threshold and
/// more below it, which leaves the meaning of the threshold itself nearly alone (docs/accuracy.md).
public struct SizePrior: Equatable, Sendable {
  /// The side from which on faces keep their confidence, in pixels.
  public let side: Float
  /// What is taken from the logit of a smaller face's confidence each time that its side is halved.
  public let logitPerHalving: Float
  /// For each halving, the share by which the logit's distance from that of the default threshold is
  /// divided above it, and multiplied below it.
  public let doubtPerHalving: Float

  public static let none = SizePrior(side: 0, logitPerHalving: 0)

  public init(side: Float, logitPerHalving: Float, doubtPerHalving: Float = 0) {
    self.side = side
    self.logitPerHalving = logitPerHalving
    self.doubtPerHalving = doubtPerHalving
  }

  /// - Parameters:
  ///   - score: 0…1.
  ///   - faceSide: the side of a square of the box's area.
  package func applied(to score: Float, side faceSide: Float) -> Float {
    guard faceSide > 0, faceSide < side else { return score }
    let halvings = log2f(side / faceSide)
    let threshold = logit(DetectionOptions().minConfidence)
    let evidence = logit(score) - threshold
    let doubt = 1 + doubtPerHalving * halvings
    return sigmoid(
      threshold + (evidence > 0 ? evidence / doubt : evidence * doubt) - logitPerHalving * halvings)
  }
}

/// Returns ln(p / (1 − p)), the inverse of `sigmoid`, of a score within 0…1.
func logit(_ score: Float) -> Float {
  let inside = min(max(score, 1e-6), 1 - 1e-6)
  return logf(inside / (1 - inside))
}
