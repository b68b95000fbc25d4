import FaceCore
import GRPCCore
import NIOCore
import Wire

/// `inference.GRPCInferenceService`: the Open Inference Protocol over gRPC.
struct InferenceService: Sendable {
  static let name = "inference.GRPCInferenceService"

  let model: InferenceModel
  let drain: DrainState

  func handle(_ exchange: GRPCExchange) async throws(CallFailure) {
    guard let message = try await exchange.requests.next() else {
      throw CallFailure(.internal, "the call has no message; send one")
    }
    try await exchange.replies.finish(with: try await answer(exchange, message))
  }

  private func answer(_ exchange: GRPCExchange, _ message: ByteBuffer) async throws(CallFailure) -> ByteBuffer
  {
    var writer = ProtobufWriter()
    switch exchange.method {
    case "ServerLive": writer.boolean(1, true)
    case "ServerReady": writer.boolean(1, try await isReady())
    case "ModelReady":
      let (name, version) = try named(message)
      if try await isReady() {
        _ = try await model.version(of: name, version)
        writer.boolean(1, true)
      }
    case "ServerMetadata":
      writer.text(1, "face-engine-gateway")
      writer.text(2, "\(EngineVersion.text)")
    case "ModelMetadata":
      let (name, version) = try named(message)
      writer.text(1, name)
      writer.text(2, try await model.version(of: name, version))
      writer.text(3, "face-engine")
      for kind in InferenceModel.inputs { writer.message(4) { Self.write(kind, &$0) } }
      for kind in InferenceModel.outputs { writer.message(5) { Self.write(kind, &$0) } }
    case "ModelInfer":
      return try await infer(exchange, message)
    default:
      throw CallFailure(
        .unimplemented,
        "\(Self.name) has no method \(exchange.method); it has ServerLive, ServerReady, ModelReady, "
          + "ServerMetadata, ModelMetadata, ModelInfer")
    }
    return writer.bytes
  }

  private func isReady() async throws(CallFailure) -> Bool {
    if drain.isDraining { return false }
    do throws(CallFailure) {
      return try await model.calls.health() == .serving
    } catch  where error.status.code == .unavailable {
      return false
    }
  }

  private static func write(_ kind: InferenceModel.TensorKind, _ writer: inout ProtobufWriter) {
    writer.text(1, kind.name)
    writer.text(2, kind.datatype)
    writer.packed(3, kind.shape)
  }

  /// Name and version, fields 1 and 2.
  private func named(_ message: ByteBuffer) throws(CallFailure) -> (String, String) {
    try FaceCalls.coding { () throws(Status) in
      var (name, version) = ("", "")
      var reader = ProtobufReader(message)
      while let field = try reader.next() {
        if field.number == 1 { name = field.value.text ?? "" }
        if field.number == 2 { version = field.value.text ?? "" }
      }
      return (name, version)
    }
  }

  private func infer(_ exchange: GRPCExchange, _ message: ByteBuffer) async throws(CallFailure) -> ByteBuffer
  {
    let call = try FaceCalls.coding { () throws(Status) in try InferenceCall(decoding: message) }
    let token = CallToken()
    let (model, drain, timeout) = (model, drain, exchange.timeout)
    let outputs = try await withRPCCancellationHandler { () async throws(CallFailure) in
      try await model.infer(call, timeout: timeout, token)
    } onCancelRPC: {
      if !drain.isDraining { token.cancel() }
    }
    var writer = ProtobufWriter()
    writer.text(1, call.model)
    writer.text(2, try await model.version(of: call.model, call.version))
    writer.text(3, call.id)
    for tensor in outputs {
      writer.message(5) { output in
        output.text(1, tensor.name)
        output.text(2, tensor.datatype)
        output.packed(3, tensor.shape)
      }
    }
    for tensor in outputs {
      if case .numbers(let bytes) = tensor.contents { writer.bytes(6, bytes) }
    }
    return writer.bytes
  }
}
