import FaceCore
import Inference

/// One of the maps in which a detection network ends.
struct GraphHead: Equatable {
  /// The blob of the map, before it is laid out as a list.
  var blob: String
  var channels: Int
  /// Pixels of the input per cell.
  var stride: Int
  /// Whether a sigmoid is behind it already.
  var isProbability: Bool
}

/// The heads of a graph, found by walking back from its ends to the convolutions that make them.
struct GraphHeads {
  /// The blob that takes the image.
  let input: String
  /// In the order of the graph's ends.
  let heads: [GraphHead]

  /// Throws `failedPrecondition` for a graph with several inputs or with ends that no convolution makes.
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

  /// The blobs nobody takes; the parts of those that are only joined.
  private static func ends(_ layers: [NcnnLayer], _ producers: [String: NcnnLayer]) -> [String] {
    let taken = Set(layers.flatMap(\.inputs))
    var ends: [String] = []
    var seen: Set<String> = []
    var waiting = Array(layers.flatMap(\.outputs).filter { !taken.contains($0) }.reversed())
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

  /// Layers that lay values out anew without changing them.
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
        // Of use only right behind the convolution, where it still is a map.
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

  /// Pixels of the input per cell of each blob, where that is known.
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

  /// How much coarser a layer's output is than its input. Source: ncnn wiki, "operators".
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
