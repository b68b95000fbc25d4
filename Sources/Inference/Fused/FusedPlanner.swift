import FaceCore

/// Finds the steps of the fused kernels in an ncnn graph.
///
/// Walks the layers once and remembers what each blob is in terms of steps. A 1×1 convolution is no step until the
/// depthwise one that takes it is met. Units that end in wanted outputs and take the same rows become one step, side by side.
/// Anything else than these patterns is `unimplemented`: the network is then ncnn's to run.
struct FusedPlanner {
  /// What a blob holds.
  private enum Value: Hashable {
    case image
    case rows(Int)
    case pooled(Int)
    case upsampled(Int)
    case sum(rows: Int, upsampled: Int)
    /// After the 1×1 convolution of a unit; the number is of `halves`.
    case half(Int)
    /// An output at the end of a unit; the number is of `heads`.
    case head(Int)
  }

  /// A convolution's numbers.
  private struct Weights {
    var values: [Float]
    var bias: [Float]
  }

  private struct Half {
    var source: Value
    var pointwise: Weights
  }

  private struct Head {
    var source: Value
    var pointwise: Weights
    var depthwise: Weights
    var hasSigmoid: Bool
    var channels: Int { depthwise.bias.count }
  }

  private var plan = FusedPlan()
  private var values: [String: Value] = [:]
  private var halves: [Half] = []
  private var heads: [Head] = []
  private var weights: WeightCursor
  /// Blobs that a layer takes; the others are outputs, wanted or not.
  private let taken: Set<String>

  /// - Parameters:
  ///   - graph: ncnn's `.param` file; `weights`: its `.bin` file.
  ///   - input: the blob that is the image.
  ///   - outputs: the blobs that are wanted, in the order the plan's outputs are to have.
  /// Throws `unimplemented`, naming the layer, for what the fused kernels do not know, and `failedPrecondition` for
  /// files that are damaged.
  static func plan(
    graph: [UInt8], weights: [UInt8], input: String, outputs: [String]
  ) throws(Status) -> FusedPlan {
    let layers = try NcnnGraph.layers(graph)
    var planner = FusedPlanner(weights: WeightCursor(weights), taken: Set(layers.flatMap(\.inputs)))
    for layer in layers { try planner.add(layer, input: input) }
    guard planner.weights.isAtEnd else {
      throw Status(.failedPrecondition, "the network's .bin file does not belong to its .param file")
    }
    try planner.finish(outputs)
    return planner.plan
  }

  private init(weights: WeightCursor, taken: Set<String>) {
    self.weights = weights
    self.taken = taken
  }

  private mutating func add(_ layer: NcnnLayer, input: String) throws(Status) {
    let inputs = layer.inputs.compactMap { values[$0] }
    switch (layer.type, inputs.count, layer.outputs.count) {
    case ("Input", 0, 1) where layer.outputs[0] == input:
      values[input] = .image
    case ("Split", 1, _):
      for output in layer.outputs { values[output] = inputs[0] }
    case ("Pooling", 1, 1):
      values[layer.outputs[0]] = try pooled(inputs[0], layer)
    case ("Interp", 1, 1):
      values[layer.outputs[0]] = try upsampled(inputs[0], layer)
    case ("BinaryOp", 2, 1):
      values[layer.outputs[0]] = try sum(inputs, layer)
    case ("Convolution", 1, 1), ("ConvolutionDepthWise", 1, 1):
      values[layer.outputs[0]] = try convolved(inputs[0], layer)
    default:
      throw unknown(layer)
    }
  }

  private func pooled(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    let isMaximum = layer.integer(0, default: 0) == 0 && layer.integer(4, default: 0) == 0
    let isHalving = [(1, 2), (11, 2), (2, 2), (12, 2), (3, 0), (13, 0), (14, 0), (15, 0)].allSatisfy {
      layer.integer($0.0, default: $0.1) == $0.1
    }
    guard case .rows(let step) = value, isMaximum, isHalving, layer.integer(1, default: 0) == 2,
      layer.integer(2, default: 1) == 2, layer.integer(7, default: 0) == 0
    else { throw unknown(layer) }
    return .pooled(step)
  }

  private func upsampled(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    let isNearest = layer.integer(0, default: 0) == 1
    let doubles = [1, 2].allSatisfy { layer.parameters[$0].flatMap(Float.init) == 2 }
    guard case .rows(let step) = value, isNearest, doubles,
      [3, 4, 5, 6].allSatisfy({ layer.integer($0, default: 0) == 0 })
    else { throw unknown(layer) }
    return .upsampled(step)
  }

  private func sum(_ values: [Value], _ layer: NcnnLayer) throws(Status) -> Value {
    guard layer.integer(0, default: 0) == 0, layer.integer(1, default: 0) == 0 else { throw unknown(layer) }
    switch (values[0], values[1]) {
    case (.rows(let rows), .upsampled(let half)), (.upsampled(let half), .rows(let rows)):
      return .sum(rows: rows, upsampled: half)
    default: throw unknown(layer)
    }
  }

  private mutating func convolved(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    guard let convolution = ConvolutionLayer(layer) else { throw unknown(layer) }
    var numbers = Weights(values: try weights.tagged(convolution.weightCount), bias: [])
    numbers.bias =
      convolution.hasBias
      ? try weights.floats(convolution.outChannels)
      : [Float](repeating: 0, count: convolution.outChannels)
    switch (convolution.shape, value, convolution.activation) {
    case (.stem, .image, .none), (.stem, .image, .relu):
      guard convolution.weightCount == convolution.outChannels * 27 else { throw unknown(layer) }
      return append(
        FusedPlan.Step(
          kind: .stem, hasReLU: convolution.activation == .relu, inChannels: 3,
          outChannels: convolution.outChannels, weights: store(numbers.values), bias: store(numbers.bias)))
    case (.pointwise, .rows, .none), (.pointwise, .pooled, .none), (.pointwise, .sum, .none):
      guard convolution.weightCount == convolution.outChannels * channels(value) else { throw unknown(layer) }
      halves.append(Half(source: value, pointwise: numbers))
      return .half(halves.count - 1)
    case (.depthwise, .half(let index), let activation):
      let half = halves[index]
      guard half.pointwise.bias.count == convolution.outChannels else { throw unknown(layer) }
      if !taken.contains(layer.outputs[0]), activation != .relu {
        heads.append(
          Head(
            source: half.source, pointwise: half.pointwise, depthwise: numbers,
            hasSigmoid: activation == .sigmoid))
        return .head(heads.count - 1)
      }
      guard activation != .sigmoid else { throw unknown(layer) }
      return append(
        unit(half.source, half.pointwise, numbers, hasReLU: activation == .relu))
    default:
      throw unknown(layer)
    }
  }

  /// What a unit takes in.
  private func channels(_ value: Value) -> Int {
    switch value {
    case .rows(let step), .pooled(let step), .sum(rows: let step, upsampled: _): plan.steps[step].outChannels
    default: 0
    }
  }

  private mutating func unit(
    _ source: Value, _ pointwise: Weights, _ depthwise: Weights, hasReLU: Bool
  ) -> FusedPlan.Step {
    var step = FusedPlan.Step(
      kind: .unit, hasReLU: hasReLU, inChannels: channels(source), outChannels: depthwise.bias.count,
      weights: store(pointwise.values), bias: store(pointwise.bias),
      depthwise: store(depthwise.values), depthwiseBias: store(depthwise.bias))
    switch source {
    case .rows(let rows): step.source = rows
    case .pooled(let pooled): (step.source, step.isSourcePooled) = (pooled, true)
    case .sum(let rows, let upsampled): (step.source, step.upsampled) = (rows, upsampled)
    default: break
    }
    return step
  }

  private mutating func store(_ numbers: [Float]) -> Range<Int> {
    plan.values.append(contentsOf: numbers)
    return plan.values.count - numbers.count..<plan.values.count
  }

  private mutating func append(_ step: FusedPlan.Step) -> Value {
    plan.steps.append(step)
    return .rows(plan.steps.count - 1)
  }

  /// Lays the heads that are wanted side by side and says where each output is.
  private mutating func finish(_ outputs: [String]) throws(Status) {
    let wanted = Set(outputs.compactMap { values[$0] })
    var places: [Int: FusedPlan.Output] = [:]
    let kept = heads.indices.filter { wanted.contains(.head($0)) }
    let groups = Dictionary(grouping: kept) { heads[$0].source }.values.sorted { $0[0] < $1[0] }
    for group in groups {
      var pointwise = Weights(values: [], bias: [])
      var depthwise = Weights(values: [], bias: [])
      for index in group {
        let head = heads[index]
        places[index] = FusedPlan.Output(
          step: plan.steps.count, firstChannel: depthwise.bias.count, channels: head.channels,
          hasSigmoid: head.hasSigmoid)
        pointwise.values += head.pointwise.values
        pointwise.bias += head.pointwise.bias
        depthwise.values += head.depthwise.values
        depthwise.bias += head.depthwise.bias
      }
      _ = append(unit(heads[group[0]].source, pointwise, depthwise, hasReLU: false))
    }
    for name in outputs {
      switch values[name] {
      case .head(let index):
        if let place = places[index] { plan.outputs.append(place) }
      case .rows(let step):
        plan.outputs.append(
          FusedPlan.Output(
            step: step, firstChannel: 0, channels: plan.steps[step].outChannels, hasSigmoid: false))
      default:
        throw Status(.unimplemented, "\"\(name)\" is not the output of a layer that the fused kernels know")
      }
    }
  }

  private func unknown(_ layer: NcnnLayer) -> Status {
    Status(.unimplemented, "the fused kernels do not know its layer \(layer.name) (\(layer.type)) as it is")
  }
}
