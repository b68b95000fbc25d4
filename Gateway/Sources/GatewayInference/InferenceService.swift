import EngineLink
import FaceCore
import GatewayCoding
package import GatewayGRPC
package import GatewayServing
package import NIOCore
import Wire

/// Implements `inference.GRPCInferenceService`: the Open Inference Protocol over gRPC.
package struct InferenceService: GRPCService, Sendable {
  package static let name = "inference.GRPCInferenceService"

  let model: InferenceModel
  let drain: DrainState
  let loop: any EventLoop

  package init(model: InferenceModel, drain: DrainState, loop: any EventLoop) {
    self.model = model
    self.drain = drain
    self.loop = loop
  }

  package func begin(_ call: GRPCCall) {
    let (method, timeout) = (call.head.method, call.head.timeout)
    if method == "ModelStreamInfer" { return call.handle(by: InferenceStream(call, self)) }
    call.handle(
      by: UnaryHandler(call) { message, completion in
        let message = call.holding(message)
        let completion = NIOLoopBound(completion, eventLoop: loop)
        // Tensors are read and written outside the event loop, so as not to block it.
        let task = Task {
          let result: Result<ByteBuffer, CallFailure>
          do throws(CallFailure) {
            result = .success(try await answer(method, message.body, timeout: timeout))
          } catch {
            result = .failure(error)
          }
          withExtendedLifetime(message) {}
          loop.execute { completion.value(result) }
        }
        return { task.cancel() }
      })
  }

  private func answer(
    _ method: String, _ message: ByteBuffer, timeout: Int64
  ) async throws(CallFailure) -> ByteBuffer {
    var writer = ProtobufWriter()
    switch method {
    case "ServerLive": writer.boolean(1, await model.calls.engine.isLive())
    case "ServerReady": writer.boolean(1, await isReady())
    case "ModelReady":
      let (name, version) = try named(message)
      if await isReady() {
        _ = try await model.entry(name, version)
        writer.boolean(1, true)
      }
    case "ServerMetadata": InferenceModel.server().write(to: &writer)
    case "ModelMetadata":
      let (name, version) = try named(message)
      try await model.metadata(name, version).write(to: &writer)
    case "ModelConfig":
      let (name, version) = try named(message)
      let configuration = try await model.configuration(name, version)
      writer.message(1) { configuration.write(to: &$0) }
    case "ModelStatistics":
      let (name, version) = try named(message)
      try await model.statistics(name, version).write(to: &writer)
    case "RepositoryIndex":
      let (name, readyOnly) = try FaceCalls.coding { () throws(Status) in
        let fields = try ProtobufReader.fields(of: message)
        return (fields[1]?.text ?? "", fields[2]?.number ?? 0 != 0)
      }
      for entry in try await model.index(ofRepository: name, readyOnly: readyOnly) {
        writer.message(1) { entry.write(to: &$0) }
      }
    case "RepositoryModelLoad", "RepositoryModelUnload": throw InferenceModel.loading
    case "ModelInfer": return try await infer(Self.decoded(message), timeout: timeout)
    default:
      throw CallFailure(
        .unimplemented,
        "\(Self.name) has no method \(method); it has ServerLive, ServerReady, ModelReady, "
          + "ServerMetadata, ModelMetadata, ModelConfig, ModelStatistics, RepositoryIndex, ModelInfer, ModelStreamInfer"
      )
    }
    return writer.bytes
  }

  private func isReady() async -> Bool {
    if drain.isStopping { return false }
    return await model.calls.isServing()
  }

  /// Reads a name and a version from fields 1 and 2.
  private func named(_ message: ByteBuffer) throws(CallFailure) -> (String, String) {
    try FaceCalls.coding { () throws(Status) in
      let fields = try ProtobufReader.fields(of: message)
      return (fields[1]?.text ?? "", fields[2]?.text ?? "")
    }
  }

  // MARK: Inference

  private static func decoded(_ message: ByteBuffer) throws(CallFailure) -> InferenceCall {
    try FaceCalls.coding { () throws(Status) in try InferenceCall(decoding: message) }
  }

  private func infer(_ call: InferenceCall, timeout: Int64) async throws(CallFailure) -> ByteBuffer {
    let (entry, outputs) = try await model.infer(call, timeout: timeout)
    var writer = ProtobufWriter()
    writer.text(1, call.model)
    writer.text(2, entry.version)
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

  /// A `ModelStreamInferResponse`: the answer, or the error with the names and the id of its request.
  func streamAnswer(_ message: ByteBuffer, timeout: Int64) async -> ByteBuffer {
    var writer = ProtobufWriter()
    var request: InferenceCall?
    do throws(CallFailure) {
      let call = try Self.decoded(message)
      request = call
      writer.bytes(2, try await infer(call, timeout: timeout))
    } catch {
      writer.text(1, error.status.message)
      writer.message(2) { response in
        response.text(1, request?.model ?? "")
        response.text(2, request?.version ?? "")
        response.text(3, request?.id ?? "")
      }
    }
    return writer.bytes
  }
}
