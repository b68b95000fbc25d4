import FaceCore
import FoundationEssentials
import GatewayCoding
import NIOCore
import ResultJSON

/// The body of an inference request over HTTP.
struct InferenceBody: Sendable {
  var call: InferenceCall
  /// Whether outputs that say so are wanted as bytes.
  private var isBinary: [String: Bool] = [:]
  private var isBinaryByDefault = false

  /// Reads a body.
  ///
  /// - Parameter headerLength: the length of the JSON, if binary tensors follow it. With 0, the body is a file without
  ///   JSON.
  ///
  /// Throws `invalidArgument`, naming the error.
  init(_ body: ByteBuffer, headerLength: String?, model: String, version: String) throws(Status) {
    var rest = body
    var json = body
    if let headerLength {
      guard let length = Int(headerLength), let head = rest.readSlice(length: length) else {
        throw Status(
          .invalidArgument, "inference-header-content-length is not the length of the JSON in bytes")
      }
      json = head
    } else {
      rest = ByteBuffer()
    }
    call = InferenceCall(model: model, version: version, id: "", parameters: [], inputs: [], outputs: [])
    if headerLength != nil, json.readableBytes == 0 {
      call.inputs = [Tensor(name: "image", datatype: "BYTES", shape: [1], contents: .elements([rest]))]
      isBinaryByDefault = true
      return
    }
    guard let members = JSONInput.object(in: json) else {
      throw Status(.invalidArgument, "the body is not a JSON object; send {\"inputs\": […]}")
    }
    call.id = members["id"]?.string ?? ""
    for (name, value) in (members["parameters"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      if name == "binary_data_output", case .boolean(let isOn) = value { isBinaryByDefault = isOn }
      if let option = InferenceCall.option(name, value.text) { call.parameters.append(option) }
    }
    for input in members["inputs"]?.array ?? [] {
      guard let input = input.object else { throw Self.wrong("an input is not an object") }
      call.inputs.append(try Self.tensor(input, &rest))
    }
    for output in members["outputs"]?.array ?? [] {
      guard let name = output.object?["name"]?.string else { throw Self.wrong("an output has no name") }
      let parameters = output.object?["parameters"]?.object ?? [:]
      for parameter in parameters.keys { try InferenceCall.requireKnown(parameter, of: "output", name) }
      call.outputs.append(name)
      if case .boolean(let isOn)? = parameters["binary_data"] { isBinary[name] = isOn }
    }
    guard rest.readableBytes == 0 else { throw Self.wrong("\(rest.readableBytes) bytes belong to no input") }
  }

  /// The most values in JSON, and the bytes that each takes while they are read, at most those of an object's member.
  private static let values = (most: 256 << 10, size: 400)

  /// The bytes that precede a value in JSON: those after which a list or an object has another value.
  private static let marks = [",", "[", "{"].map { (mark: Unicode.Scalar) in UInt8(ascii: mark) }

  /// The bytes that reading a body takes beside it: copies of JSON's text, and its values.
  static func cost(ofReading body: ByteBuffer, headerLength: String?) throws(CallFailure) -> Int {
    let json = body.readableBytesView.prefix(headerLength.flatMap { Int($0) }.map { max(0, $0) } ?? .max)
    let count = json.withUnsafeBytes { $0.count { marks.contains($0) } }
    guard count <= values.most else {
      throw CallFailure(
        .resourceExhausted,
        "the JSON has more than \(values.most) values; send tensors as binary data, with binary_data_size",
        .limit("json_values"))
    }
    return 3 * json.count + count * values.size
  }

  func wantsBinary(_ output: String) -> Bool {
    isBinary[output] ?? isBinaryByDefault
  }

  private static func wrong(_ what: String) -> Status {
    Status(.invalidArgument, "\(what); see the Open Inference Protocol for what an inference has")
  }

  private static func tensor(_ input: [String: JSONInput], _ rest: inout ByteBuffer) throws(Status) -> Tensor {
    guard let name = input["name"]?.string, let datatype = input["datatype"]?.string,
      let sides = input["shape"]?.array
    else { throw wrong("an input lacks name, datatype or shape") }
    let shape = sides.compactMap { $0.number.flatMap { Int64(exactly: $0) } }
    guard shape.count == sides.count else {
      throw wrong("the shape of \(JSON.string(name)) is not a list of integers")
    }
    var tensor = Tensor(name: name, datatype: datatype, shape: shape, contents: .elements([]))
    let parameters = input["parameters"]?.object ?? [:]
    for parameter in parameters.keys { try InferenceCall.requireKnown(parameter, of: "input", name) }
    if let size = parameters["binary_data_size"]?.number {
      guard let count = Int(exactly: size), let bytes = rest.readSlice(length: max(0, count)) else {
        throw wrong("binary_data_size of \(JSON.string(name)) is more than the body has")
      }
      tensor.contents = try Tensor.contents(raw: bytes, datatype)
    } else {
      tensor.contents = try contents(input["data"]?.array ?? [], name, datatype)
    }
    return tensor
  }

  /// The contents in JSON, flat or nested as in the shape. Elements of BYTES are in base64.
  private static func contents(
    _ data: [JSONInput], _ name: String, _ datatype: String
  ) throws(Status) -> Tensor.Contents {
    var elements: [ByteBuffer] = []
    var numbers = ByteBuffer()
    var waiting = [data[...]]
    while var list = waiting.popLast() {
      guard let first = list.popFirst() else { continue }
      waiting.append(list)
      if case .array(let inner) = first {
        waiting.append(inner[...])
      } else if datatype == "BYTES" {
        guard elements.count < InferenceModel.maxPictures else { throw Tensor.tooManyElements }
        guard let bytes = first.string.flatMap(base64) else {
          throw wrong("an element of \(JSON.string(name)) is not base64; send files as base64 or binary data")
        }
        elements.append(ByteBuffer(bytes: bytes))
      } else if let value = first.number.flatMap({ UInt8(exactly: $0) }) {
        numbers.writeInteger(value)
      } else {
        throw wrong("the data of \(JSON.string(name)) has elements other than numbers from 0 to 255")
      }
    }
    return datatype == "BYTES" ? .elements(elements) : .numbers(numbers)
  }

  /// Decodes base64 in the alphabet of RFC 4648 or that for URLs, also with line breaks or without padding.
  private static func base64(_ text: String) -> Data? {
    if let bytes = Data(base64Encoded: text) { return bytes }
    var symbols = Data(capacity: text.utf8.count + 3)
    for byte in text.utf8 {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0d: continue
      case UInt8(ascii: "-"): symbols.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): symbols.append(UInt8(ascii: "/"))
      default: symbols.append(byte)
      }
    }
    while symbols.count % 4 != 0 { symbols.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: symbols)
  }
}
