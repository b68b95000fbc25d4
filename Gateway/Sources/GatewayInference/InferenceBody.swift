import FaceCore
import FoundationEssentials
import GatewayCoding
import NIOCore
import ResultJSON

/// The body of an inference request over HTTP.
struct InferenceBody: Sendable {
  var call: InferenceCall
  private var binaryOutputs: Set<String> = []
  private var isBinaryByDefault = false

  /// Reads a body.
  ///
  /// - Parameter headerLength: the length of the JSON, if binary tensors follow it.
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
    guard let members = JSONInput.object(in: json) else {
      throw Status(.invalidArgument, "the body is not a JSON object; send {\"inputs\": […]}")
    }
    call = InferenceCall(
      model: model, version: version, id: members["id"]?.string ?? "", parameters: [], inputs: [], outputs: []
    )
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
      call.outputs.append(name)
      if case .boolean(true)? = output.object?["parameters"]?.object?["binary_data"] {
        binaryOutputs.insert(name)
      }
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
    return 2 * json.count + count * values.size
  }

  func wantsBinary(_ output: String) -> Bool {
    call.outputs.isEmpty ? isBinaryByDefault : binaryOutputs.contains(output) || isBinaryByDefault
  }

  private static func wrong(_ what: String) -> Status {
    Status(.invalidArgument, "\(what); see the Open Inference Protocol for what an inference has")
  }

  private static func tensor(_ input: [String: JSONInput], _ rest: inout ByteBuffer) throws(Status) -> Tensor
  {
    guard let name = input["name"]?.string, let datatype = input["datatype"]?.string,
      let sides = input["shape"]?.array
    else { throw wrong("an input lacks name, datatype or shape") }
    let shape = sides.compactMap { $0.number.flatMap { Int64(exactly: $0) } }
    guard shape.count == sides.count else {
      throw wrong("the shape of \(JSON.string(name)) is not a list of integers")
    }
    var tensor = Tensor(name: name, datatype: datatype, shape: shape, contents: .elements([]))
    if let size = input["parameters"]?.object?["binary_data_size"]?.number {
      guard let count = Int(exactly: size), let bytes = rest.readSlice(length: max(0, count)) else {
        throw wrong("binary_data_size of \(JSON.string(name)) is more than the body has")
      }
      tensor.contents = try Tensor.contents(raw: bytes, datatype)
    } else {
      tensor.contents = try contents(input["data"]?.array ?? [], name, datatype)
    }
    return tensor
  }

  /// The contents in JSON. Elements of BYTES are in base64.
  private static func contents(
    _ data: [JSONInput], _ name: String, _ datatype: String
  ) throws(Status) -> Tensor.Contents {
    if datatype == "BYTES" {
      var elements: [ByteBuffer] = []
      for value in data {
        guard let text = value.string, let bytes = Data(base64Encoded: text) else {
          throw wrong("an element of \(JSON.string(name)) is not base64; send files as base64 or binary data")
        }
        elements.append(ByteBuffer(bytes: bytes))
      }
      return .elements(elements)
    }
    var numbers = ByteBuffer()
    // Flat, or nested as in the shape.
    var waiting = [data[...]]
    while var list = waiting.popLast() {
      guard let first = list.popFirst() else { continue }
      waiting.append(list)
      if case .array(let inner) = first {
        waiting.append(inner[...])
      } else if let value = first.number.flatMap({ UInt8(exactly: $0) }) {
        numbers.writeInteger(value)
      } else {
        throw wrong("the data of \(JSON.string(name)) has elements other than numbers from 0 to 255")
      }
    }
    return .numbers(numbers)
  }
}
