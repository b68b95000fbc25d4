/// What the fused kernels need to know of ncnn's convolutions.
/// Source: ncnn, "operators" in its documentation, for the numbers of the parameters.
struct ConvolutionLayer {
  enum Shape { case stem, pointwise, depthwise }
  enum Activation: Int { case none = 0, relu = 1, sigmoid = 4 }

  let shape: Shape
  let activation: Activation
  let outChannels: Int
  let weightCount: Int
  let hasBias: Bool

  /// `nil` for a convolution of another shape, or with something that is not known here.
  init?(_ layer: NcnnLayer) {
    let isDepthwise = layer.type == "ConvolutionDepthWise"
    guard isDepthwise || layer.type == "Convolution",
      layer.parameters.keys.allSatisfy(ConvolutionLayer.known.contains),
      let channels = layer.integer(0, default: 0), (1...ConvolutionLayer.maxChannels).contains(channels),
      let count = layer.integer(6, default: 0), (1...ConvolutionLayer.maxWeights).contains(count),
      let groups = layer.integer(7, default: 1),
      let activation = layer.integer(9, default: 0).flatMap(Activation.init),
      let bias = layer.integer(5, default: 0), (0...1).contains(bias),
      let kernel = layer.pair(1, 11, default: 0), let stride = layer.pair(3, 13, default: 1),
      layer.pair(2, 12, default: 1) == 1, let padding = layer.padding
    else { return nil }
    outChannels = channels
    weightCount = count
    hasBias = bias == 1
    self.activation = activation
    switch (kernel, stride, padding) {
    case (3, 2, 1) where !isDepthwise && groups == 1: shape = .stem
    case (1, 1, 0) where !isDepthwise && groups == 1: shape = .pointwise
    // A map of one channel convolved to one is depthwise under another name.
    case (3, 1, 1) where isDepthwise ? groups == channels : channels == 1: shape = .depthwise
    default: return nil
    }
    guard shape != .depthwise || count == 9 * channels else { return nil }
  }

  private static let known: Set<Int> = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 16]
  private static let maxChannels = 1024
  private static let maxWeights = 1024 * 1024
}

extension NcnnLayer {
  /// A number that is given for width and height, and is the same for both.
  fileprivate func pair(_ width: Int, _ height: Int, default value: Int) -> Int? {
    guard let first = integer(width, default: value), integer(height, default: first) == first else {
      return nil
    }
    return first
  }

  /// The same on all four sides, or `nil`.
  fileprivate var padding: Int? {
    guard let left = integer(4, default: 0), [14, 15, 16].allSatisfy({ integer($0, default: left) == left })
    else { return nil }
    return left
  }
}
