import FaceCore

/// An ONNX file: the nodes of its graph, its inputs, outputs and weights.
/// Source: ONNX, "Open Neural Network Exchange Intermediate Representation" and onnx.proto.
struct ONNXModel {
  /// The version of the standard operators.
  private(set) var operatorSet = 0
  private(set) var nodes: [ONNXNode] = []
  private(set) var initializers: [String: ONNXTensor] = [:]
  /// The inputs of the network, without weights that are listed among them.
  private(set) var inputs: [ONNXInput] = []
  private(set) var outputs: [String] = []

  /// The most nodes: far above any face network.
  private static let maxNodes = 65_536

  /// Throws `failedPrecondition`, with the fault, for a file that is not ONNX, is damaged, or keeps its
  /// weights elsewhere.
  init(_ bytes: [UInt8]) throws(Status) {
    var graph: Range<Int>?
    var reader = ProtobufReader(bytes, in: bytes.indices)
    while let field = try reader.next() {
      switch field.number {
      case 7: graph = try field.value.range()
      case 8: try readOperatorSet(bytes, in: field.value.range())
      default: break
      }
    }
    guard let graph, operatorSet > 0 else {
      throw Status(
        .failedPrecondition,
        "the file has no ONNX graph; give the .onnx file of a face detector, fetch it again")
    }
    try readGraph(bytes, in: graph)
  }

  private mutating func readOperatorSet(_ bytes: [UInt8], in range: Range<Int>) throws(Status) {
    var (domain, version) = ("", 0)
    var reader = ProtobufReader(bytes, in: range)
    while let field = try reader.next() {
      switch field.number {
      case 1: domain = try field.value.text(in: bytes)
      case 2: version = try field.value.integer()
      default: break
      }
    }
    if ONNXNode.standardDomains.contains(domain) { operatorSet = version }
  }

  private mutating func readGraph(_ bytes: [UInt8], in range: Range<Int>) throws(Status) {
    var reader = ProtobufReader(bytes, in: range)
    while let field = try reader.next() {
      switch field.number {
      case 1: nodes.append(try ONNXNode(bytes, in: field.value.range()))
      case 5:
        let tensor = try ONNXTensor(bytes, in: field.value.range())
        initializers[tensor.name] = tensor
      case 11: inputs.append(try ONNXInput(bytes, in: field.value.range()))
      case 12: outputs.append(try ONNXInput(bytes, in: field.value.range()).name)
      case 15:
        throw Status(
          .unimplemented,
          "the ONNX file has sparse weights, which this engine does not read; save it with dense ones"
        )
      default: break
      }
      guard nodes.count <= ONNXModel.maxNodes else {
        throw Status(
          .failedPrecondition, "the ONNX file has more than \(ONNXModel.maxNodes) nodes; give a face detector"
        )
      }
    }
    inputs.removeAll { initializers[$0.name] != nil }
  }
}

/// An input of a graph.
struct ONNXInput {
  private(set) var name = ""
  /// The dimensions; `nil` if the file does not specify them; 0 for a dimension of any size.
  private(set) var dimensions: [Int]?
  /// onnx.proto's number of the type of its values; 1, floats, if the file does not specify it.
  private(set) var type = 1

  init(_ bytes: [UInt8], in range: Range<Int>) throws(Status) {
    var reader = ProtobufReader(bytes, in: range)
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.value.text(in: bytes)
      case 2:
        for tensor in try bytes.fields(1, in: field.value.range()) {
          try readTensor(bytes, in: tensor.range())
        }
      default: break
      }
    }
  }

  private mutating func readTensor(_ bytes: [UInt8], in range: Range<Int>) throws(Status) {
    type = try bytes.fields(1, in: range).last?.integer() ?? type
    for shape in try bytes.fields(2, in: range) {
      dimensions = try bytes.fields(1, in: shape.range()).map { (dimension) throws(Status) in
        max(0, try bytes.fields(1, in: dimension.range()).last?.integer() ?? 0)
      }
    }
  }
}

/// An operator with its inputs and outputs.
struct ONNXNode {
  private(set) var type = ""
  /// The domain; empty for the standard operators.
  private(set) var domain = ""
  private(set) var name = ""
  /// The inputs; empty names stand for omitted ones.
  private(set) var inputs: [String] = []
  private(set) var outputs: [String] = []
  private(set) var attributes: [String: ONNXAttribute] = [:]

  static let standardDomains: Set<String> = ["", "ai.onnx"]

  init(_ bytes: [UInt8], in range: Range<Int>) throws(Status) {
    var reader = ProtobufReader(bytes, in: range)
    while let field = try reader.next() {
      switch field.number {
      case 1: inputs.append(try field.value.text(in: bytes))
      case 2: outputs.append(try field.value.text(in: bytes))
      case 3: name = try field.value.text(in: bytes)
      case 4: type = try field.value.text(in: bytes)
      case 5:
        let (name, attribute) = try ONNXAttribute.read(bytes, in: field.value.range())
        attributes[name] = attribute
      case 7: domain = try field.value.text(in: bytes)
      default: break
      }
    }
    if ONNXNode.standardDomains.contains(domain) { domain = "" }
  }

  func integer(_ name: String, or fallback: Int) -> Int {
    if case .integer(let value) = attributes[name] { value } else { fallback }
  }

  func float(_ name: String, or fallback: Float) -> Float {
    if case .float(let value) = attributes[name] { value } else { fallback }
  }

  func text(_ name: String, or fallback: String) -> String {
    if case .text(let value) = attributes[name] { value } else { fallback }
  }

  func integers(_ name: String) -> [Int]? {
    if case .integers(let values) = attributes[name] { values } else { nil }
  }

  func floats(_ name: String) -> [Float]? {
    if case .floats(let values) = attributes[name] { values } else { nil }
  }
}

enum ONNXAttribute {
  case integer(Int)
  case float(Float)
  case text(String)
  case integers([Int])
  case floats([Float])
  case tensor(ONNXTensor)
  /// A graph, or a list of other kinds.
  case other

  /// onnx.proto's numbers of the supported kinds.
  private enum Kind: Int { case float = 1, integer, text, tensor, graph, floats, integers }

  static func read(_ bytes: [UInt8], in range: Range<Int>) throws(Status) -> (String, ONNXAttribute) {
    var name = ""
    var kind: Int?
    var seen: Kind?
    var (number, float, text): (Int, Float, String) = (0, 0, "")
    var (integers, floats): ([Int], [Float]) = ([], [])
    var tensor: ONNXTensor?
    var reader = ProtobufReader(bytes, in: range)
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.value.text(in: bytes)
      case 2: (float, seen) = (try field.value.floats(in: bytes).last ?? 0, .float)
      case 3: (number, seen) = (try field.value.integer(), .integer)
      case 4: (text, seen) = (try field.value.text(in: bytes), .text)
      case 5: (tensor, seen) = (try ONNXTensor(bytes, in: field.value.range()), .tensor)
      case 6: seen = .graph
      case 7:
        floats += try field.value.floats(in: bytes)
        seen = .floats
      case 8:
        integers += try field.value.integers(in: bytes)
        seen = .integers
      case 20: kind = try field.value.integer()
      default: break
      }
    }
    // The oldest files do not specify the kind.
    switch kind.map(Kind.init) ?? seen {
    case .float: return (name, .float(float))
    case .integer: return (name, .integer(number))
    case .text: return (name, .text(text))
    case .floats: return (name, .floats(floats))
    case .integers: return (name, .integers(integers))
    case .tensor:
      guard let tensor else { throw ProtobufReader.damaged }
      return (name, .tensor(tensor))
    default: return (name, .other)
    }
  }
}
