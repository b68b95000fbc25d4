import CFusedKernels
import FaceCore

/// Translates an ncnn graph into a table of layers for the fused kernels.
///
/// It walks the graph once and remembers which layer of the table each blob comes from. A convolution is a
/// layer; an activation or a sum after it becomes part of it if nothing else reads the convolution's own
/// result. Anything that is not listed here is `unimplemented`, and ncnn then runs the network.
struct LayerTableBuilder {
  /// The content of a blob, in terms of the table's layers.
  private enum Value {
    case image
    /// The rows of a layer. `isShared`: several layers read them, so that the layer cannot change any more.
    case rows(Int, isShared: Bool)
    /// The 2×2 maxima of a layer, followed by channels of zeros.
    case pooled(Int, channels: Int)
    case upsampled(Int)
    /// The rows of a layer through a sigmoid, only for outputs.
    case probabilities(Int)
  }

  private var table = LayerTable()
  private var values: [String: Value] = [:]
  private var weights: WeightCursor
  /// The weights in eight or 16 bits, used instead of the others.
  private var quantised: QuantisedCursor?

  /// - Parameters:
  ///   - graph: ncnn's `.param` file; `weights`: its `.bin` file.
  ///   - quantised: its `.int8` or `.int16` file, for a table in eight or 16 bits.
  ///   - input: the blob of the image.
  ///   - outputs: the requested blobs, in the order of the table's outputs. Throws `unimplemented`, naming
  ///     the layer, for layers that the fused kernels do not support, and `failedPrecondition` for damaged
  ///     files.
  static func table(
    graph: [UInt8], weights: [UInt8], quantised: [UInt8]?, input: String, outputs: [String]
  ) throws(Status) -> LayerTable {
    let layers = try NcnnGraph.layers(graph)
    var builder = LayerTableBuilder(weights: WeightCursor(weights))
    if let quantised { builder.quantised = try QuantisedCursor(quantised) }
    for layer in layers { try builder.add(layer, input: input) }
    if let quantised = builder.quantised {
      guard quantised.isAtEnd else { throw QuantisedCursor.mismatch }
    } else {
      try builder.weights.checkEnd()
    }
    try builder.finish(outputs)
    return builder.table
  }

  private mutating func add(_ layer: NcnnLayer, input: String) throws(Status) {
    let inputs = layer.inputs.compactMap { values[$0] }
    switch (layer.type, inputs.count, layer.outputs.count) {
    case ("Input", 0, 1) where layer.outputs[0] == input:
      values[input] = .image
    case ("Split", 1, _):
      for output in layer.outputs { values[output] = shared(inputs[0]) }
    case ("Pooling", 1, 1):
      values[layer.outputs[0]] = try pooled(inputs[0], layer)
    case ("Padding", 1, 1):
      values[layer.outputs[0]] = try padded(inputs[0], layer)
    case ("Interp", 1, 1):
      values[layer.outputs[0]] = try upsampled(inputs[0], layer)
    case ("BinaryOp", 2, 1):
      values[layer.outputs[0]] = try sum(inputs, layer)
    case ("PReLU", 1, 1):
      values[layer.outputs[0]] = try activated(inputs[0], layer)
    case ("Convolution", 1, 1), ("ConvolutionDepthWise", 1, 1), ("Deconvolution", 1, 1):
      values[layer.outputs[0]] = try convolved(inputs[0], layer)
    default:
      throw layer.unknown
    }
  }

  private func shared(_ value: Value) -> Value {
    if case .rows(let step, isShared: _) = value { return .rows(step, isShared: true) }
    return value
  }

  private func pooled(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    let isMaximum = layer.integer(0, default: 0) == 0 && layer.integer(4, default: 0) == 0
    let isHalving = [(1, 2), (11, 2), (2, 2), (12, 2), (3, 0), (13, 0), (14, 0), (15, 0)].allSatisfy {
      layer.integer($0.0, default: $0.1) == $0.1
    }
    guard case .rows(let step, isShared: _) = value, isMaximum, isHalving,
      layer.integer(1, default: 0) == 2, layer.integer(2, default: 1) == 2,
      layer.integer(7, default: 0) == 0
    else { throw layer.unknown }
    return .pooled(step, channels: Int(table.layers[step].out_channels))
  }

  /// Appends channels of zeros.
  private func padded(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    guard case .pooled(let step, let channels) = value,
      [0, 1, 2, 3, 4, 6, 7].allSatisfy({ layer.integer($0, default: 0) == 0 }), layer.number(5, or: 0) == 0,
      let more = layer.integer(8, default: 0), (0...channels).contains(more),
      channels + more <= Int(FUSED_MAX_CHANNELS)
    else { throw layer.unknown }
    return .pooled(step, channels: channels + more)
  }

  private func upsampled(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    let isNearest = layer.integer(0, default: 0) == 1
    let doubles = [1, 2].allSatisfy { layer.parameters[$0].flatMap(Float.init) == 2 }
    guard case .rows(let step, isShared: _) = value, isNearest, doubles,
      [3, 4, 5, 6].allSatisfy({ layer.integer($0, default: 0) == 0 })
    else { throw layer.unknown }
    return .upsampled(step)
  }

  private mutating func sum(_ values: [Value], _ layer: NcnnLayer) throws(Status) -> Value {
    guard layer.integer(0, default: 0) == 0, layer.integer(1, default: 0) == 0 else { throw layer.unknown }
    switch (values[0], values[1]) {
    case (.rows(let rows, isShared: _), .upsampled(let half)),
      (.upsampled(let half), .rows(let rows, isShared: _)):
      let channels = Int(table.layers[rows].out_channels)
      var layer = fused_layer(FUSED_LAYER_SUM, inChannels: channels, outChannels: channels)
      layer.source = Int32(rows)
      layer.added = Int32(half)
      layer.format = table.layers[rows].format
      return append(layer)
    case (.rows(let one, let isShared), .rows(let other, let isOtherShared)):
      let (target, added) = one > other ? (one, other) : (other, one)
      guard !(one > other ? isShared : isOtherShared) else { throw layer.unknown }
      return try add(added, channels: Int(table.layers[added].out_channels), to: target, layer)
    case (.rows(let target, isShared: false), .pooled(let added, let channels)),
      (.pooled(let added, let channels), .rows(let target, isShared: false)):
      let sum = try add(added, channels: channels, to: target, layer)
      table.layers[target].added_pooled = 1
      return sum
    default: throw layer.unknown
    }
  }

  /// Makes a sum part of the layer `target`, which comes after the layer that is added.
  private mutating func add(
    _ added: Int, channels: Int, to target: Int, _ layer: NcnnLayer
  ) throws(Status) -> Value {
    let sum = table.layers[target]
    guard sum.kind == FUSED_LAYER_CONVOLUTION || sum.kind == FUSED_LAYER_TRANSPOSED, sum.added < 0,
      added < target, channels == sum.out_channels
    else { throw layer.unknown }
    table.layers[target].added = Int32(added)
    table.layers[target].added_last = sum.activation == FUSED_ACTIVATION_NONE ? 0 : 1
    return .rows(target, isShared: false)
  }

  private mutating func activated(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    guard case .rows(let index, isShared: false) = value, case let activated = table.layers[index],
      activated.activation == FUSED_ACTIVATION_NONE,
      activated.kind == FUSED_LAYER_CONVOLUTION || activated.kind == FUSED_LAYER_TRANSPOSED,
      let count = layer.integer(0, default: 0), count == activated.out_channels
    else { throw layer.unknown }
    guard let slopes = try quantised == nil ? weights.floats(count) : quantised?.slopes(count) else {
      throw layer.unknown
    }
    table.layers[index].activation = FUSED_ACTIVATION_PRELU
    table.layers[index].slopes = table.store(slopes)
    return value
  }

  private mutating func convolved(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    var inChannels = 3
    var source: (layer: Int, isPooled: Bool)?
    switch value {
    case .image: break
    case .rows(let index, isShared: _): source = (index, false)
    case .pooled(let index, let channels):
      guard channels == table.layers[index].out_channels else { throw layer.unknown }
      source = (index, true)
    default: throw layer.unknown
    }
    if let source { inChannels = Int(table.layers[source.layer].out_channels) }
    guard let convolution = NcnnConvolution(layer, inChannels: inChannels) else { throw layer.unknown }
    var made = convolution.layer
    made.source = source.map { Int32($0.layer) } ?? -1
    made.source_pooled = source?.isPooled == true ? 1 : 0
    guard fused_layer_is_known(&made) != 0 else { throw layer.unknown }
    try storeNumbers(of: &made, hasBias: convolution.hasBias)
    let rows = append(made)
    return convolution.hasSigmoid ? .probabilities(table.layers.count - 1) : rows
  }

  private mutating func storeNumbers(of layer: inout fused_layer, hasBias: Bool) throws(Status) {
    let channels = Int(layer.out_channels)
    if let numbers = try quantised?.next(weights: layer.weightCount, channels: channels) {
      layer.format = numbers.format
      layer.weights = table.store(numbers.weights)
      layer.bias = table.store(numbers.bias)
      layer.multipliers = table.store(numbers.multipliers)
      layer.shift = numbers.shift
      if let zeroPoints = numbers.zeroPoints { layer.zero_points = table.store(zeroPoints) }
    } else {
      layer.weights = table.store(try weights.tagged(layer.weightCount))
      layer.bias = table.store(
        hasBias ? try weights.floats(channels) : [Float](repeating: 0, count: channels))
    }
  }

  private mutating func append(_ layer: fused_layer) -> Value {
    table.layers.append(layer)
    return .rows(table.layers.count - 1, isShared: false)
  }

  private mutating func finish(_ names: [String]) throws(Status) {
    for name in names {
      let place: (layer: Int, hasSigmoid: Bool)
      switch values[name] {
      case .rows(let layer, isShared: _): place = (layer, false)
      case .probabilities(let layer): place = (layer, true)
      default:
        throw NcnnLayer.unknownOutput(name)
      }
      table.outputs.append(
        fused_output(
          layer: Int32(place.layer), first_channel: 0, channels: table.layers[place.layer].out_channels,
          sigmoid: place.hasSigmoid ? 1 : 0))
    }
    table.removeUnneeded()
    table.fuseHeads()
  }
}
