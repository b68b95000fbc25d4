/// The table of a network for the fused kernels, as `fused_step` and `fused_output` describe it.
struct FusedPlan {
  struct Step: Equatable {
    enum Kind { case stem, unit }
    var kind: Kind
    var hasReLU: Bool
    /// A step above; `nil` is the image.
    var source: Int?
    var isSourcePooled = false
    var upsampled: Int?
    var inChannels: Int
    var outChannels: Int
    /// Of `FusedPlan.values`.
    var weights: Range<Int>
    var bias: Range<Int>
    var depthwise: Range<Int>?
    var depthwiseBias: Range<Int>?
  }

  struct Output: Equatable {
    var step: Int
    var firstChannel: Int
    var channels: Int
    var hasSigmoid: Bool
  }

  var steps: [Step] = []
  /// In the order they were asked for.
  var outputs: [Output] = []
  /// All weights.
  var values: [Float] = []
}
