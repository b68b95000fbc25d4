import FaceCore

extension ONNXImporter {
  /// The tensor in which the first layers take the image.
  struct TakenTensor {
    let name: String
    let image: ONNXImage
    /// onnx.proto's number of the type of its values.
    let type: Int
  }

  /// Operators that make another form of the image.
  private static let imageOperators: Set<String> = [
    "Transpose", "Identity", "Dropout", "Cast", "Add", "Sub", "Mul", "Div", "Sum",
  ]

  /// Returns the tensor in which these nodes take the image, after operators that only normalise or rearrange it.
  /// Throws `unimplemented` if they take several.
  mutating func imageTaken(by nodes: [ONNXNode]) throws(Status) -> TakenTensor {
    try declareImage()
    var types = [model.inputs[0].name: model.inputs[0].type]
    var taken: [String] = []
    for node in nodes {
      guard let inputs = knownInputs(of: node) else {
        taken += node.inputs.filter { values[$0]?.isImage == true }
        continue
      }
      if let constant = try? constant(node, inputs) { bind(.constant(constant), to: node) }
      guard let source = node.inputs.first(where: { values[$0]?.isImage == true }) else { continue }
      // What cannot be expressed is left to the network.
      if ONNXImporter.imageOperators.contains(node.type), node.domain.isEmpty { try? addLayer(node, inputs) }
      guard let result = node.outputs.first, values[result]?.isImage == true else {
        taken.append(source)
        continue
      }
      types[result] = node.type == "Cast" ? node.integer("to", or: 1) : types[source]
    }
    guard let name = taken.first, case .image(let image)? = values[name], !image.isChannelsLast,
      taken.allSatisfy({ $0 == name })
    else {
      throw Status(
        .unimplemented,
        "the ONNX file's network must take the image as it is, with its channels first; export it that way")
    }
    return TakenTensor(name: name, image: image, type: types[name] ?? 1)
  }

  /// The values of a node's inputs; `nil` if one is the result of a layer.
  private func knownInputs(of node: ONNXNode) -> [ONNXValue?]? {
    var inputs: [ONNXValue?] = []
    for name in node.inputs {
      guard !name.isEmpty else {
        inputs.append(nil)
        continue
      }
      guard let value = try? value(name) else { return nil }
      inputs.append(value)
    }
    return inputs
  }
}
