/// What the fused kernels need to know of ncnn's convolutions.
/// Source: ncnn, "operators" in its documentation, for the numbers of the parameters.
struct ConvolutionLayer {
  enum Kind { case dense, depthwise, transposed }
  enum Activation: Int { case none = 0, relu = 1, sigmoid = 4 }

  let kind: Kind
  let kernel: Int
  let stride: Int
  /// Before the first row and column; after the last as many as the stride asks for.
  let padding: Int
  let activation: Activation
  let outChannels: Int
  let weightCount: Int
  let hasBias: Bool

  /// `nil` for a convolution of another form, or with something that is not known here.
  init?(_ layer: NcnnLayer, inChannels: Int) {
    guard layer.parameters.keys.allSatisfy(ConvolutionLayer.known.contains),
      let channels = layer.integer(0, default: 0), (1...ConvolutionLayer.maxChannels).contains(channels),
      let count = layer.integer(6, default: 0), let groups = layer.integer(7, default: 1),
      let activation = layer.integer(9, default: 0).flatMap(Activation.init),
      let bias = layer.integer(5, default: 0), (0...1).contains(bias),
      let kernel = layer.pair(1, 11, default: 0), let stride = layer.pair(3, 13, default: 1),
      layer.pair(2, 12, default: 1) == 1, let padding = layer.padding,
      [18, 19].allSatisfy({ layer.integer($0, default: 0) == 0 })
    else { return nil }
    // Of a map of one channel to one, any convolution is depthwise.
    let isSingle = layer.type == "Convolution" && channels == 1 && inChannels == 1 && kernel == 3
    switch layer.type {
    case "Convolution" where !isSingle && groups == 1: kind = .dense
    case "Convolution" where groups == 1, "ConvolutionDepthWise" where groups == channels: kind = .depthwise
    case "Deconvolution" where groups == 1: kind = .transposed
    default: return nil
    }
    switch (kind, kernel, stride, padding.before, padding.after) {
    case (.dense, 1, 1, 0, 0), (.dense, 2, 1, 0, 0), (.dense, 2, 2, 0, 0): break
    // Sides are even, so that behind the last there is either one more or it is not looked at.
    case (.dense, 3, 1, 1, 1), (.dense, 3, 2, 1, 1), (.dense, 3, 2, 0, 1): break
    case (.depthwise, 3, 1, 1, 1), (.depthwise, 3, 2, 1, 1): break
    case (.transposed, 2, 2, 0, 0): break
    default: return nil
    }
    guard kind != .depthwise || inChannels == channels,
      count == channels * (kind == .depthwise ? 1 : inChannels) * kernel * kernel
    else { return nil }
    self.kernel = kernel
    self.stride = stride
    self.padding = padding.before
    self.activation = activation
    outChannels = channels
    weightCount = count
    hasBias = bias == 1
  }

  private static let known: Set<Int> = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 16, 18, 19]
  static let maxChannels = 4096
}

extension NcnnLayer {
  /// A number that is given for width and height, and is the same for both.
  fileprivate func pair(_ width: Int, _ height: Int, default value: Int) -> Int? {
    guard let first = integer(width, default: value), integer(height, default: first) == first else {
      return nil
    }
    return first
  }

  /// At the left and top, and at the right and bottom; `nil` where those differ.
  fileprivate var padding: (before: Int, after: Int)? {
    guard let left = integer(4, default: 0), let right = integer(15, default: left),
      integer(14, default: left) == left, integer(16, default: left) == right
    else { return nil }
    return (left, right)
  }
}
