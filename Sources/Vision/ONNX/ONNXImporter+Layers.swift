import FaceCore

/// Imports operators by name.
extension ONNXImporter {
  mutating func addLayer(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let data = inputs.first ?? nil
    switch node.type {
    case "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze": try lay(node, inputs)
    case "Identity", "Dropout", "Cast": try pass(node, data)
    case "Concat": try join(node, inputs)
    case "Conv": try convolve(node, inputs)
    case "ConvTranspose": try convolveTransposed(node, inputs)
    case "Sigmoid": try addSigmoid(node, data)
    case "Add", "Sub", "Mul", "Div", "Sum": try combine(node, inputs)
    default:
      // Any operator may follow lists, or constants that are not evaluated here.
      guard inputs.contains(where: { $0?.isSpatial == true }), !inputs.contains(where: { $0?.isList == true })
      else { return decode(node, inputs) }
      try addMapLayer(node, inputs)
    }
  }

  /// Adds an operator that reads only maps and constants.
  private mutating func addMapLayer(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    switch node.type {
    case "BatchNormalization": try normalise(node, inputs)
    case "Relu", "LeakyRelu", "Clip", "HardSigmoid", "HardSwish", "Mish", "Tanh": try activate(node, inputs)
    case "PRelu": try activateBySlopes(node, inputs)
    case "MaxPool", "AveragePool": try pool(node, inputs)
    case "GlobalAveragePool", "GlobalMaxPool": try poolAll(node, inputs)
    case "ReduceMean": try reduce(node, inputs)
    case "Resize", "Upsample": try resize(node, inputs)
    case "Pad": try pad(node, inputs)
    case "Slice": try slice(node, inputs)
    case "Split": try split(node, inputs)
    case let type where ONNXImporter.decoders.contains(type): decode(node, inputs)
    default: throw unsupported(node, "is not one that this engine can run")
    }
  }

  /// Operators at the end of detectors, whose work the detector's family does here.
  static let decoders: Set<String> = [
    "Shape", "Exp", "Log", "Pow", "Sqrt", "Neg", "Softmax", "LogSoftmax", "Softplus", "Max", "Min", "ArgMax",
    "ReduceMax", "ReduceSum", "TopK", "Gather", "GatherND", "GatherElements", "Greater", "GreaterOrEqual",
    "Less",
    "Equal", "Where", "NonZero", "NonMaxSuppression", "Expand", "Tile",
  ]

  /// Returns the node's input at `index` as a map. Throws, naming what it is, if it is not a map.
  mutating func map(_ node: ONNXNode, _ inputs: [ONNXValue?], _ index: Int = 0) throws(Status) -> ONNXMap {
    switch index < inputs.count ? inputs[index] : nil {
    case .map(let map): return map
    case .image(let image): return try map(of: image, for: node)
    case .list(let list):
      throw Status(
        .unimplemented,
        "\(list.maker) has an output that is not a map, but \(ONNXImporter.words(node)) needs one; "
          + ONNXImporter.advice)
    case .constant: throw unsupported(node, "takes a constant where this engine needs a map")
    case nil: throw unfit(node, "has no input \(index + 1)")
    }
  }

  func shape(_ map: ONNXMap) -> NcnnGraphWriter.Shape { writer.blobs[map.blob].shape }

  /// Returns the node's constant input at `index`; `nil` if it is omitted.
  func constant(
    _ node: ONNXNode, _ inputs: [ONNXValue?], _ index: Int, _ what: String
  ) throws(Status) -> ONNXConstant? {
    guard index < inputs.count, let input = inputs[index] else { return nil }
    guard let constant = input.constant else {
      var maker = "the network"
      if case .list(let list) = input { maker = list.maker }
      throw unsupported(node, "takes \(what) that \(maker) computes")
    }
    return constant
  }

  /// Returns one value per channel. Throws if the input is something else.
  func perChannel(
    _ node: ONNXNode, _ inputs: [ONNXValue?], _ index: Int, _ what: String, channels: Int
  ) throws(Status) -> [Float] {
    guard let numbers = try constant(node, inputs, index, what), numbers.dimensions == [channels] else {
      throw unfit(node, "has \(channels) channels and a different number of \(what)")
    }
    return numbers.floats
  }

  // Lists.

  /// Ends the network at the maps: the detector's family does what the node does with them.
  mutating func decode(_ node: ONNXNode, _ inputs: [ONNXValue?]) {
    var list = ONNXList(isMoved: false, maker: ONNXImporter.words(node))
    for case .some(let input) in inputs {
      if case .list(let other) = input { list.maker = other.maker }
      for part in parts(input) where !list.parts.contains(where: { $0.map.blob == part.map.blob }) {
        list.parts.append(ONNXList.Part(map: part.map))
      }
    }
    for index in node.outputs.indices { bind(.list(list), to: node, index) }
  }

  private func parts(_ value: ONNXValue) -> [ONNXList.Part] {
    switch value {
    case .map(let map): [ONNXList.Part(map: map)]
    case .list(let list): list.parts
    case .image, .constant: []
    }
  }

  /// Rearranges a value.
  private mutating func lay(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let form: ONNXList.Form?
    var list = ONNXList(maker: ONNXImporter.words(node))
    switch inputs.first ?? nil {
    case .image(var image):
      guard image.isChannelsLast, node.type == "Transpose", node.integers("perm") == [0, 3, 1, 2] else {
        throw unsupported(node, "rearranges the image in a way that this engine does not know")
      }
      image.isChannelsLast = false
      return bind(.image(image), to: node)
    case .map(let map):
      list.parts = [ONNXList.Part(map: map)]
      form = try self.form(node, inputs, of: map, .permuted([0, 1, 2, 3]))
    case .list(let old):
      list.parts = old.parts
      list.isMoved = old.isMoved
      form =
        if let only = old.parts.first, old.parts.count == 1, old.isMoved {
          try self.form(node, inputs, of: only.map, old.form)
        } else { nil }
      if old.form == nil { list.maker = old.maker }
    case .constant, nil: return decode(node, inputs)
    }
    list.form = form
    guard let part = list.parts.first, let map = try mapAgain(node, part, form) else {
      return bind(.list(list), to: node)
    }
    bind(.map(map), to: node)
  }

  /// Returns the form of a map after the node, given its form before; `nil` if it cannot become a map again.
  private func form(
    _ node: ONNXNode, _ inputs: [ONNXValue?], of map: ONNXMap, _ form: ONNXList.Form?
  ) throws(Status) -> ONNXList.Form? {
    let shape = dimensions(map)
    switch (node.type, form) {
    case ("Transpose", .permuted(let order)):
      guard let next = node.integers("perm"), next.sorted() == [0, 1, 2, 3] else { return nil }
      return .permuted(next.map { order[$0] })
    case ("Transpose", .groups(let groups)):
      return node.integers("perm") == [0, 2, 1, 3, 4] ? .shuffled(groups) : nil
    case ("Reshape", .some(let form)):
      guard let wanted = inputs.count > 1 ? inputs[1]?.constant?.integers : node.integers("shape") else {
        return nil
      }
      let before: [Int]
      switch form {
      case .permuted(let order):
        guard order == [0, 1, 2, 3] else { return nil }
        before = shape
      case .groups(let groups): before = [1, groups, shape[1] / groups] + shape[2...]
      case .shuffled(let groups): before = [1, shape[1] / groups, groups] + shape[2...]
      }
      let next = ONNXShape.resolve(wanted, of: before, zeroCopies: node.integer("allowzero", or: 0) == 0)
      if next == shape { return joinedAgain(form) }
      guard let next, case .permuted = form, next.count == 5, next[0] == 1, next[1] > 0,
        next[1] * next[2] == shape[1],
        Array(next[3...]) == Array(shape[2...])
      else { return nil }
      return .groups(next[1])
    default: return nil
    }
  }

  /// Joins groups of channels into one dimension of channels again.
  private func joinedAgain(_ form: ONNXList.Form) -> ONNXList.Form {
    if case .groups = form { .permuted([0, 1, 2, 3]) } else { form }
  }

  /// Returns the map to which a part was rearranged; `nil` if its form is another one.
  private mutating func mapAgain(
    _ node: ONNXNode, _ part: ONNXList.Part, _ form: ONNXList.Form?
  ) throws(Status) -> ONNXMap? {
    var isShuffle: Int?
    switch form {
    case .permuted([0, 1, 2, 3]): break
    case .shuffled(let groups) where node.type == "Reshape": isShuffle = groups
    default: return nil
    }
    let map = try part.hasSigmoid ? sigmoid(of: part.map, named: node.outputs.first ?? "") : part.map
    guard let groups = isShuffle else { return map }
    return try append("ShuffleChannel", node, [map], shape(map), parameters: [0: "\(groups)"])
  }

  private mutating func pass(_ node: ONNXNode, _ value: ONNXValue?) throws(Status) {
    guard let value else { throw unfit(node, "takes nothing") }
    // A cast to floats of another size changes nothing here; one to integers does.
    let isFloat = node.type != "Cast" || [1, 10, 11, 16].contains(node.integer("to", or: 1))
    return isFloat && value.constant == nil ? bind(value, to: node) : decode(node, [value])
  }

  private mutating func join(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let axis = node.integer("axis", or: 1)
    if [1, -3].contains(axis), !inputs.isEmpty, inputs.allSatisfy({ $0?.isSpatial == true }) {
      var maps: [ONNXMap] = []
      for index in inputs.indices { maps.append(try map(node, inputs, index)) }
      var joined = shape(maps[0])
      joined.channels = 0
      for map in maps {
        let part = shape(map)
        guard part.height == joined.height, part.width == joined.width else {
          throw unsupported(node, "joins maps of different sizes")
        }
        joined.channels += part.channels
      }
      return bind(.map(try append("Concat", node, maps, joined, parameters: [0: "0"])), to: node)
    }
    var list = ONNXList(maker: ONNXImporter.words(node))
    for input in inputs {
      guard let input, input.constant == nil else { return decode(node, inputs) }
      if case .list(let part) = input, !part.isMoved { return decode(node, inputs) }
      list.parts += parts(input)
    }
    bind(.list(list), to: node)
  }

  // Sigmoids.

  private mutating func addSigmoid(_ node: ONNXNode, _ data: ONNXValue?) throws(Status) {
    guard case .list(var list) = data else {
      let map = try map(node, [data])
      return bind(.map(try sigmoid(of: map, named: node.outputs.first ?? "")), to: node)
    }
    guard list.isMoved, list.parts.allSatisfy({ !$0.hasSigmoid }) else { return decode(node, [data]) }
    for index in list.parts.indices { list.parts[index].hasSigmoid = true }
    bind(.list(list), to: node)
  }

  /// Returns a sigmoid of `map`, in the convolution that produces it if possible.
  mutating func sigmoid(of map: ONNXMap, named name: String) throws(Status) -> ONNXMap {
    if let layer = changeableConvolution(map) {
      writer.layers[layer].parameters[9] = "4"
      return map
    }
    let blob = writer.append("Sigmoid", name, inputs: [map.blob], shapes: [shape(map)])
    return ONNXMap(blob: blob, isExclusive: true)
  }
}

extension ONNXValue {
  var isList: Bool { if case .list = self { true } else { false } }

  /// Whether it is a map, or the image, which can become one.
  var isSpatial: Bool {
    switch self {
    case .map, .image: true
    case .constant, .list: false
    }
  }
}
