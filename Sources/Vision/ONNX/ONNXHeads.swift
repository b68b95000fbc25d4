import FaceCore

/// Finds the maps in which a detector's graph ends: its outputs, or what they are made of if they are lists.
///
/// It knows the operators that follow maps alone, so that those that compute the maps may be any. It agrees with
/// what `ONNXImporter` makes of graphs whose operators it knows.
struct ONNXHeads {
  private let makers: [String: ONNXNode]
  /// The tensors that depend on the values of the image.
  private let data: Set<String>
  private var known: [String: Tail?] = [:]

  struct Head {
    let tensor: String
    /// Whether a sigmoid follows, somewhere behind the map.
    var hasSigmoid = false
  }

  /// What a tensor that is no longer a map is made of.
  private struct Tail {
    var heads: [Head]
    /// Whether the values of the maps, apart from their sigmoids, were only moved.
    var isMoved = true
  }

  /// Far more operators than follow a map in any detector.
  private static let mostSteps = 256

  /// Operators that only rearrange values.
  private static let layouts: Set<String> = ["Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze"]
  /// Operators that change neither values nor their order.
  private static let copies: Set<String> = [
    "Identity", "Dropout", "Cast", "QuantizeLinear", "DequantizeLinear",
  ]
  private static let arithmetic: Set<String> = ["Add", "Sub", "Mul", "Div", "Sum", "Slice", "Split"]

  init(_ model: ONNXModel) {
    var makers: [String: ONNXNode] = [:]
    var data = Set(model.inputs.map(\.name))
    for node in model.nodes {
      // What is computed from shapes does not depend on values.
      let isData = node.type != "Shape" && node.inputs.contains(where: data.contains)
      for name in node.outputs where !name.isEmpty {
        makers[name] = node
        if isData { data.insert(name) }
      }
    }
    (self.makers, self.data) = (makers, data)
  }

  /// Returns the maps of these outputs, in their order. Throws `failedPrecondition` for an endless graph.
  mutating func heads(of outputs: [String]) throws(Status) -> [Head] {
    var heads: [Head] = []
    for output in outputs where data.contains(output) {
      let parts = try tail(output, 0)?.heads ?? joined(output)
      for head in parts where !heads.contains(where: { $0.tensor == head.tensor }) { heads.append(head) }
    }
    return heads
  }

  /// Returns the maps that an output joins; itself if it is not joined.
  private func joined(_ output: String) -> [Head] {
    var heads: [Head] = []
    var waiting = [output]
    while let tensor = waiting.popLast(), heads.count < ONNXHeads.mostSteps {
      if let maker = makers[tensor], maker.type == "Concat" {
        waiting += maker.inputs.reversed()
      } else {
        heads.append(Head(tensor: tensor))
      }
    }
    return heads
  }

  /// Whether a map's values are results of a sigmoid.
  func isProbability(_ tensor: String) -> Bool {
    var tensor = tensor
    for _ in 0..<ONNXHeads.mostSteps {
      guard let maker = makers[tensor] else { return false }
      if maker.type == "Sigmoid" { return true }
      guard ONNXHeads.copies.contains(maker.type) || maker.type == "Clip", let input = maker.inputs.first
      else {
        return false
      }
      tensor = input
    }
    return false
  }

  /// Returns what a tensor is made of if it is no longer a map; `nil` if it is one, or not known to be none.
  private mutating func tail(_ tensor: String, _ depth: Int) throws(Status) -> Tail? {
    if let tail = known[tensor] { return tail }
    guard depth < ONNXHeads.mostSteps else {
      throw Status(
        .failedPrecondition,
        "more than \(ONNXHeads.mostSteps) operators follow the maps of the ONNX file's network; give a face detector"
      )
    }
    guard let maker = makers[tensor], maker.domain.isEmpty else { return nil }
    let tail = try tail(maker, depth + 1)
    known[tensor] = .some(tail)
    return tail
  }

  private mutating func tail(_ maker: ONNXNode, _ depth: Int) throws(Status) -> Tail? {
    let inputs = maker.inputs.filter(data.contains)
    guard let first = inputs.first else { return nil }
    switch maker.type {
    case let type where ONNXHeads.layouts.contains(type):
      return try tail(first, depth) ?? Tail(heads: [Head(tensor: first)])
    case let type where ONNXHeads.copies.contains(type): return try tail(first, depth)
    case "Sigmoid":
      guard var tail = try tail(first, depth) else { return nil }
      guard tail.isMoved, tail.heads.allSatisfy({ !$0.hasSigmoid }) else { return decoded(tail.heads) }
      for index in tail.heads.indices { tail.heads[index].hasSigmoid = true }
      return tail
    case "Concat": return try merged(inputs, depth)
    case let type where ONNXHeads.arithmetic.contains(type) || ONNXImporter.decoders.contains(type):
      return decoded(try merged(inputs, depth)?.heads)
    default: return nil
    }
  }

  /// Returns what several tensors are made of; `nil` if all of them are maps.
  private mutating func merged(_ inputs: [String], _ depth: Int) throws(Status) -> Tail? {
    var (all, isList) = (Tail(heads: []), false)
    for input in inputs {
      let tail = try tail(input, depth)
      isList = isList || tail != nil
      all.isMoved = all.isMoved && tail?.isMoved != false
      for head in tail?.heads ?? [Head(tensor: input)]
      where !all.heads.contains(where: { $0.tensor == head.tensor }) { all.heads.append(head) }
    }
    return isList ? all : nil
  }

  private func decoded(_ heads: [Head]?) -> Tail? {
    heads.map { heads in Tail(heads: heads.map { Head(tensor: $0.tensor) }, isMoved: false) }
  }
}
