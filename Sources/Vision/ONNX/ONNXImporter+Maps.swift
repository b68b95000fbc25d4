import FaceCore

/// Imports operators that change the size of maps or take parts of them.
extension ONNXImporter {
  // Windows over maps.

  mutating func pool(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    guard let kernel = node.integers("kernel_shape") else { throw unfit(node, "has no kernel_shape") }
    let window = try window(node, kernel: kernel)
    guard window.dilations == [1, 1], node.outputs.dropFirst().allSatisfy({ !isUsed($0) }) else {
      throw unsupported(node, "has dilations, or its indices are used too")
    }
    guard (0...1).allSatisfy({ max(window.padding[$0], window.padding[$0 + 2]) < window.kernel[$0] }) else {
      throw unfit(node, "has a padding that is not smaller than its kernel")
    }
    let roundsUp = node.integer("ceil_mode", or: 0) != 0
    let input = shape(map)
    let output = NcnnGraphWriter.Shape(
      channels: input.channels, height: window.side(input.height, 0, roundsUp: roundsUp),
      width: window.side(input.width, 1, roundsUp: roundsUp))
    var parameters = [
      0: node.type == "MaxPool" ? 0 : 1, 1: window.kernel[1], 2: window.strides[1], 3: window.padding[1],
      5: roundsUp ? 0 : 1,
    ]
    if node.type == "AveragePool" { parameters[6] = node.integer("count_include_pad", or: 0) != 0 ? 1 : 0 }
    let isSquare =
      window.kernel[0] == window.kernel[1] && window.strides[0] == window.strides[1]
      && window.padding.allSatisfy { $0 == window.padding[1] }
    if !isSquare {
      parameters[11] = window.kernel[0]
      parameters[12] = window.strides[0]
      parameters[13] = window.padding[0]
      parameters[14] = window.padding[3]
      parameters[15] = window.padding[2]
    }
    bind(
      .map(try append("Pooling", node, [map], output, parameters: parameters.mapValues { "\($0)" })), to: node
    )
  }

  mutating func poolAll(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let channels = shape(map).channels
    let output = NcnnGraphWriter.Shape(channels: channels, height: 1, width: 1)
    let isMaximum = node.type == "GlobalMaxPool"
    let list = try append("Pooling", node, [map], output, parameters: [0: isMaximum ? "0" : "1", 4: "1"])
    // ncnn returns a list, but a map of one cell is needed.
    let cell = try append("Reshape", node, [list], output, parameters: [0: "1", 1: "1", 2: "\(channels)"])
    bind(.map(cell), to: node)
  }

  mutating func reduce(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let axes = node.integers("axes") ?? (inputs.count > 1 ? inputs[1]?.constant?.integers : nil)
    let isOfAllCells = axes.map { Set($0.map { $0 < 0 ? $0 &+ 4 : $0 }) } == [2, 3]
    guard isOfAllCells, node.integer("keepdims", or: 1) == 1 else { return decode(node, inputs) }
    try poolAll(node, inputs)
  }

  // Sizes.

  mutating func resize(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let input = shape(map)
    // Since version 11, Resize has a region of interest between the map and the scales.
    let first = node.type == "Upsample" || model.operatorSet < 11 ? 1 : 2
    var factors: [Double]?
    let given = try constant(node, inputs, first, "scales")?.floats
    if let scales = node.floats("scales") ?? given, !scales.isEmpty {
      factors =
        scales.count == 4 && scales[0] == 1 && scales[1] == 1 ? [Double(scales[2]), Double(scales[3])] : nil
    } else if let sizes = try constant(node, inputs, 3, "sizes")?.integers, sizes.count == 4,
      sizes[1] == input.channels
    {
      factors = [Double(sizes[2]) / Double(input.height), Double(sizes[3]) / Double(input.width)]
    }
    let whole = (factors ?? []).compactMap { Int(exactly: $0) }
    guard whole.count == 2, whole.allSatisfy({ (1...64).contains($0) }) else {
      throw unsupported(node, "does not enlarge a map by a whole number")
    }
    let output = NcnnGraphWriter.Shape(
      channels: input.channels, height: input.height * whole[0], width: input.width * whole[1])
    guard let interpolation = interpolation(node, factors: whole) else {
      throw unsupported(node, "interpolates in a way that this engine does not know")
    }
    if output == input { return bind(.map(map), to: node) }
    let parameters = [
      0: "\(interpolation.kind)", 1: "\(whole[0]).0", 2: "\(whole[1]).0",
      6: interpolation.alignsCorners ? "1" : "0",
    ]
    bind(.map(try append("Interp", node, [map], output, parameters: parameters)), to: node)
  }

  /// Returns ncnn's kind of interpolation, if it produces the same values.
  private func interpolation(_ node: ONNXNode, factors: [Int]) -> (kind: Int, alignsCorners: Bool)? {
    let isOld = node.type == "Upsample" || model.operatorSet < 11
    let transformation = node.text("coordinate_transformation_mode", or: isOld ? "asymmetric" : "half_pixel")
    switch node.text("mode", or: "nearest") {
    case "nearest":
      let rounding = node.text("nearest_mode", or: isOld ? "floor" : "round_prefer_floor")
      let repeats = factors.allSatisfy { factor in
        (0..<factor).allSatisfy { ONNXImporter.source($0, factor, transformation, rounding) == 0 }
      }
      return repeats ? (1, false) : nil
    case "linear", "bilinear":
      switch transformation {
      case "half_pixel", "pytorch_half_pixel": return (2, false)
      case "align_corners": return (2, true)
      default: return nil
      }
    default: return nil
    }
  }

  /// Returns the index of the value that the one at `place` copies; `nil` for unknown rules.
  private static func source(
    _ place: Int, _ factor: Int, _ transformation: String, _ rounding: String
  ) -> Int? {
    let position: Double
    switch transformation {
    case "asymmetric": position = Double(place) / Double(factor)
    case "half_pixel", "pytorch_half_pixel": position = (Double(place) + 0.5) / Double(factor) - 0.5
    default: return nil
    }
    switch rounding {
    case "floor": return max(0, Int(position.rounded(.down)))
    case "ceil": return Int(position.rounded(.up))
    case "round_prefer_floor": return Int((position - 0.5).rounded(.up))
    case "round_prefer_ceil": return Int((position + 0.5).rounded(.down))
    default: return nil
    }
  }

  mutating func pad(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let given = try constant(node, inputs, 1, "a padding")?.integers
    guard let sides = node.integers("pads") ?? given, sides.count == 8,
      sides.allSatisfy({ (0...256).contains($0) }), [0, 1, 4, 5].allSatisfy({ sides[$0] == 0 }),
      inputs.count < 4 || inputs[3] == nil
    else { throw unsupported(node, "pads something other than the sides of a map") }
    let filled = try constant(node, inputs, 2, "a value")?.floats.first
    let value = filled ?? node.float("value", or: 0)
    guard node.text("mode", or: "constant") == "constant", value.isFinite else {
      throw unsupported(node, "does not pad with one finite value")
    }
    var shape = shape(map)
    shape.height += sides[2] + sides[6]
    shape.width += sides[3] + sides[7]
    let parameters = [
      0: "\(sides[2])", 1: "\(sides[6])", 2: "\(sides[3])", 3: "\(sides[7])", 4: "0",
      5: value == 0 ? "0" : "\(value)",
    ]
    bind(.map(try append("Padding", node, [map], shape, parameters: parameters)), to: node)
  }

  // Parts of the channels.

  mutating func slice(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let sizes = dimensions(map)
    guard let slice = ONNXSlice(node, inputs.map { $0?.constant }), slice.steps.allSatisfy({ $0 == 1 }) else {
      return decode(node, inputs)
    }
    var channels = 0..<sizes[1]
    for (index, axis) in slice.axes.enumerated() {
      let axis = axis < 0 ? axis &+ 4 : axis
      guard (0...3).contains(axis), let range = slice.range(index, of: sizes[axis]) else {
        return decode(node, inputs)
      }
      if axis == 1 {
        channels = range
      } else if range.count != sizes[axis] {
        return decode(node, inputs)
      }
    }
    bind(.map(try part(node, map, channels)), to: node)
  }

  private mutating func part(
    _ node: ONNXNode, _ map: ONNXMap, _ channels: Range<Int>
  ) throws(Status) -> ONNXMap {
    var shape = shape(map)
    guard channels.count != shape.channels else { return map }
    shape.channels = channels.count
    let parameters = [-23309: "1,\(channels.lowerBound)", -23310: "1,\(channels.upperBound)", -23311: "1,0"]
    return try append("Crop", node, [map], shape, parameters: parameters)
  }

  mutating func split(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    guard [1, -3].contains(node.integer("axis", or: 0)) else { return decode(node, inputs) }
    let map = try map(node, inputs)
    let input = shape(map)
    let count = node.outputs.count
    let given = try constant(node, inputs, 1, "sizes")?.integers
    let share = count == 0 ? 0 : (input.channels + count - 1) / count
    let sizes =
      node.integers("split") ?? given ?? (0..<count).map { min(share, max(0, input.channels - share * $0)) }
    guard sizes.count == count, sizes.allSatisfy({ (1...ONNXImporter.largest).contains($0) }),
      sizes.reduce(0, +) == input.channels
    else { throw unfit(node, "splits \(input.channels) channels into \(sizes)") }
    var start = 0
    if node.outputs.allSatisfy(isUsed) {
      var shapes = Array(repeating: input, count: count)
      for index in sizes.indices { shapes[index].channels = sizes[index] }
      let list = ["\(count)"] + sizes.map { "\($0)" }
      let first = try append(
        "Slice", node, [map], shapes: shapes, parameters: [-23300: list.joined(separator: ","), 1: "0"])
      for index in sizes.indices {
        bind(.map(ONNXMap(blob: first + index, isExclusive: true)), to: node, index)
      }
    } else {
      // ncnn would treat an unread part as an output of the network.
      for (index, size) in sizes.enumerated() {
        if isUsed(node.outputs[index]) {
          bind(.map(try part(node, map, start..<start + size)), to: node, index)
        }
        start += size
      }
    }
  }
}
