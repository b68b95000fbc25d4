import FaceCore

/// Imports convolutions, and the operators that become part of them.
extension ONNXImporter {
  /// The window of a convolution or pooling: two numbers each, height first; padding at the top, left, bottom
  /// and right.
  struct Window {
    var kernel: [Int]
    var strides: [Int]
    var dilations: [Int]
    var padding: [Int]

    /// Returns the size of the output for `side` values.
    func side(_ side: Int, _ axis: Int, roundsUp: Bool = false) -> Int {
      let room = side + padding[axis] + padding[axis + 2] - dilations[axis] * (kernel[axis] - 1) - 1
      return room < 0 ? 0 : (roundsUp ? (room + strides[axis] - 1) / strides[axis] : room / strides[axis]) + 1
    }
  }

  /// Returns the window of a node. Throws for numbers that no face network has.
  func window(_ node: ONNXNode, kernel: [Int]) throws(Status) -> Window {
    var window = Window(
      kernel: node.integers("kernel_shape") ?? kernel, strides: node.integers("strides") ?? [1, 1],
      dilations: node.integers("dilations") ?? [1, 1], padding: node.integers("pads") ?? [0, 0, 0, 0])
    let positive = [window.kernel, window.strides, window.dilations]
    guard positive.allSatisfy({ $0.count == 2 && $0.allSatisfy { (1...256).contains($0) } }),
      window.padding.count == 4, window.padding.allSatisfy({ (0...256).contains($0) })
    else {
      throw unsupported(node, "does not slide over height and width, or its kernel, stride or padding is too large")
    }
    switch node.text("auto_pad", or: "NOTSET") {
    case "NOTSET": break
    case "VALID": window.padding = [0, 0, 0, 0]
    case "SAME_UPPER", "SAME_LOWER":
      let isUpper = node.text("auto_pad", or: "") == "SAME_UPPER"
      for axis in 0...1 {
        // Exact for sides that are divisible by the stride, as in a detector's maps.
        let all = max(0, window.dilations[axis] * (window.kernel[axis] - 1) + 1 - window.strides[axis])
        window.padding[axis] = isUpper ? all / 2 : all - all / 2
        window.padding[axis + 2] = all - window.padding[axis]
      }
    default: throw unfit(node, "has an unknown auto_pad")
    }
    return window
  }

  /// Returns ncnn's parameters of a convolution.
  private func parameters(_ window: Window, outputs: Int, weights: Int, groups: Int) -> [Int: String] {
    var numbers = [
      0: outputs, 1: window.kernel[1], 11: window.kernel[0], 2: window.dilations[1], 12: window.dilations[0],
      3: window.strides[1], 13: window.strides[0], 4: window.padding[1], 14: window.padding[0],
      15: window.padding[3], 16: window.padding[2], 5: 1, 6: weights,
    ]
    if groups > 1 { numbers[7] = groups }
    return numbers.mapValues { "\($0)" }
  }

  /// Returns the weights of a convolution, and the grouping of its channels.
  private func weights(
    _ node: ONNXNode, _ inputs: [ONNXValue?]
  ) throws(Status) -> (weights: ONNXConstant, groups: Int) {
    guard let weights = try constant(node, inputs, 1, "weights"), weights.dimensions.count == 4,
      weights.count > 0
    else { throw unsupported(node, "has no weights of four dimensions") }
    let groups = node.integer("group", or: 1)
    guard weights.dimensions.allSatisfy({ (1...ONNXImporter.largest).contains($0) }),
      (1...ONNXImporter.largest).contains(groups), weights.floats.allSatisfy(\.isFinite)
    else { throw unfit(node, "has weights that are not finite, or a dimension that is 0 or too large") }
    return (weights, groups)
  }

  mutating func convolve(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    var map = try map(node, inputs)
    let (weights, groups) = try weights(node, inputs)
    let size = weights.dimensions
    var window = try window(node, kernel: Array(size[2...]))
    let channels = shape(map).channels
    guard size[1] * groups == channels, size[0].isMultiple(of: groups), window.kernel == Array(size[2...])
    else {
      throw unfit(
        node, "has weights of \(size) in \(groups) groups, which do not fit its \(channels) channels")
    }
    let bias = try bias(node, inputs, channels: size[0])
    takePadding(&map, &window)
    let input = shape(map)
    let output = NcnnGraphWriter.Shape(
      channels: size[0], height: window.side(input.height, 0), width: window.side(input.width, 1))
    let result = try append(
      groups == 1 ? "Convolution" : "ConvolutionDepthWise", node, [map], output,
      parameters: parameters(window, outputs: size[0], weights: weights.count, groups: groups),
      weights: weights.floats, numbers: bias)
    bind(.map(result), to: node)
  }

  private func bias(
    _ node: ONNXNode, _ inputs: [ONNXValue?], channels: Int
  ) throws(Status) -> [Float] {
    guard inputs.count > 2, inputs[2] != nil else { return Array(repeating: 0, count: channels) }
    return try perChannel(node, inputs, 2, "biases", channels: channels)
  }

  /// Moves the zeros of a preceding padding layer into the convolution.
  private func takePadding(_ map: inout ONNXMap, _ window: inout Window) {
    let layer = writer.layers[writer.blobs[map.blob].layer]
    guard layer.type == "Padding", layer.parameters[4] == "0", layer.parameters[5] == "0" else { return }
    // ncnn's order is top, bottom, left, right.
    let sides = [0, 2, 1, 3].compactMap { layer.parameters[$0].flatMap { Int($0) } }
    guard sides.count == 4 else { return }
    window.padding = zip(window.padding, sides).map { $0 + $1 }
    map = ONNXMap(blob: layer.inputs[0], isExclusive: false)
  }

  mutating func convolveTransposed(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let (weights, groups) = try weights(node, inputs)
    let size = weights.dimensions
    let window = try window(node, kernel: Array(size[2...]))
    let input = shape(map)
    let extra = node.integers("output_padding") ?? [0, 0]
    guard size[0] == input.channels, size[0].isMultiple(of: groups), window.kernel == Array(size[2...]) else {
      throw unfit(
        node, "has weights of \(size) in \(groups) groups, which do not fit its \(input.channels) channels")
    }
    guard node.integers("output_shape") == nil,
      ["NOTSET", "VALID"].contains(node.text("auto_pad", or: "NOTSET")),
      extra.count == 2, extra.allSatisfy({ (0...256).contains($0) })
    else { throw unsupported(node, "has an output_shape or padding that this engine does not support") }
    let channels = size[1] * groups
    let bias = try bias(node, inputs, channels: channels)
    func side(_ side: Int, _ axis: Int) -> Int {
      (side - 1) * window.strides[axis] + window.dilations[axis] * (window.kernel[axis] - 1) + 1
        - window.padding[axis] - window.padding[axis + 2] + extra[axis]
    }
    let output = NcnnGraphWriter.Shape(
      channels: channels, height: side(input.height, 0), width: side(input.width, 1))
    var parameters = parameters(window, outputs: channels, weights: weights.count, groups: groups)
    parameters[18] = "\(extra[1])"
    parameters[19] = "\(extra[0])"
    let result = try append(
      groups == 1 ? "Deconvolution" : "DeconvolutionDepthWise", node, [map], output, parameters: parameters,
      weights: ONNXImporter.outputsFirst(weights, groups: groups), numbers: bias)
    bind(.map(result), to: node)
  }

  /// Reorders the weights of a transposed convolution: ONNX has the inputs as the outer dimension, ncnn the
  /// outputs; both have the groups outside.
  private static func outputsFirst(_ weights: ONNXConstant, groups: Int) -> [Float] {
    let values = weights.floats
    let (inputs, outputs) = (weights.dimensions[0] / groups, weights.dimensions[1])
    let kernel = weights.dimensions[2] * weights.dimensions[3]
    var turned: [Float] = []
    turned.reserveCapacity(values.count)
    for group in 0..<groups {
      for output in 0..<outputs {
        for input in 0..<inputs {
          let start = ((group * inputs + input) * outputs + output) * kernel
          turned += values[start..<start + kernel]
        }
      }
    }
    return turned
  }

  // Operators that become part of a convolution.

  private static let convolutions: Set<String> = [
    "Convolution", "ConvolutionDepthWise", "Deconvolution", "DeconvolutionDepthWise",
  ]

  /// Returns the convolution without an activation that produces `map`, if only the next operator reads it.
  func changeableConvolution(_ map: ONNXMap) -> Int? {
    let index = writer.blobs[map.blob].layer
    let layer = writer.layers[index]
    return map.isExclusive && ONNXImporter.convolutions.contains(layer.type) && layer.parameters[9] == nil
      ? index : nil
  }

  /// Returns `map` × scale + offset by channel: in the convolution before it if possible, else as a
  /// convolution of its own.
  mutating func scaled(
    _ node: ONNXNode, _ map: ONNXMap, _ scale: [Float], _ offset: [Float]
  ) throws(Status) -> ONNXMap {
    guard (scale + offset).allSatisfy(\.isFinite) else { throw unfit(node, "scales by a number that is not finite") }
    guard let index = changeableConvolution(map), let weights = writer.layers[index].weights else {
      let shape = shape(map)
      let window = Window(kernel: [1, 1], strides: [1, 1], dilations: [1, 1], padding: [0, 0, 0, 0])
      let channels = shape.channels
      return try append(
        channels == 1 ? "Convolution" : "ConvolutionDepthWise", node, [map], shape,
        parameters: parameters(window, outputs: channels, weights: channels, groups: channels),
        weights: scale, numbers: offset)
    }
    let share = weights.count / scale.count
    writer.layers[index].weights = weights.indices.map { weights[$0] * scale[$0 / share] }
    writer.layers[index].numbers = zip(writer.layers[index].numbers, zip(scale, offset)).map {
      $0 * $1.0 + $1.1
    }
    return map
  }

  mutating func normalise(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let channels = shape(map).channels
    func numbers(_ index: Int, _ what: String) throws(Status) -> [Float] {
      try perChannel(node, inputs, index, what, channels: channels)
    }
    let (factors, offsets) = (try numbers(1, "scales"), try numbers(2, "offsets"))
    let (means, variances) = (try numbers(3, "means"), try numbers(4, "variances"))
    let epsilon = node.float("epsilon", or: 1e-5)
    // In 64 bits, because the factors of neighbouring layers may differ widely.
    let scale = zip(factors, variances).map { Double($0) / (Double($1) + Double(epsilon)).squareRoot() }
    let offset = zip(offsets, zip(means, scale)).map { Float(Double($0) - Double($1.0) * $1.1) }
    bind(.map(try scaled(node, map, scale.map { Float($0) }, offset)), to: node)
  }

  mutating func activate(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let type: String
    var numbers: [Float] = []
    /// ncnn's number of the activation if a convolution can include it.
    var inside: Int?
    switch node.type {
    case "Relu": (type, inside) = ("ReLU", 1)
    case "LeakyRelu": (type, inside, numbers) = ("ReLU", 2, [node.float("alpha", or: 0.01)])
    case "HardSigmoid":
      (type, numbers) = ("HardSigmoid", [node.float("alpha", or: 0.2), node.float("beta", or: 0.5)])
    case "HardSwish": (type, inside, numbers) = ("HardSwish", 6, [Float(1) / 6, 0.5])
    case "Mish": (type, inside) = ("Mish", 5)
    case "Tanh": type = "TanH"
    default:
      let given = (
        try constant(node, inputs, 1, "a limit")?.floats.first,
        try constant(node, inputs, 2, "a limit")?.floats.first
      )
      let low = given.0 ?? node.float("min", or: -.greatestFiniteMagnitude)
      let high = given.1 ?? node.float("max", or: .greatestFiniteMagnitude)
      if low == 0 && high >= .greatestFiniteMagnitude {
        (type, inside) = ("ReLU", 1)
      } else {
        (type, inside, numbers) = (
          "Clip", 3, [max(low, -.greatestFiniteMagnitude), min(high, .greatestFiniteMagnitude)]
        )
      }
    }
    guard numbers.allSatisfy(\.isFinite) else { throw unfit(node, "has a number that is not finite") }
    if let inside, let index = changeableConvolution(map) {
      writer.layers[index].parameters[9] = "\(inside)"
      if !numbers.isEmpty {
        writer.layers[index].parameters[-23310] = ([Float(numbers.count)] + numbers).enumerated()
          .map { $0 == 0 ? "\(Int($1))" : "\($1)" }.joined(separator: ",")
      }
      return bind(.map(map), to: node)
    }
    let parameters = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($0, "\($1)") })
    bind(.map(try append(type, node, [map], shape(map), parameters: parameters)), to: node)
  }

  mutating func activateBySlopes(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let map = try map(node, inputs)
    let channels = shape(map).channels
    guard let slopes = try constant(node, inputs, 1, "slopes")?.perChannel(channels) else {
      throw unsupported(node, "does not have one slope for each channel")
    }
    bind(
      .map(try append("PReLU", node, [map], shape(map), parameters: [0: "\(channels)"], numbers: slopes)),
      to: node)
  }
}
