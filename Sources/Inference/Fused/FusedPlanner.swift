import FaceCore

/// Finds the steps of the fused kernels in an ncnn graph.
///
/// Walks the layers once and remembers what each blob is in terms of steps. A convolution is a step; an activation or a
/// sum that follows becomes part of it where nobody else takes the convolution's own result. Anything else than what is
/// listed here is `unimplemented`: the network is then ncnn's to run.
struct FusedPlanner {
  /// What a blob holds.
  private enum Value {
    case image
    /// `isShared`: several layers take it, so that the step must stay as it is.
    case rows(Int, isShared: Bool)
    /// Its 2×2 maxima, and channels of zeros behind them.
    case pooled(Int, channels: Int)
    case upsampled(Int)
    /// Rows through a sigmoid, which only outputs are.
    case probabilities(Int)
  }

  private var plan = FusedPlan()
  private var values: [String: Value] = [:]
  private var weights: WeightCursor

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
    var planner = FusedPlanner(weights: WeightCursor(weights))
    for layer in layers { try planner.add(layer, input: input) }
    guard planner.weights.isAtEnd else {
      throw Status(.failedPrecondition, "the network's .bin file does not belong to its .param file")
    }
    try planner.finish(outputs)
    return planner.plan
  }

  private init(weights: WeightCursor) {
    self.weights = weights
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
      throw unknown(layer)
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
    else { throw unknown(layer) }
    return .pooled(step, channels: plan.steps[step].outChannels)
  }

  /// Channels of zeros behind the others.
  private func padded(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    guard case .pooled(let step, let channels) = value,
      [0, 1, 2, 3, 4, 6, 7].allSatisfy({ layer.integer($0, default: 0) == 0 }), layer.number(5, or: 0) == 0,
      let more = layer.integer(8, default: 0), (0...channels).contains(more),
      channels + more <= ConvolutionLayer.maxChannels
    else { throw unknown(layer) }
    return .pooled(step, channels: channels + more)
  }

  private func upsampled(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    let isNearest = layer.integer(0, default: 0) == 1
    let doubles = [1, 2].allSatisfy { layer.parameters[$0].flatMap(Float.init) == 2 }
    guard case .rows(let step, isShared: _) = value, isNearest, doubles,
      [3, 4, 5, 6].allSatisfy({ layer.integer($0, default: 0) == 0 })
    else { throw unknown(layer) }
    return .upsampled(step)
  }

  private mutating func sum(_ values: [Value], _ layer: NcnnLayer) throws(Status) -> Value {
    guard layer.integer(0, default: 0) == 0, layer.integer(1, default: 0) == 0 else { throw unknown(layer) }
    switch (values[0], values[1]) {
    case (.rows(let rows, isShared: _), .upsampled(let half)),
      (.upsampled(let half), .rows(let rows, isShared: _)):
      let channels = plan.steps[rows].outChannels
      return append(
        FusedPlan.Step(
          kind: .sum, source: rows, added: half, inChannels: channels, outChannels: channels))
    case (.rows(let one, let isShared), .rows(let other, let isOtherShared)):
      let (target, added) = one > other ? (one, other) : (other, one)
      guard !(one > other ? isShared : isOtherShared) else { throw unknown(layer) }
      return try add(added, channels: plan.steps[added].outChannels, to: target, layer)
    case (.rows(let target, isShared: false), .pooled(let added, let channels)),
      (.pooled(let added, let channels), .rows(let target, isShared: false)):
      let sum = try add(added, channels: channels, to: target, layer)
      plan.steps[target].isAddedPooled = true
      return sum
    default: throw unknown(layer)
    }
  }

  /// Makes a sum part of the step `target`, which is below the step that is added.
  private mutating func add(
    _ added: Int, channels: Int, to target: Int, _ layer: NcnnLayer
  ) throws(Status) -> Value {
    let step = plan.steps[target]
    guard step.kind == .convolution || step.kind == .transposed, step.added == nil, added < target,
      channels == step.outChannels
    else { throw unknown(layer) }
    plan.steps[target].added = added
    plan.steps[target].isAddedLast = step.activation != .none
    return .rows(target, isShared: false)
  }

  private mutating func activated(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    guard case .rows(let index, isShared: false) = value, case let step = plan.steps[index],
      step.activation == .none, step.kind == .convolution || step.kind == .transposed,
      let count = layer.integer(0, default: 0), count == step.outChannels
    else { throw unknown(layer) }
    plan.steps[index].activation = .prelu
    plan.steps[index].slopes = plan.store(try weights.floats(count))
    return value
  }

  private mutating func convolved(_ value: Value, _ layer: NcnnLayer) throws(Status) -> Value {
    var step = FusedPlan.Step(kind: .convolution, inChannels: 3, outChannels: 0)
    switch value {
    case .image: break
    case .rows(let source, isShared: _): step.source = source
    case .pooled(let source, _): (step.source, step.isSourcePooled) = (source, true)
    default: throw unknown(layer)
    }
    if let source = step.source { step.inChannels = plan.steps[source].outChannels }
    if case .pooled(_, let channels) = value, channels != step.inChannels { throw unknown(layer) }
    guard let convolution = ConvolutionLayer(layer, inChannels: step.inChannels) else { throw unknown(layer) }
    switch convolution.kind {
    case .dense: step.kind = .convolution
    case .depthwise: step.kind = .depthwise
    case .transposed: step.kind = .transposed
    }
    step.outChannels = convolution.outChannels
    step.kernel = convolution.kernel
    step.padding = convolution.padding
    // A 2×2 kernel that is not moved by two fits one place only.
    step.isWhole = convolution.kernel == 2 && convolution.stride == 1
    step.stride = step.isWhole ? 2 : convolution.stride
    step.activation = convolution.activation == .relu ? .relu : .none
    step.weights = plan.store(try weights.tagged(convolution.weightCount))
    step.bias = plan.store(
      convolution.hasBias
        ? try weights.floats(convolution.outChannels)
        : [Float](repeating: 0, count: convolution.outChannels))
    let made = append(step)
    return convolution.activation == .sigmoid ? .probabilities(plan.steps.count - 1) : made
  }

  private mutating func append(_ step: FusedPlan.Step) -> Value {
    plan.steps.append(step)
    return .rows(plan.steps.count - 1, isShared: false)
  }

  private mutating func finish(_ names: [String]) throws(Status) {
    for name in names {
      let place: (step: Int, hasSigmoid: Bool)
      switch values[name] {
      case .rows(let step, isShared: _): place = (step, false)
      case .probabilities(let step): place = (step, true)
      default:
        throw Status(.unimplemented, "\"\(name)\" is not the output of a layer that the fused kernels know")
      }
      plan.outputs.append(
        FusedPlan.Output(
          step: place.step, firstChannel: 0, channels: plan.steps[place.step].outChannels,
          hasSigmoid: place.hasSigmoid))
    }
    plan.removeUnneeded()
    plan.joinHeads()
  }

  private func unknown(_ layer: NcnnLayer) -> Status {
    Status(.unimplemented, "the fused kernels do not know its layer \(layer.name) (\(layer.type)) as it is")
  }
}
