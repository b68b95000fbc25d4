import CallerOptions
import FaceCore
import GatewayCoding
import NIOCore
import ResultJSON

extension InferenceCall {
  /// Reads a `ModelInferRequest`.
  init(decoding message: ByteBuffer) throws(Status) {
    self.init(model: "", version: "", id: "", parameters: [], inputs: [], outputs: [])
    var raw: [ByteBuffer] = []
    var typed: [ByteBuffer?] = []
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      guard let bytes = field.value.bytes else { continue }
      let most = max(parameters.count, inputs.count, outputs.count, raw.count)
      guard most < Self.maxParts || ![4, 5, 6, 7].contains(field.number) else { throw Self.tooMany }
      switch field.number {
      case 1: model = String(buffer: bytes)
      case 2: version = String(buffer: bytes)
      case 3: id = String(buffer: bytes)
      case 4: if let parameter = try Self.parameter(bytes) { parameters.append(parameter) }
      case 5:
        let (tensor, contents) = try Self.input(bytes)
        inputs.append(tensor)
        typed.append(contents)
      case 6: outputs.append(try Self.output(bytes))
      case 7: raw.append(bytes)
      default: continue
      }
    }
    guard raw.isEmpty || raw.count == inputs.count else {
      throw Status(
        .invalidArgument, "there are \(inputs.count) inputs and \(raw.count) raw contents; send one for each")
    }
    for index in inputs.indices {
      inputs[index].contents =
        raw.isEmpty
        ? try Self.contents(typed[index] ?? ByteBuffer(), inputs[index].datatype)
        : try Tensor.contents(raw: raw[index], inputs[index].datatype)
    }
  }

  /// The most parameters, inputs, outputs and raw contents, each, and of the sides of a shape: more than any request
  /// has.
  private static let maxParts = InferenceModel.maxPictures

  private static let tooMany = Status(
    .invalidArgument,
    "the request has more than \(maxParts) parameters, inputs, outputs, raw contents or sides of a shape; "
      + "give one input, and its pictures as elements", .limit("batch_images"))

  private static func output(_ bytes: ByteBuffer) throws(Status) -> String {
    var name = ""
    var parameters: [String] = []
    var reader = ProtobufReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .bytes(let text)): name = String(buffer: text)
      case (2, .bytes(let entry)): parameters.append(try key(entry))
      default: continue
      }
      guard parameters.count <= maxParts else { throw tooMany }
    }
    for parameter in parameters { try requireKnown(parameter, of: "output", name) }
    return name
  }

  /// The key of a map's entry.
  private static func key(_ entry: ByteBuffer) throws(Status) -> String {
    try ProtobufReader.fields(of: entry)[1]?.text ?? ""
  }

  /// Throws `unimplemented` for a parameter of a tensor that says where its contents are, or what they are.
  ///
  /// - Parameter kind: "input" or "output".
  static func requireKnown(_ parameter: String, of kind: String, _ name: String) throws(Status) {
    if parameter.hasPrefix("shared_memory_") {
      throw Status(
        .unimplemented,
        "the \(kind) \(JSON.string(name)) is in shared memory (\(parameter)), which the gateway does not map; "
          + (kind == "input"
            ? "send its contents in the request" : "leave the parameter out, and take it from the answer"))
    }
    if parameter == "classification" {
      throw Status(
        .unimplemented,
        "the \(kind) \(JSON.string(name)) has no classes; leave the parameter classification out")
    }
  }

  /// Reads a tensor; its contents stay encoded.
  private static func input(_ bytes: ByteBuffer) throws(Status) -> (Tensor, ByteBuffer?) {
    var tensor = Tensor(name: "", datatype: "", shape: [], contents: .elements([]))
    var contents: ByteBuffer?
    var parameters: [String] = []
    var reader = ProtobufReader(bytes)
    while let field = try reader.next() {
      guard max(tensor.shape.count, parameters.count) <= maxParts else { throw tooMany }
      switch (field.number, field.value) {
      case (1, .bytes(let text)): tensor.name = String(buffer: text)
      case (2, .bytes(let text)): tensor.datatype = String(buffer: text)
      case (3, .varint(let value)): tensor.shape.append(Int64(bitPattern: value))
      case (3, .bytes(let packed)):
        var values = ProtobufReader(packed)
        while tensor.shape.count <= maxParts, let value = try values.nextPacked() {
          tensor.shape.append(Int64(bitPattern: value))
        }
      case (4, .bytes(let entry)): parameters.append(try key(entry))
      case (5, .bytes(let encoded)): contents = encoded
      default: continue
      }
    }
    guard tensor.shape.count <= maxParts else { throw tooMany }
    for parameter in parameters { try requireKnown(parameter, of: "input", tensor.name) }
    return (tensor, contents)
  }

  /// Reads an `InferTensorContents` with the types of the inputs here.
  private static func contents(_ bytes: ByteBuffer, _ datatype: String) throws(Status) -> Tensor.Contents {
    var elements: [ByteBuffer] = []
    var numbers = ByteBuffer()
    var reader = ProtobufReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (8, .bytes(let element)):
        guard elements.count < InferenceModel.maxPictures else { throw Tensor.tooManyElements }
        elements.append(element)
      case (4, .varint(let value)): numbers.writeInteger(UInt8(clamping: value))
      case (4, .bytes(let packed)):
        var values = ProtobufReader(packed)
        while let value = try values.nextPacked() { numbers.writeInteger(UInt8(clamping: value)) }
      default: continue
      }
    }
    return datatype == "BYTES" ? .elements(elements) : .numbers(numbers)
  }

  /// An entry of a map to `InferParameter`; `nil` for one that is not an option.
  private static func parameter(_ entry: ByteBuffer) throws(Status) -> (name: String, value: String)? {
    var name = ""
    var value: String?
    var reader = ProtobufReader(entry)
    while let field = try reader.next() {
      guard let bytes = field.value.bytes else { continue }
      if field.number == 1 { name = String(buffer: bytes) }
      if field.number == 2 {
        var choice = ProtobufReader(bytes)
        while let part = try choice.next() {
          switch (part.number, part.value) {
          case (1, .varint(let flag)): value = flag == 0 ? "false" : "true"
          case (2, .varint(let number)): value = String(Int64(bitPattern: number))
          case (3, .bytes(let text)): value = String(buffer: text)
          case (4, .fixed64(let bits)): value = "\(Double(bitPattern: bits))"
          case (5, .varint(let number)): value = String(number)
          default: continue
          }
        }
      }
    }
    return option(name, value)
  }

  /// A parameter as an option; `nil` for those of the protocol itself.
  static func option(_ name: String, _ value: String?) -> (name: String, value: String)? {
    let protocolOwn: Set<String> = [
      "binary_data_output", "sequence_id", "sequence_start", "sequence_end", "priority", "timeout",
    ]
    guard let value, !protocolOwn.contains(name), !name.hasPrefix("triton_") else { return nil }
    return (name.replacing("_", with: "-"), value)
  }
}

extension Tensor {
  /// Why more elements of BYTES than pictures are not even read.
  static let tooManyElements = Status(
    .invalidArgument,
    "there are more than \(InferenceModel.maxPictures) pictures; give 1 to \(InferenceModel.maxPictures)",
    .limit("batch_images"))

  /// Reads raw contents: numbers as they are, and elements of BYTES, each preceded by its length.
  static func contents(raw: ByteBuffer, _ datatype: String) throws(Status) -> Contents {
    guard datatype == "BYTES" else { return .numbers(raw) }
    var rest = raw
    var elements: [ByteBuffer] = []
    while rest.readableBytes > 0 {
      guard elements.count < InferenceModel.maxPictures else { throw tooManyElements }
      guard let length = rest.readInteger(endianness: .little, as: UInt32.self),
        let element = rest.readSlice(length: Int(length))
      else {
        throw Status(
          .invalidArgument, "BYTES end inside an element; send its length in 4 bytes, then the element"
        )
      }
      elements.append(element)
    }
    return .elements(elements)
  }
}
