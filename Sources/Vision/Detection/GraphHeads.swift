import FaceCore
import Inference

/// One of the output maps of a detection network.
public struct GraphHead: Equatable, Sendable {
  /// The blob of the map, before it is reshaped to a list.
  public var blob: String
  public var channels: Int
  /// Pixels of the input per cell.
  public var stride: Int
  /// Whether the graph applies a sigmoid to it already.
  public var isProbability: Bool
}

/// The heads of a graph, found by walking back from its ends to the convolutions that produce them.
struct GraphHeads {
  /// The input blob for the image.
  let input: String
  /// The heads in the order of the graph's ends.
  let heads: [GraphHead]

  private init(input: String, heads: [GraphHead]) {
    (self.input, self.heads) = (input, heads)
  }

  /// Throws `failedPrecondition` for a graph with several inputs or with ends that no convolution produces.
  init(_ layers: [NcnnLayer]) throws(Status) {
    let inputs = layers.filter { $0.type == "Input" }.flatMap(\.outputs)
    guard inputs.count == 1 else {
      throw Status(
        .failedPrecondition,
        "the network takes \(inputs.count) inputs and a detector takes one image; give a face detector")
    }
    input = inputs[0]
    let strides = GraphHeads.strides(layers)
    let producers = Dictionary(
      layers.flatMap { layer in layer.outputs.map { ($0, layer) } }, uniquingKeysWith: { first, _ in first })
    var heads: [GraphHead] = []
    for end in GraphHeads.ends(layers, producers) {
      guard let head = GraphHeads.head(end, producers, strides) else {
        throw Status(
          .failedPrecondition,
          "the network's output \"\(end)\" is not a map made by a convolution, as those of the known families are; "
            + "give the folder a model.json")
      }
      heads.append(head)
    }
    self.heads = heads
  }

  /// Returns the blobs that no layer takes; for a concatenation its parts.
  private static func ends(_ layers: [NcnnLayer], _ producers: [String: NcnnLayer]) -> [String] {
    let consumed = Set(layers.flatMap(\.inputs))
    var ends: [String] = []
    var seen: Set<String> = []
    var waiting = Array(layers.flatMap(\.outputs).filter { !consumed.contains($0) }.reversed())
    while let blob = waiting.popLast() {
      guard seen.insert(blob).inserted else { continue }
      if let layer = producers[blob], layer.type == "Concat" {
        waiting += layer.inputs.reversed()
      } else {
        ends.append(blob)
      }
    }
    return ends
  }

  /// Layers that rearrange values without changing them.
  private static let layouts: Set<String> = [
    "Reshape", "Permute", "Flatten", "Squeeze", "ExpandDims", "Split", "Noop", "Dropout",
  ]

  private static func head(
    _ end: String, _ producers: [String: NcnnLayer], _ strides: [String: Double]
  ) -> GraphHead? {
    var blob = end
    var sigmoidBlob: String?
    while let layer = producers[blob] {
      switch layer.type {
      case "Convolution", "ConvolutionDepthWise":
        guard let channels = Int(exactly: layer.number(0, or: 0)), channels > 0,
          let stride = strides[blob].flatMap({ Int(exactly: $0) })
        else { return nil }
        // ncnn's optimiser puts the sigmoid into the convolution as activation 4.
        let isProbability = sigmoidBlob != nil || layer.number(9, or: 0) == 4
        return GraphHead(
          blob: sigmoidBlob ?? blob, channels: channels, stride: stride, isProbability: isProbability)
      case "Sigmoid":
        // Only valid directly behind the convolution, where it is still a map.
        let isMap = layer.inputs.first.flatMap { producers[$0] }?.type.hasPrefix("Convolution") == true
        sigmoidBlob = isMap ? blob : nil
      case let type where layouts.contains(type): break
      default: return nil
      }
      guard let input = layer.inputs.first else { return nil }
      blob = input
    }
    return nil
  }

  /// Returns the pixels of the input per cell of each blob, where known.
  private static func strides(_ layers: [NcnnLayer]) -> [String: Double] {
    var strides: [String: Double] = [:]
    for layer in layers {
      let stride: Double?
      if layer.type == "Input" {
        stride = 1
      } else if let input = layer.inputs.first.flatMap({ strides[$0] }) {
        stride = factor(layer).map { input * $0 }
      } else {
        stride = nil
      }
      for output in layer.outputs { strides[output] = stride }
    }
    return strides
  }

  /// Returns the factor by which a layer's output is coarser than its input. Source: ncnn wiki, "operators".
  private static func factor(_ layer: NcnnLayer) -> Double? {
    func ratio(_ key: Int) -> Double? {
      let value = layer.number(key, or: 1)
      return value.isFinite && value > 0 ? value : nil
    }
    switch layer.type {
    case "Convolution", "ConvolutionDepthWise": return ratio(3)
    case "Pooling": return layer.number(4, or: 0) == 0 ? ratio(2) : nil
    case "Reorg": return ratio(0)
    case "Deconvolution", "DeconvolutionDepthWise": return ratio(3).map { 1 / $0 }
    case "PixelShuffle": return ratio(0).map { 1 / $0 }
    case "Interp": return ratio(1).map { 1 / $0 }
    default: return 1
    }
  }
}

extension GraphHeads {
  /// Finds the heads by the sizes of what a network gives for an empty image of `size`. Throws errors of running
  /// it, and `failedPrecondition` for an output that is not a map of the image.
  init(
    running network: any Network, on size: PixelSize, input: String, outputs: [InferredDetector.MapName]
  ) throws(Status) {
    let image = try Tensor(channels: 3, height: size.height, width: size.width)
    image.values.update(repeating: 0)
    let shapes = try network.run(image, inputBlob: input, outputs: outputs.map(\.blob)) {
      (maps) throws(Status) in
      maps.map(\.shape)
    }
    var heads: [GraphHead] = []
    for (output, shape) in zip(outputs, shapes) {
      let stride = size.height / shape.height
      guard shape.height * stride == size.height, shape.width * stride == size.width else {
        throw Status(
          .failedPrecondition,
          "the network's output \(heads.count + 1) has \(shape.channels)×\(shape.height)×\(shape.width) values for an image "
            + "of \(size.height)×\(size.width), which is not a map as those of the known families are; give another network"
        )
      }
      heads.append(
        GraphHead(
          blob: output.blob, channels: shape.channels, stride: stride, isProbability: output.isProbability))
    }
    self.init(input: input, heads: heads)
  }
}
