import FaceCore
import NIOCore
import Wire

/// Implements `inference.GRPCInferenceService`: the Open Inference Protocol over gRPC.
struct InferenceService: GRPCService, Sendable {
  static let name = "inference.GRPCInferenceService"

  let model: InferenceModel
  let drain: DrainState
  let loop: any EventLoop

  func begin(_ call: GRPCCall) {
    let (method, timeout) = (call.head.method, call.head.timeout)
    call.handle(
      by: UnaryHandler(call) { message, completion in
        let token = CallToken()
        let completion = NIOLoopBound(completion, eventLoop: loop)
        // Tensors are read and written outside the event loop, so as not to block it.
        Task {
          let result: Result<ByteBuffer, CallFailure>
          do throws(CallFailure) {
            result = .success(try await answer(method, message, timeout: timeout, token))
          } catch {
            result = .failure(error)
          }
          loop.execute { completion.value(result) }
        }
        return { token.cancel() }
      })
  }

  private func answer(
    _ method: String, _ message: ByteBuffer, timeout: Int64, _ token: CallToken
  ) async throws(CallFailure) -> ByteBuffer {
    var writer = ProtobufWriter()
    switch method {
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
      return try await infer(message, timeout: timeout, token)
    default:
      throw CallFailure(
        .unimplemented,
        "\(Self.name) has no method \(method); it has ServerLive, ServerReady, ModelReady, "
          + "ServerMetadata, ModelMetadata, ModelInfer")
    }
    return writer.bytes
  }

  private func isReady() async throws(CallFailure) -> Bool {
    if drain.isStopping { return false }
    return try await model.calls.isServing()
  }

  private static func write(_ kind: InferenceModel.TensorKind, _ writer: inout ProtobufWriter) {
    writer.text(1, kind.name)
    writer.text(2, kind.datatype)
    writer.packed(3, kind.shape)
  }

  /// Reads a name and a version from fields 1 and 2.
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

  private func infer(
    _ message: ByteBuffer, timeout: Int64, _ token: CallToken
  ) async throws(CallFailure) -> ByteBuffer {
    let call = try FaceCalls.coding { () throws(Status) in try InferenceCall(decoding: message) }
    let outputs = try await model.infer(call, timeout: timeout, token)
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
