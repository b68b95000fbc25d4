/// A tensor whose values are known while a network is imported: weights, and the sizes that a graph computes.
struct ONNXConstant {
  enum Values {
    case floats([Float])
    case integers([Int])

    var count: Int {
      switch self {
      case .floats(let values): values.count
      case .integers(let values): values.count
      }
    }
  }

  let dimensions: [Int]
  let values: Values

  /// `nil` if the shape does not match the number of values.
  init?(_ dimensions: [Int], _ values: Values) {
    guard ONNXConstant.count(dimensions) == values.count else { return nil }
    self.dimensions = dimensions
    self.values = values
  }

  init(_ integers: [Int]) {
    dimensions = [integers.count]
    values = .integers(integers)
  }

  var count: Int { values.count }

  var floats: [Float] {
    switch values {
    case .floats(let values): values
    case .integers(let values): values.map { Float($0) }
    }
  }

  var integers: [Int]? {
    if case .integers(let values) = values { values } else { nil }
  }

  /// Returns one value per channel, if this has one for each channel of a map or one for all.
  func perChannel(_ channels: Int) -> [Float]? {
    if count == 1 { return Array(repeating: floats[0], count: channels) }
    let shape = Array(repeating: 1, count: max(0, 4 - dimensions.count)) + dimensions
    return shape == [1, channels, 1, 1] ? floats : nil
  }

  /// Returns `nil` for a negative dimension or a product that is too large.
  private static func count(_ dimensions: [Int]) -> Int? {
    var count = 1
    for dimension in dimensions {
      let (product, overflow) = count.multipliedReportingOverflow(by: dimension)
      guard dimension >= 0, !overflow else { return nil }
      count = product
    }
    return count
  }
}

/// Resolves the shapes of Reshape.
enum ONNXShape {
  /// Returns the shape that `wanted` stands for: 0 copies a dimension, -1 is the remaining size. `nil` if
  /// that is impossible.
  static func resolve(_ wanted: [Int], of shape: [Int], zeroCopies: Bool = true) -> [Int]? {
    guard wanted.count <= 8, shape.count <= 8 else { return nil }
    var resolved: [Int] = []
    for (index, size) in wanted.enumerated() {
      guard size == 0 && zeroCopies else {
        resolved.append(size)
        continue
      }
      guard index < shape.count else { return nil }
      resolved.append(shape[index])
    }
    guard let total = product(shape), let known = product(resolved.filter { $0 != -1 }) else { return nil }
    guard let open = resolved.firstIndex(of: -1) else { return known == total ? resolved : nil }
    guard resolved.filter({ $0 == -1 }).count == 1, known > 0, total.isMultiple(of: known) else { return nil }
    resolved[open] = total / known
    return resolved
  }

  private static func product(_ shape: [Int]) -> Int? {
    var product = 1
    for size in shape {
      guard (0...1 << 20).contains(size) else { return nil }
      let (next, overflow) = product.multipliedReportingOverflow(by: size)
      guard !overflow else { return nil }
      product = next
    }
    return product
  }
}

/// The ranges of a Slice, from its attributes or, since version 10, its inputs.
struct ONNXSlice {
  let axes: [Int]
  let steps: [Int]
  private let starts: [Int]
  private let ends: [Int]

  /// `nil` if they are unknown or invalid.
  init?(_ node: ONNXNode, _ inputs: [ONNXConstant?]) {
    func list(_ name: String, _ index: Int) -> [Int]? {
      node.integers(name) ?? (index < inputs.count ? inputs[index]?.integers : nil)
    }
    guard let starts = list("starts", 1), let ends = list("ends", 2) else { return nil }
    self.starts = starts
    self.ends = ends
    // An input is given but unknown.
    for index in 3..<max(3, inputs.count) where inputs[index] == nil && !node.inputs[index].isEmpty {
      return nil
    }
    axes = list("axes", 3) ?? Array(starts.indices)
    steps = list("steps", 4) ?? Array(repeating: 1, count: starts.count)
    guard ends.count == starts.count, axes.count == starts.count, steps.count == starts.count else {
      return nil
    }
  }

  /// Returns the range of the slice at `index` of `size` values, with a step of one.
  func range(_ index: Int, of size: Int) -> Range<Int>? {
    func place(_ value: Int) -> Int { min(max(value < 0 ? value &+ size : value, 0), size) }
    let (start, end) = (place(starts[index]), place(ends[index]))
    return start < end ? start..<end : nil
  }
}
