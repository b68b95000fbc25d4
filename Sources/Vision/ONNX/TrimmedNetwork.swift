public import FaceCore

/// An ONNX file cut to what an engine for such files has to run: from the image as the first layers take it to the
/// maps of a detector's heads. The image may have any size, whatever the file says.
public struct TrimmedNetwork: Sendable {
  public struct Output: Equatable, Sendable {
    public let name: String
    /// Whether its values are results of a sigmoid.
    public let isProbability: Bool
  }

  /// The changed file.
  public let file: [UInt8]
  /// The only input: 1 × 3 × height × width floats.
  public let input: String
  /// The maps in which the network ends, in the order of the file's outputs.
  public let outputs: [Output]
  /// The size of the image that the file names.
  public let size: PixelSize?
  /// As in `ImportedNetwork`.
  public let normalisation: InputNormalisation?

  /// Throws `failedPrecondition` for a file that is damaged, no detector or without its weights, and `unimplemented`
  /// for one that takes or normalises the image in a way that this engine does not know. The layers may be any.
  public init(_ file: [UInt8]) throws(Status) {
    let model = try ONNXModel(file)
    var ends = ONNXHeads(model)
    let heads = try ends.heads(of: model.outputs)
    let parts = TrimmedNetwork.parts(of: model, for: heads.map(\.tensor), from: nil)
    var importer = ONNXImporter(file: file, model: model)
    let image = try importer.imageTaken(by: parts.nodes.map { model.nodes[$0] })
    guard !heads.isEmpty, !heads.contains(where: { $0.tensor == image.name }) else {
      throw Status(
        .failedPrecondition,
        "the ONNX file's network has no output that it computes from the image; give a face detector")
    }
    normalisation = try ONNXImporter.normalisation(image.image)
    size = importer.fixedSize
    input = "face_engine.image"
    outputs = heads.indices.map { index in
      Output(
        name: "face_engine.output\(index)",
        isProbability: heads[index].hasSigmoid || ends.isProbability(heads[index].tensor))
    }
    let kept = TrimmedNetwork.parts(of: model, for: heads.map(\.tensor), from: image.name)
    self.file = try Trimmer(file: file, model: model, kept: kept, image: image, input: input)
      .file(heads: heads, outputs: outputs)
  }

  /// The nodes, by their places, and weights that tensors depend on.
  struct Parts {
    var nodes: [Int] = []
    var tensors: Set<String> = []
  }

  /// - Parameter image: a tensor that is given.
  private static func parts(of model: ONNXModel, for tensors: [String], from image: String?) -> Parts {
    var parts = Parts(tensors: Set(tensors))
    // A graph in a node reads tensors by name which it does not list.
    let hasGraphs = model.nodes.contains { $0.attributes.values.contains { $0.isOther } }
    for (index, node) in model.nodes.enumerated().reversed() {
      let isNeeded = node.outputs.contains { $0 != image && parts.tensors.contains($0) }
      guard isNeeded || hasGraphs && !node.outputs.contains(where: { $0 == image }) else { continue }
      parts.nodes.append(index)
      parts.tensors.formUnion(node.inputs)
    }
    if hasGraphs { parts.tensors.formUnion(model.initializers.keys) }
    parts.nodes.reverse()
    return parts
  }
}

/// Writes the file of a `TrimmedNetwork`.
/// Source: onnx.proto.
private struct Trimmer {
  let file: [UInt8]
  let model: ONNXModel
  let kept: TrimmedNetwork.Parts
  let image: ONNXImporter.TakenTensor
  let input: String

  private static let float = 1

  func file(heads: [ONNXHeads.Head], outputs: [TrimmedNetwork.Output]) throws(Status) -> [UInt8] {
    var writer = ProtobufWriter()
    var graph = ProtobufWriter()
    var reader = ProtobufReader(file, in: file.indices)
    while let field = try reader.next() {
      if field.number == 7 {
        appendImage(to: &graph)
        try appendGraph(field.value.range(), to: &graph)
      } else {
        writer.append(field, of: file)
      }
    }
    for (head, output) in zip(heads, outputs) { append(head, output, to: &graph) }
    writer.append(7, graph.bytes)
    return writer.bytes
  }

  private func appendGraph(_ range: Range<Int>, to graph: inout ProtobufWriter) throws(Status) {
    let nodes = Set(kept.nodes)
    var index = 0
    var reader = ProtobufReader(file, in: range)
    while let field = try reader.next() {
      switch field.number {
      case 1:
        if nodes.contains(index) { graph.append(field, of: file) }
        index += 1
      case 5:
        let tensor = try ONNXTensor(file, in: field.value.range())
        guard kept.tensors.contains(tensor.name) else { continue }
        // Else the library would read a file that the network names.
        try tensor.checkPlace()
        graph.append(field, of: file)
      // The oldest files list weights among the inputs.
      case 11:
        let name = try ONNXInput(file, in: field.value.range()).name
        if model.initializers[name] != nil, kept.tensors.contains(name) { graph.append(field, of: file) }
      // Outputs, and what is known of tensors' sizes.
      case 12, 13: break
      default: graph.append(field, of: file)
      }
    }
  }

  /// Appends the input, and what makes of it the tensor that the layers take.
  private func appendImage(to graph: inout ProtobufWriter) {
    graph.append(11) { info in
      info.append(1, input.utf8)
      info.append(2) { type in
        type.append(1) { tensor in
          tensor.append(1, UInt64(Trimmer.float))
          tensor.append(2) { shape in
            for side in [1, 3] { shape.append(1) { $0.append(1, UInt64(side)) } }
            for side in ["height", "width"] { shape.append(1) { $0.append(2, "face_engine.\(side)".utf8) } }
          }
        }
      }
    }
    appendCast(from: input, to: image.name, type: image.type, to: &graph)
  }

  private func append(
    _ head: ONNXHeads.Head, _ output: TrimmedNetwork.Output, to graph: inout ProtobufWriter
  ) {
    var tensor = head.tensor
    if head.hasSigmoid {
      tensor = "\(output.name).sigmoid"
      appendNode("Sigmoid", from: head.tensor, to: tensor, to: &graph)
    }
    appendCast(from: tensor, to: output.name, type: Trimmer.float, to: &graph)
    graph.append(12) { $0.append(1, output.name.utf8) }
  }

  private func appendCast(from source: String, to result: String, type: Int, to graph: inout ProtobufWriter) {
    appendNode("Cast", from: source, to: result, to: &graph) { node in
      node.append(5) { attribute in
        attribute.append(1, "to".utf8)
        attribute.append(3, UInt64(clamping: type))
        attribute.append(20, 2)
      }
    }
  }

  private func appendNode(
    _ type: String, from source: String, to result: String, to graph: inout ProtobufWriter,
    _ attributes: (inout ProtobufWriter) -> Void = { _ in }
  ) {
    graph.append(1) { node in
      node.append(1, source.utf8)
      node.append(2, result.utf8)
      node.append(3, "\(result).\(type)".utf8)
      node.append(4, type.utf8)
      attributes(&node)
    }
  }
}

extension ONNXAttribute {
  fileprivate var isOther: Bool { if case .other = self { true } else { false } }
}
