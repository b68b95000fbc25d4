public import FaceCore
public import Inference

/// What a model family makes of its network's outputs. Pure: the same maps give the same faces.
public protocol DetectorFamily: Sendable {
  /// Names of the output blobs, in the order `decode` takes them.
  var outputs: [String] { get }
  /// What both sides of the input must be divisible by.
  var inputMultiple: Int { get }

  /// All faces of at least `minConfidence`, in pixels of the network's input, in no order, overlapping ones included.
  /// Throws `failedPrecondition` when the maps are not of this family.
  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face]
}
