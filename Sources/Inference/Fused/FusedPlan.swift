/// The table of a network for the fused kernels, as `fused_step` and `fused_output` describe it.
struct FusedPlan {
  struct Step: Equatable {
    enum Kind { case convolution, depthwise, transposed, sum }
    enum Activation { case none, relu, prelu }
    var kind: Kind
    var activation = Activation.none
    /// A step above; `nil` is the image.
    var source: Int?
    var isSourcePooled = false
    var kernel = 1
    var stride = 1
    var padding = 0
    var isWhole = false
    var added: Int?
    var isAddedPooled = false
    var isAddedLast = false
    var inChannels: Int
    var outChannels: Int
    /// Of `FusedPlan.values`.
    var weights: Range<Int>?
    var bias: Range<Int>?
    var slopes: Range<Int>?
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

  mutating func store(_ numbers: some Collection<Float>) -> Range<Int> {
    values.append(contentsOf: numbers)
    return values.count - numbers.count..<values.count
  }
}
