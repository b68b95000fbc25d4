public import FaceCore
public import Inference

import func Glibc.expf
import func Glibc.logf

/// Decodes the outputs of a family of networks into faces. Pure: the same maps give the same faces.
public protocol DetectorFamily: Sendable {
  /// Names of the output blobs, in the order `decode` takes them.
  var outputs: [String] { get }
  /// What both sides of the input must be divisible by.
  var inputMultiple: Int { get }

  /// All faces of at least `minConfidence`, in pixels of the network's input, in no order, overlapping ones included.
  /// Throws `failedPrecondition` when the maps are not of this family.
  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face]
}

/// The maps of one stride's heads, which lie over the same cells.
enum MapGroup {
  /// Throws `failedPrecondition` unless every map has its number of channels and all have one size.
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

/// 1 / (1 + e⁻ˣ): a score of any size as a probability. Not a number stays none.
func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

/// The form of a head's scores: the probability itself, or the value before the sigmoid.
public enum ScoreForm: Sendable {
  case probability
  case logit

  /// A score below which no probability is `probability` or more: leaves out nearly all cells without an exponential.
  package func minScore(for probability: Float) -> Float {
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
