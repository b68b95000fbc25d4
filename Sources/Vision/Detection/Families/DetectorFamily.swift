public import FaceCore
public import Inference

import func Glibc.expf
import func Glibc.logf

/// Decodes the outputs of a family of networks into faces, without state: the same maps give the same faces.
public protocol DetectorFamily: Sendable {
  /// Names of the output blobs, in the order `decode` takes them.
  var outputs: [String] { get }
  /// The divisor of both sides of the input.
  var inputMultiple: Int { get }

  /// Returns all faces of at least `minConfidence`, in pixels of the network's input, in no particular order,
  /// including overlapping ones. Throws `failedPrecondition` when the maps do not belong to this family.
  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face]
}

/// The output maps of one stride, which have the same cells.
enum MapGroup {
  /// Throws `failedPrecondition` unless every map has its number of channels and all have the same size.
  static func check(_ maps: ArraySlice<TensorView>, channels: [Int], family: String) throws(Status) {
    guard maps.count == channels.count, let size = maps.first?.shape else {
      throw Status(.internal, "\(family) was given \(maps.count) maps instead of \(channels.count)")
    }
    for (map, expected) in zip(maps, channels) {
      let shape = map.shape
      guard shape.channels == expected, shape.height == size.height, shape.width == size.width else {
        throw Status(
          .failedPrecondition,
          "a \(family) output is \(shape.channels)×\(shape.height)×\(shape.width) where \(expected) channels of "
            + "\(size.height)×\(size.width) are needed; check the blob names in model.json")
      }
    }
  }
}

/// Returns 1 / (1 + e⁻ˣ), the probability of a score. NaN stays NaN.
func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

/// The form of a head's scores: the probability itself, or the value before the sigmoid.
public enum ScoreForm: Sendable {
  case probability
  case logit

  /// Returns a score below which every probability is below `probability`: excludes nearly all cells without
  /// an exponential.
  package func minScore(for probability: Float) -> Float {
    guard probability > 0 else { return -.infinity }
    switch self {
    case .probability: return probability
    case .logit:
      // A little less, because both conversions are rounded.
      let inside = min(probability, 0.9999)
      return logf(inside / (1 - inside)) - 0.01
    }
  }

  /// Returns the value as a probability, 0…1.
  package func probability(_ value: Float) -> Float {
    switch self {
    case .probability: min(max(value, 0), 1)
    case .logit: sigmoid(value)
    }
  }
}
