public import FaceCore

/// A network that was imported from another format, as ncnn's files.
public struct ImportedNetwork: Sendable {
  /// The graph, as a `.param` file.
  public let graph: [UInt8]
  /// The weights, as a `.bin` file.
  public let weights: [UInt8]
  /// The normalisation of values of 0…255 that the network's own first layers did and that is now left to the
  /// caller: (value − mean) × scale, by channel; `nil` if it has no such layers.
  public let normalisation: InputNormalisation?
}

/// Converts an ONNX file to ncnn's form, which everything after it uses.
///
/// It walks the graph once and remembers what each tensor is: the image, a constant, a map, or a list, which
/// is what maps become at the end of a detector. Batch normalisations, scales and activations become part of
/// the convolution before them. The network ends at the maps that its lists are made from; the detector's
/// family does the rest of the graph.
/// Source of the operators: ONNX, "Operator Schemas".
public struct ONNXImporter {
  let file: [UInt8]
  let model: ONNXModel
  var writer = NcnnGraphWriter()
  var values: [String: ONNXValue] = [:]
  /// The number of uses of each tensor's values, as an output or by nodes that the outputs depend on; 0 for one
  /// whose shape alone is needed.
  private var uses: [String: Int] = [:]
  /// The normalisation of the image as the first layer reads it, and its blob.
  private var takenImage: (image: ONNXImage, map: ONNXMap)?
  private var imageName = ""
  /// The size of the image that the file specifies.
  private(set) var fixedSize: PixelSize?
  private var imageShape = NcnnGraphWriter.Shape(channels: 3, height: 256, width: 256)

  /// The largest size: above any side of a map.
  static let largest = 1 << 14
  /// The most values of one blob.
  private static let mostValues = 1 << 28

  /// Imports a network. Throws `failedPrecondition` for a file that is damaged or not ONNX, and
  /// `unimplemented`, with operator and node, for a network that cannot be expressed.
  /// - Parameter file: any bytes.
  public static func network(_ file: [UInt8]) throws(Status) -> ImportedNetwork {
    var importer = ONNXImporter(file: file, model: try ONNXModel(file))
    return try importer.run()
  }

  init(file: [UInt8], model: ONNXModel) {
    self.file = file
    self.model = model
  }

  private mutating func run() throws(Status) -> ImportedNetwork {
    try declareImage()
    for node in try neededNodes() { try add(node) }
    let ends = try ends()
    let (graph, weights) = writer.files(ends: ends)
    let normalisation = try takenImage.flatMap { (taken) throws(Status) in
      try ONNXImporter.normalisation(taken.image)
    }
    return ImportedNetwork(graph: graph, weights: weights, normalisation: normalisation)
  }

  /// Declares the only input: as large as the file specifies, else 256 × 256.
  mutating func declareImage() throws(Status) {
    guard model.inputs.count == 1, let input = model.inputs.first else {
      throw Status(
        .failedPrecondition,
        "the ONNX file's network takes \(model.inputs.count) inputs and a detector takes one image; give a face detector"
      )
    }
    let shape = input.dimensions ?? [0, 3, 0, 0]
    let isChannelsLast = shape.count == 4 && shape[1] != 3 && shape[3] == 3
    let sides = shape.count == 4 ? (isChannelsLast ? [shape[1], shape[2]] : [shape[2], shape[3]]) : []
    guard sides.count == 2, isChannelsLast || [0, 3].contains(shape[1]),
      sides.allSatisfy({ (0...ONNXImporter.largest).contains($0) })
    else {
      throw Status(
        .failedPrecondition,
        "the ONNX file's network takes \(shape.map { "\($0)" }.joined(separator: "×")) values, and a face detector takes "
          + "an image of three channels; give a face detector")
    }
    if sides[0] > 0 { imageShape.height = sides[0] }
    if sides[1] > 0 { imageShape.width = sides[1] }
    if sides[0] > 0, sides[1] > 0 { fixedSize = PixelSize(width: sides[1], height: sides[0]) }
    imageName = input.name
    values[input.name] = .image(ONNXImage(isChannelsLast: isChannelsLast))
  }

  /// Returns the nodes that the outputs depend on, each after those it reads.
  private mutating func neededNodes() throws(Status) -> [ONNXNode] {
    var given = Set(model.initializers.keys).union(model.inputs.map(\.name))
    for node in model.nodes {
      for name in node.inputs where !name.isEmpty && !given.contains(name) {
        throw unfit(node, "reads \(name.quoted), which no node above it writes")
      }
      for name in node.outputs where !name.isEmpty && !given.insert(name).inserted {
        throw unfit(node, "writes \(name.quoted), which another node or input has already")
      }
    }
    for name in model.outputs { uses[name, default: 0] += 1 }
    var needed: [ONNXNode] = []
    for node in model.nodes.reversed() where node.outputs.contains(where: { uses[$0] != nil }) {
      // Shape reads no values, which may change, such as by an activation that becomes part of a layer.
      let count = node.type == "Shape" ? 0 : 1
      for name in node.inputs where !name.isEmpty { uses[name, default: 0] += count }
      needed.append(node)
    }
    return needed.reversed()
  }

  private mutating func add(_ node: ONNXNode) throws(Status) {
    guard node.domain.isEmpty else {
      throw unsupported(node, "is of the domain \(node.domain.quoted), not one of ONNX's own")
    }
    var inputs: [ONNXValue?] = []
    for name in node.inputs { inputs.append(name.isEmpty ? nil : try value(name)) }
    if let constant = try constant(node, inputs) {
      bind(.constant(constant), to: node)
    } else {
      try addLayer(node, inputs)
    }
  }

  func value(_ name: String) throws(Status) -> ONNXValue? {
    if let known = values[name] { return known }
    // Decoded when it is read, so that unneeded tensors may have any type.
    return try model.initializers[name].map { (tensor) throws(Status) in
      .constant(try tensor.constant(in: file))
    }
  }

  /// Returns the node's result if it depends on constants alone; `nil` if it does something else.
  func constant(_ node: ONNXNode, _ inputs: [ONNXValue?]) throws(Status) -> ONNXConstant? {
    if node.type == "Constant", case .tensor(let tensor) = node.attributes["value"] {
      return try tensor.constant(in: file)
    }
    if node.type == "Shape", let shape = inputs.first.flatMap({ $0 }).flatMap(shape) {
      func place(_ name: String, or fallback: Int) -> Int {
        let place = node.integer(name, or: fallback)
        return min(max(place < 0 ? place &+ shape.count : place, 0), shape.count)
      }
      let (start, end) = (place("start", or: 0), place("end", or: shape.count))
      return ONNXConstant(start < end ? Array(shape[start..<end]) : [])
    }
    let constants = inputs.map { $0?.constant }
    guard zip(inputs, constants).allSatisfy({ $0 == nil || $1 != nil }) else { return nil }
    return ONNXConstantEvaluator(node: node, inputs: constants).result()
  }

  /// Returns the four dimensions of the image or a map, as in a batch of one.
  private func shape(_ value: ONNXValue) -> [Int]? {
    switch value {
    case .image(let image):
      let sides = [imageShape.height, imageShape.width]
      return image.isChannelsLast ? [1] + sides + [3] : [1, 3] + sides
    case .map(let map): return dimensions(map)
    case .constant(let constant): return constant.dimensions
    case .list: return nil
    }
  }

  func dimensions(_ map: ONNXMap) -> [Int] {
    let shape = writer.blobs[map.blob].shape
    return [1, shape.channels, shape.height, shape.width]
  }

  /// Makes `value` the first of the node's outputs, or the one at `index`.
  mutating func bind(_ value: ONNXValue, to node: ONNXNode, _ index: Int = 0) {
    guard index < node.outputs.count, case let name = node.outputs[index], !name.isEmpty else { return }
    let isOnlyUse = uses[name] == 1
    switch value {
    case .map(var map):
      map.isExclusive = map.isExclusive && isOnlyUse
      values[name] = .map(map)
    case .list(var list):
      for index in list.parts.indices where !isOnlyUse { list.parts[index].map.isExclusive = false }
      values[name] = .list(list)
    default: values[name] = value
    }
  }

  func isUsed(_ name: String) -> Bool { uses[name] != nil }

  /// Appends a layer that produces one map. Throws for a map that no face network has.
  mutating func append(
    _ type: String, _ node: ONNXNode, _ inputs: [ONNXMap], _ shape: NcnnGraphWriter.Shape,
    parameters: [Int: String] = [:], weights: [Float]? = nil, numbers: [Float] = []
  ) throws(Status) -> ONNXMap {
    let blob = try append(
      type, node, inputs, shapes: [shape], parameters: parameters, weights: weights, numbers: numbers)
    return ONNXMap(blob: blob, isExclusive: true)
  }

  mutating func append(
    _ type: String, _ node: ONNXNode, _ inputs: [ONNXMap], shapes: [NcnnGraphWriter.Shape],
    parameters: [Int: String] = [:], weights: [Float]? = nil, numbers: [Float] = []
  ) throws(Status) -> Int {
    for shape in shapes {
      let sides = [shape.channels, shape.height, shape.width]
      guard sides.allSatisfy({ (1...ONNXImporter.largest).contains($0) }),
        shape.channels * shape.height * shape.width <= ONNXImporter.mostValues
      else {
        throw unfit(
          node, "gives \(sides.map { "\($0)" }.joined(separator: "×")) values, too many for a face network")
      }
    }
    return writer.append(
      type, node.outputs.first ?? node.name, inputs: inputs.map(\.blob), shapes: shapes,
      parameters: parameters,
      weights: weights, numbers: numbers)
  }

  /// Returns the image as the first layer reads it. Throws if two layers read it differently.
  mutating func map(of image: ONNXImage, for node: ONNXNode) throws(Status) -> ONNXMap {
    guard !image.isChannelsLast else {
      throw unsupported(node, "takes the image with its channels last")
    }
    if let takenImage {
      guard takenImage.image == image else {
        throw unsupported(node, "reads the image normalised differently than a layer above")
      }
      return takenImage.map
    }
    let blob = writer.append("Input", imageName, inputs: [], shapes: [imageShape])
    let map = ONNXMap(blob: blob, isExclusive: false)
    takenImage = (image, map)
    return map
  }

  /// Returns the normalisation that a network did to the image before its first layers took it.
  static func normalisation(_ image: ONNXImage) throws(Status) -> InputNormalisation? {
    guard image != ONNXImage(isChannelsLast: false) else { return nil }
    let normalisation = InputNormalisation(
      mean: zip(image.scale, image.offset).map { 0 - $1 / $0 }, scale: image.scale)
    // Networks are trained on values around 0 or up to 255.
    let seen = zip(image.scale, image.offset).flatMap { [$1, $0 * 255 + $1] }
    guard seen.allSatisfy({ abs($0) <= 300 }), normalisation.mean.allSatisfy(\.isFinite) else {
      throw Status(
        .unimplemented,
        "the ONNX file's network maps 0…255 to \(seen[0])…\(seen[1]) before its first layer, "
          + "so it does not expect pixels from 0 to 255; "
          + "export it without these operators (Sub, Mul, Add, Div)")
    }
    return normalisation
  }

  /// Returns the maps that the outputs are, or are made from.
  private mutating func ends() throws(Status) -> [Int] {
    var ends: [Int] = []
    for name in model.outputs {
      var parts: [ONNXList.Part] = []
      switch try value(name) {
      case .map(let map): parts = [ONNXList.Part(map: map)]
      case .list(let list): parts = list.parts
      case .image, .constant, nil: break
      }
      for part in parts {
        let blob = try part.hasSigmoid ? sigmoid(of: part.map, named: name).blob : part.map.blob
        if !ends.contains(blob) { ends.append(blob) }
      }
    }
    guard !ends.isEmpty, takenImage != nil else {
      throw Status(
        .failedPrecondition,
        "the ONNX file's network has no output that it computes from the image; give a face detector")
    }
    return ends
  }

  // Errors.

  static func words(_ node: ONNXNode) -> String {
    "the ONNX operator \(node.type)" + (node.name.isEmpty ? "" : " (node \(node.name.quoted))")
  }

  /// Returns the error for valid ONNX that cannot be run here.
  func unsupported(_ node: ONNXNode, _ why: String) -> Status {
    Status(.unimplemented, "\(ONNXImporter.words(node)) \(why); \(ONNXImporter.advice)")
  }

  static let advice =
    "run it with --engine onnxruntime (docs/plug-ins.md), export the network without that operator, or convert the file to "
    + ".param and .bin with pnnx, ncnn's converter"

  /// Returns the error for an invalid node.
  func unfit(_ node: ONNXNode, _ why: String) -> Status {
    Status(
      .failedPrecondition, "\(ONNXImporter.words(node)) \(why); the ONNX file is damaged, fetch it again")
  }
}

extension ONNXValue {
  var constant: ONNXConstant? {
    if case .constant(let constant) = self { constant } else { nil }
  }
}
