import FaceCore
import GatewayCoding
import GatewayHTTP
import NIOCore
import Presentation

/// What the server and its models are, as JSON.
extension InferenceRoutes {
  var serverMetadata: HTTPAnswer {
    .json(
      .object([
        "name": .string("face-engine-gateway"), "version": .string("\(EngineVersion.text)"),
        "extensions": .array((["binary_tensor_data"] + InferenceModel.extensions).map { .string($0) }),
      ]))
  }

  func metadata(_ entry: InferenceModel.Entry) -> HTTPAnswer {
    func tensors(_ kinds: [InferenceModel.TensorKind]) -> JSON {
      .array(
        kinds.map { kind in
          .object([
            "name": .string(kind.name), "datatype": .string(kind.datatype),
            "shape": Self.integers(kind.shape),
          ])
        })
    }
    return .json(
      .object([
        "name": .string(entry.name), "versions": .array([.string(entry.version)]),
        "platform": .string(InferenceModel.platform), "inputs": tensors(InferenceModel.inputs),
        "outputs": tensors(InferenceOutputs.kinds),
      ]))
  }

  /// Source: Triton, docs/protocol/extension_model_configuration.md.
  func configuration(_ entry: InferenceModel.Entry) -> HTTPAnswer {
    func members(_ kind: InferenceModel.TensorKind) -> [(String, JSON)] {
      [
        ("name", .string(kind.name)), ("data_type", .string(kind.configType.name)),
        ("dims", Self.integers(kind.shape)),
      ]
    }
    return .json(
      .object([
        "name": .string(entry.name), "platform": .string(InferenceModel.platform),
        "backend": .string(InferenceModel.platform),
        "version_policy": .object(["latest": .object(["num_versions": .integer(1)])]),
        // The number of pictures is a part of the shapes.
        "max_batch_size": .integer(0),
        "input": .array(
          InferenceModel.inputs.map { .object(members($0) + [("optional", .boolean(true))]) }),
        "output": .array(InferenceOutputs.kinds.map { .object(members($0)) }),
        "model_transaction_policy": .object(["decoupled": .boolean(false)]),
      ]))
  }

  /// - Parameter name: the model's; empty for all.
  func statistics(_ name: String, _ version: String) async throws -> HTTPAnswer {
    let stats = try await model.counted(name, version).map { entry -> JSON in
      let counts = model.statistics.counts(of: entry)
      let totals = counts.totals.map { name, _, total in
        (name, JSON.object(["count": Self.integer(total.count), "ns": Self.integer(total.nanoseconds)]))
      }
      return .object([
        "name": .string(entry.name), "version": .string(entry.version),
        "last_inference": Self.integer(counts.last), "inference_count": Self.integer(counts.pictures),
        "execution_count": Self.integer(counts.success.count), "inference_stats": .object(totals),
        "batch_stats": .array([]),
      ])
    }
    return .json(.object(["model_stats": .array(stats)]))
  }

  /// Source: Triton, docs/protocol/extension_model_repository.md.
  func index(_ call: HTTPCall) async throws -> HTTPAnswer {
    var readyOnly = false
    if call.body.readableBytes > 0 {
      guard let members = JSONInput.object(in: call.body) else { throw Self.noIndex }
      if let ready = members["ready"] {
        guard case .boolean(let isOn) = ready else { throw Self.noIndex }
        readyOnly = isOn
      }
    }
    let entries = try await model.index(ofRepository: "", readyOnly: readyOnly)
    return .json(
      .array(
        entries.map { entry in
          .object([
            "name": .string(entry.name), "version": .string(entry.version),
            "state": .string(entry.isLoaded ? "READY" : "UNAVAILABLE"), "reason": .string(entry.reason),
          ])
        }))
  }

  private static let noIndex = Status(
    .invalidArgument, "the body asks for no index; leave it out, or send {\"ready\": true} for loaded models")

  private static func integers(_ values: [Int64]) -> JSON { .array(values.map { .integer(Int($0)) }) }

  private static func integer(_ value: UInt64) -> JSON { .integer(Int(clamping: value)) }
}
