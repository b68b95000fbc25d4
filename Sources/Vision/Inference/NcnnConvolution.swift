import CFusedKernels
import FaceCore

/// An ncnn convolution as a layer of the fused kernels, without weights and source.
/// Source: ncnn, "operators" in its documentation, for the numbers of the parameters.
struct NcnnConvolution {
  let layer: fused_layer
  let hasBias: Bool
  let hasSigmoid: Bool

  /// ncnn's numbers for activations.
  private enum Activation: Int { case none = 0, relu = 1, sigmoid = 4 }

  /// `nil` for a convolution that cannot be expressed as such a layer. `fused_layer_is_known` tells whether
  /// there are kernels for it.
  init?(_ ncnn: NcnnLayer, inChannels: Int) {
    guard ncnn.parameters.keys.allSatisfy(NcnnConvolution.known.contains),
      let channels = ncnn.integer(0, default: 0), (1...Int(FUSED_MAX_CHANNELS)).contains(channels),
      let groups = ncnn.integer(7, default: 1),
      let activation = ncnn.integer(9, default: 0).flatMap(Activation.init),
      let bias = ncnn.integer(5, default: 0), (0...1).contains(bias),
      let kernel = ncnn.pair(1, 11, default: 0), (1...3).contains(kernel),
      let stride = ncnn.pair(3, 13, default: 1), (1...2).contains(stride),
      ncnn.pair(2, 12, default: 1) == 1, let padding = ncnn.padding,
      [18, 19].allSatisfy({ ncnn.integer($0, default: 0) == 0 })
    else { return nil }
    let kind: fused_layer_kind
    // From one channel to one channel, any convolution is depthwise.
    let isSingle = ncnn.type == "Convolution" && channels == 1 && inChannels == 1 && kernel == 3
    switch ncnn.type {
    case "Convolution" where !isSingle && groups == 1: kind = FUSED_LAYER_CONVOLUTION
    case "Convolution" where groups == 1, "ConvolutionDepthWise" where groups == channels:
      kind = FUSED_LAYER_DEPTHWISE
    case "Deconvolution" where groups == 1: kind = FUSED_LAYER_TRANSPOSED
    default: return nil
    }
    // Sides are even: a stride of 2 without padding before needs one row of padding after, which the graph
    // must specify.
    let paddingAfter = kernel == 3 && stride == 2 && padding.before == 0 ? 1 : padding.before
    guard (0...1).contains(padding.before), padding.after == paddingAfter else { return nil }

    var layer = fused_layer(kind, inChannels: inChannels, outChannels: channels)
    layer.kernel = Int32(kernel)
    layer.padding = Int32(padding.before)
    // A 2×2 kernel with stride 1 fits in one place only.
    layer.whole = kernel == 2 && stride == 1 ? 1 : 0
    layer.stride = layer.whole != 0 ? 2 : Int32(stride)
    layer.activation = activation == .relu ? FUSED_ACTIVATION_RELU : FUSED_ACTIVATION_NONE
    guard ncnn.integer(6, default: 0) == layer.weightCount else { return nil }
    self.layer = layer
    hasBias = bias == 1
    hasSigmoid = activation == .sigmoid
  }

  private static let known: Set<Int> = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 16, 18, 19]
}

extension NcnnLayer {
  /// The error for a layer that the fused kernels do not run.
  var unknown: Status {
    Status(.unimplemented, "the fused kernels do not know its layer \(name) (\(type)) with these settings")
  }

  static func unknownOutput(_ name: String) -> Status {
    Status(.unimplemented, "\"\(name)\" is not the output of a layer that the fused kernels know")
  }

  /// Returns a number that is given for width and height and is the same for both.
  fileprivate func pair(_ width: Int, _ height: Int, default value: Int) -> Int? {
    guard let first = integer(width, default: value), integer(height, default: first) == first else {
      return nil
    }
    return first
  }

  /// The padding at the left and top, and at the right and bottom; `nil` where those differ.
  fileprivate var padding: (before: Int, after: Int)? {
    guard let left = integer(4, default: 0), let right = integer(15, default: left),
      integer(14, default: left) == left, integer(16, default: left) == right
    else { return nil }
    return (left, right)
  }
}
