import FaceCore

/// Imports arithmetic of maps, the image and constants.
extension ONNXImporter {
  mutating func combine(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) {
    let values = inputs.compactMap { $0 }
    guard values.count == inputs.count, let first = values.first, values.count == 2 || node.type == "Sum"
    else {
      throw unfit(node, "does not have two inputs")
    }
    guard !values.contains(where: \.isList), values.contains(where: \.isSpatial) else {
      return decode(node, inputs)
    }
    var result = first
    for next in values.dropFirst() {
      guard let combined = try combined(node, result, next) else { return decode(node, inputs) }
      result = combined
    }
    bind(result, to: node)
  }

  /// Returns `nil` for a constant that has a different value for each cell of a map, as in decoders.
  private mutating func combined(
    _ node: ONNXNode, _ one: ONNXValue, _ other: ONNXValue
  ) throws(Status) -> ONNXValue? {
    switch (one, other) {
    case (.constant(let numbers), .constant(let others)):
      throw unsupported(
        node, "takes \(numbers.count) and \(others.count) constants, which this engine does not combine")
    case (let value, .constant(let numbers)): return try scaled(node, value, numbers, isFirst: false)
    case (.constant(let numbers), let value): return try scaled(node, value, numbers, isFirst: true)
    default:
      let inputs: [ONNXValue?] = [one, other]
      return .map(try combined(node, try map(node, inputs, 0), try map(node, inputs, 1)))
    }
  }

  /// Returns a map or the image combined with constants.
  /// - Parameter isFirst: whether the constants are the first operand.
  private mutating func scaled(
    _ node: ONNXNode, _ value: ONNXValue, _ numbers: ONNXConstant, isFirst: Bool
  ) throws(Status) -> ONNXValue? {
    var channels = 3
    if case .map(let map) = value { channels = shape(map).channels }
    guard let numbers = numbers.perChannel(channels), !(isFirst && node.type == "Div") else {
      guard value.isImage else { return nil }
      throw unsupported(node, "combines the image with values other than one number for each channel")
    }
    var (scale, offset) = (
      Array(repeating: Float(1), count: channels), Array(repeating: Float(0), count: channels)
    )
    switch (node.type, isFirst) {
    case ("Sub", true): (scale, offset) = (scale.map { -$0 }, numbers)
    case ("Sub", false): offset = numbers.map { -$0 }
    case ("Mul", _): scale = numbers
    case ("Div", _): scale = numbers.map { 1 / $0 }
    default: offset = numbers
    }
    guard (scale + offset).allSatisfy(\.isFinite) else {
      throw unfit(node, "divides by zero, or has a number that is not finite")
    }
    if case .image(var image) = value {
      image.scale = zip(image.scale, scale).map { $0 * $1 }
      image.offset = zip(image.offset, zip(scale, offset)).map { $0 * $1.0 + $1.1 }
      return .image(image)
    }
    return .map(try scaled(node, try map(node, [value]), scale, offset))
  }

  private mutating func combined(_ node: ONNXNode, _ one: ONNXMap, _ other: ONNXMap) throws(Status) -> ONNXMap {
    if node.type == "Mul", let swish = swish(one, other) ?? swish(other, one) { return swish }
    let (shape, otherShape) = (shape(one), shape(other))
    let operation =
      switch node.type {
      case "Sub": 1
      case "Mul": 2
      case "Div": 3
      default: 0
      }
    if shape == otherShape {
      return try append("BinaryOp", node, [one, other], shape, parameters: [0: "\(operation)"])
    }
    // One value for each channel of a map.
    func isOneEach(_ few: NcnnGraphWriter.Shape, _ many: NcnnGraphWriter.Shape) -> Bool {
      few.channels == many.channels && few.height == 1 && few.width == 1
    }
    if isOneEach(otherShape, shape) {
      return try append("BinaryOp", node, [one, other], shape, parameters: [0: "\(operation)"])
    }
    guard isOneEach(shape, otherShape), operation == 0 || operation == 2 else {
      throw unsupported(
        node, "takes maps of \(describe(shape)) and \(describe(otherShape)), which do not fit each other")
    }
    return try append("BinaryOp", node, [other, one], otherShape, parameters: [0: "\(operation)"])
  }

  /// Returns a map times its own sigmoid, as one layer.
  private mutating func swish(_ map: ONNXMap, _ gate: ONNXMap) -> ONNXMap? {
    let index = writer.blobs[gate.blob].layer
    guard gate.isExclusive, writer.layers[index].type == "Sigmoid", writer.layers[index].inputs == [map.blob]
    else {
      return nil
    }
    writer.layers[index].type = "Swish"
    return gate
  }

  private func describe(_ shape: NcnnGraphWriter.Shape) -> String {
    "\(shape.channels)×\(shape.height)×\(shape.width)"
  }
}

extension ONNXValue {
  var isImage: Bool { if case .image = self { true } else { false } }
}
