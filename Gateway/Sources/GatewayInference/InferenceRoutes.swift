import EngineLink
import FaceCore
import GatewayCoding
package import GatewayHTTP
package import GatewayServing
import NIOCore
import ResultJSON
import Wire

/// The Open Inference Protocol over HTTP, under the path /v2.
///
/// Source: github.com/kserve/open-inference-protocol, specification/protocol/inference_rest.md, and the
/// binary tensor data extension of Triton.
package struct InferenceRoutes: HTTPSection {
  private static let timeout: Int64 = 30_000_000_000
  /// The header with the length of the JSON, if binary tensors follow it.
  private static let headerLength = "inference-header-content-length"

  package let failsAsText = true
  let model: InferenceModel
  let drain: DrainState

  package init(model: InferenceModel, drain: DrainState) {
    self.model = model
    self.drain = drain
  }

  package func find(_ call: HTTPCallHead) throws -> HTTPRoutes.Route {
    var parts = Array(call.path.dropFirst())
    func get(
      _ name: String, _ access: RequestGate.Access = .call,
      _ run: @escaping @Sendable () async throws -> HTTPAnswer
    )
      throws -> HTTPRoutes.Route
    {
      try call.require(["GET"])
      return HTTPRoutes.Route(name: "GET /v2\(name)", access: access) { _ in try await run() }
    }
    if parts.isEmpty {
      return try get("") { .json(InferenceModel.server(extensions: ["binary_tensor_data"]).json) }
    }
    if parts == ["health", "live"] {
      return try get("/health/live", .probe) {
        try await HTTPRoutes.requireLive(model.calls)
        return .json(.object(["live": .boolean(true)]))
      }
    }
    if parts == ["health", "ready"] {
      return try get("/health/ready", .probe) {
        try await HTTPRoutes.requireReady(model.calls, drain)
        return .json(.object(["ready": .boolean(true)]))
      }
    }
    if parts == ["models", "stats"] {
      return try get("/models/stats") { .json(try await model.statistics("", "").json) }
    }
    guard parts.count >= 2 else { throw Self.nothing }
    let kind = parts.removeFirst()
    if kind == "repository" { return try repository(call, parts) }
    guard kind == "models" else { throw Self.nothing }
    let name = parts.removeFirst()
    var version = ""
    if parts.count >= 2, parts[0] == "versions" {
      version = parts[1]
      parts.removeFirst(2)
    }
    let wanted = version
    switch parts {
    case []: return try get("/models/NAME") { .json(try await model.metadata(name, wanted).json) }
    case ["ready"]:
      return try get("/models/NAME/ready", .probe) {
        try await HTTPRoutes.requireReady(model.calls, drain)
        _ = try await model.entry(name, wanted)
        return .json(.object(["name": .string(name), "ready": .boolean(true)]))
      }
    case ["config"]:
      return try get("/models/NAME/config") { .json(try await model.configuration(name, wanted).json) }
    case ["stats"]:
      return try get("/models/NAME/stats") { .json(try await model.statistics(name, wanted).json) }
    case ["infer"]:
      try call.require(["POST"])
      var route = HTTPRoutes.Route(name: "POST /v2/models/NAME/infer", maxBodyBytes: nil, isLong: true) {
        try await infer($0, name, wanted)
      }
      route.cost = { try InferenceBody.cost(ofReading: $0.body, headerLength: $0.header(Self.headerLength)) }
      return route
    default: throw Self.nothing
    }
  }

  /// - Parameter parts: those of the path after /v2/repository.
  private func repository(_ call: HTTPCallHead, _ parts: [String]) throws -> HTTPRoutes.Route {
    if parts == ["index"] {
      try call.require(["POST"])
      return HTTPRoutes.Route(name: "POST /v2/repository/index") { try await index($0) }
    }
    guard parts.count == 3, parts[0] == "models", ["load", "unload"].contains(parts[2]) else {
      throw Self.nothing
    }
    try call.require(["POST"])
    return HTTPRoutes.Route(name: "POST /v2/repository/models/NAME/\(parts[2])") { _ in
      throw InferenceModel.loading
    }
  }

  private func index(_ call: HTTPCall) async throws -> HTTPAnswer {
    var readyOnly = false
    if call.body.readableBytes > 0 {
      guard let members = JSONInput.object(in: call.body) else { throw Self.noIndex }
      if let ready = members["ready"] {
        guard case .boolean(let isOn) = ready else { throw Self.noIndex }
        readyOnly = isOn
      }
    }
    return .json(.array(try await model.index(ofRepository: "", readyOnly: readyOnly).map(\.json)))
  }

  private static let noIndex = Status(
    .invalidArgument,
    "the body is not an index request; leave it out, or send {\"ready\": true} for loaded models")

  private static let nothing = Status(
    .notFound, "there is nothing at this path; /v2/models/faces describes the model, /openapi.json the rest"
  )

  // MARK: Inference

  private func infer(_ http: HTTPCall, _ name: String, _ version: String) async throws -> HTTPAnswer {
    let request = try InferenceBody(
      http.body, headerLength: http.header(Self.headerLength), model: name, version: version)
    let (entry, tensors) = try await model.infer(request.call, timeout: Self.timeout)
    return try answer(tensors, request, entry.version)
  }

  private func answer(_ tensors: [Tensor], _ request: InferenceBody, _ version: String) throws -> HTTPAnswer {
    var binary = ByteBuffer()
    let outputs = tensors.map { tensor in
      var members: [(String, JSON)] = [
        ("name", .string(tensor.name)), ("datatype", .string(tensor.datatype)),
        ("shape", .array(tensor.shape.map { .integer(Int($0)) })),
      ]
      guard case .numbers(let bytes) = tensor.contents else { return JSON.object(members) }
      if request.wantsBinary(tensor.name) {
        members.append(("parameters", .object(["binary_data_size": .integer(bytes.readableBytes)])))
        binary.writeImmutableBuffer(bytes)
      } else {
        members.append(("data", .array(Self.numbers(bytes, tensor.datatype))))
      }
      return .object(members)
    }
    var members: [(String, JSON)] = [
      ("model_name", .string(request.call.model)), ("model_version", .string(version)),
    ]
    if !request.call.id.isEmpty { members.append(("id", .string(request.call.id))) }
    var answer = HTTPAnswer.json(.object(members + [("outputs", .array(outputs))]))
    if binary.readableBytes > 0 {
      answer.headers.append((Self.headerLength, "\(answer.body.readableBytes)"))
      answer.type = "application/octet-stream"
      answer.body.writeImmutableBuffer(binary)
    }
    return answer
  }

  /// The numbers as JSON. Those that are not finite become null, since JSON has no value for them.
  private static func numbers(_ bytes: ByteBuffer, _ datatype: String) -> [JSON] {
    var rest = bytes
    var numbers: [JSON] = []
    while let bits = rest.readInteger(endianness: .little, as: UInt32.self) {
      if datatype == "INT32" {
        numbers.append(.integer(Int(Int32(bitPattern: bits))))
      } else {
        let value = Float(bitPattern: bits)
        numbers.append(value.isFinite ? .number(value) : .null)
      }
    }
    return numbers
  }
}
