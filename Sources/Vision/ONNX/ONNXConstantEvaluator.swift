/// Evaluates nodes whose inputs are constants: the part of ONNX with which the sizes of maps are computed.
/// Source: ONNX, "Operator Schemas".
struct ONNXConstantEvaluator {
  let node: ONNXNode
  /// The inputs; `nil` for one that is omitted.
  let inputs: [ONNXConstant?]

  /// Far above the length of any list of sizes.
  private static let maxCount = 4096

  /// Returns the result; `nil` if the operator is not supported here.
  func result() -> ONNXConstant? {
    if node.type == "Constant" { return given }
    guard let first = inputs.first ?? nil else { return nil }
    switch node.type {
    case "Identity", "Dropout": return first
    case "Cast": return cast(first)
    case "Reshape", "Flatten", "Squeeze", "Unsqueeze": return reshaped(first)
    case "Gather": return gathered(first)
    case "Slice": return sliced(first)
    case "Concat": return joined()
    case "ConstantOfShape": return filled(first)
    case "Add", "Sub", "Mul", "Div": return combined(first)
    case "Floor", "Ceil", "Round": return rounded(first)
    default: return nil
    }
  }

  /// The node's constant, except a tensor attribute, which needs the file.
  private var given: ONNXConstant? {
    switch node.attributes.first?.value {
    case .integer(let value): ONNXConstant([], .integers([value]))
    case .float(let value): ONNXConstant([], .floats([value]))
    case .integers(let values): ONNXConstant([values.count], .integers(values))
    case .floats(let values): ONNXConstant([values.count], .floats(values))
    default: nil
    }
  }

  private func input(_ index: Int) -> ONNXConstant? { index < inputs.count ? inputs[index] : nil }

  private func cast(_ value: ONNXConstant) -> ONNXConstant? {
    switch node.integer("to", or: 1) {
    case 1, 10, 11, 16: return ONNXConstant(value.dimensions, .floats(value.floats))
    case 2, 3, 5, 6, 7, 12, 13:
      if value.integers != nil { return value }
      let whole = value.floats.map { Int(exactly: $0.rounded(.towardZero)) }
      guard whole.allSatisfy({ $0 != nil }) else { return nil }
      return ONNXConstant(value.dimensions, .integers(whole.compactMap { $0 }))
    default: return nil
    }
  }

  private func reshaped(_ value: ONNXConstant) -> ONNXConstant? {
    var shape: [Int]?
    switch node.type {
    case "Reshape":
      guard let wanted = input(1)?.integers else { return nil }
      shape = ONNXShape.resolve(
        wanted, of: value.dimensions, zeroCopies: node.integer("allowzero", or: 0) == 0)
    case "Squeeze":
      let axes = node.integers("axes") ?? input(1)?.integers
      let places = axes.map { $0.map { $0 < 0 ? $0 &+ value.dimensions.count : $0 } }
      shape = value.dimensions.enumerated().filter { index, size in
        places.map { !$0.contains(index) } ?? (size != 1)
      }.map(\.element)
    case "Unsqueeze":
      guard let axes = node.integers("axes") ?? input(1)?.integers else { return nil }
      let rank = value.dimensions.count + axes.count
      guard rank <= 8 else { return nil }
      let places = Set(axes.map { $0 < 0 ? $0 &+ rank : $0 })
      var rest = value.dimensions[...]
      shape = (0..<rank).map { places.contains($0) ? 1 : rest.popFirst() ?? 1 }
    default: shape = nil
    }
    return shape.flatMap { ONNXConstant($0, value.values) }
  }

  /// Returns the values at some indices of a list.
  private func gathered(_ list: ONNXConstant) -> ONNXConstant? {
    guard list.dimensions.count == 1, node.integer("axis", or: 0) == 0, let places = input(1),
      let indices = places.integers, indices.count <= ONNXConstantEvaluator.maxCount
    else { return nil }
    let count = list.count
    let inside = indices.map { $0 < 0 ? $0 &+ count : $0 }
    guard inside.allSatisfy({ (0..<count).contains($0) }) else { return nil }
    return list.picked(inside).flatMap { ONNXConstant(places.dimensions, $0) }
  }

  private func sliced(_ list: ONNXConstant) -> ONNXConstant? {
    guard list.dimensions.count == 1, let slice = ONNXSlice(node, inputs), slice.axes.count == 1,
      [0, -1].contains(slice.axes[0]), slice.steps == [1],
      let range = slice.range(0, of: list.count)
    else { return nil }
    return list.picked(Array(range)).flatMap { ONNXConstant([range.count], $0) }
  }

  private func joined() -> ONNXConstant? {
    let parts = inputs.compactMap { $0 }
    guard parts.count == inputs.count, parts.allSatisfy({ $0.dimensions.count == 1 }),
      parts.reduce(0, { $0 + $1.count }) <= ONNXConstantEvaluator.maxCount
    else { return nil }
    let count = parts.reduce(0) { $0 + $1.count }
    let integers = parts.compactMap(\.integers)
    return ONNXConstant(
      [count],
      integers.count == parts.count ? .integers(integers.flatMap { $0 }) : .floats(parts.flatMap(\.floats)))
  }

  private func filled(_ shape: ONNXConstant) -> ONNXConstant? {
    // An attribute would be the value as a tensor, which is not read here.
    guard node.attributes.isEmpty, let shape = shape.integers,
      shape.allSatisfy({ (0...ONNXConstantEvaluator.maxCount).contains($0) }), shape.count <= 1
    else { return nil }
    return ONNXConstant(shape, .floats(Array(repeating: 0, count: shape.first ?? 1)))
  }

  private func combined(_ one: ONNXConstant) -> ONNXConstant? {
    guard let other = input(1), one.count == 1 || other.count == 1 || one.dimensions == other.dimensions,
      case let count = max(one.count, other.count), count <= ONNXConstantEvaluator.maxCount,
      min(one.count, other.count) > 0
    else { return nil }
    let dimensions = one.count == count && one.dimensions.count >= other.dimensions.count ? one : other
    let pairs = (0..<count).map { (one.count == 1 ? 0 : $0, other.count == 1 ? 0 : $0) }
    let values: ONNXConstant.Values
    if let left = one.integers, let right = other.integers {
      let results = pairs.map { combined(left[$0.0], right[$0.1]) }
      guard results.allSatisfy({ $0 != nil }) else { return nil }
      values = .integers(results.compactMap { $0 })
    } else {
      let (left, right) = (one.floats, other.floats)
      values = .floats(pairs.map { combined(left[$0.0], right[$0.1]) })
    }
    return ONNXConstant(dimensions.dimensions, values)
  }

  private func combined(_ left: Int, _ right: Int) -> Int? {
    let (value, overflow) =
      switch node.type {
      case "Add": left.addingReportingOverflow(right)
      case "Sub": left.subtractingReportingOverflow(right)
      case "Mul": left.multipliedReportingOverflow(by: right)
      default: left.dividedReportingOverflow(by: right)
      }
    return overflow ? nil : value
  }

  private func combined(_ left: Float, _ right: Float) -> Float {
    switch node.type {
    case "Add": left + right
    case "Sub": left - right
    case "Mul": left * right
    default: left / right
    }
  }

  private func rounded(_ value: ONNXConstant) -> ONNXConstant? {
    guard value.integers == nil, value.count <= ONNXConstantEvaluator.maxCount else { return nil }
    let rule: FloatingPointRoundingRule =
      switch node.type {
      case "Floor": .down
      case "Ceil": .up
      default: .toNearestOrEven
      }
    return ONNXConstant(value.dimensions, .floats(value.floats.map { $0.rounded(rule) }))
  }
}

extension ONNXConstant {
  /// Returns the values at these indices, which must be valid.
  fileprivate func picked(_ places: [Int]) -> Values? {
    switch values {
    case .floats(let values): .floats(places.map { values[$0] })
    case .integers(let values): .integers(places.map { values[$0] })
    }
  }
}
