import FaceCore
import GatewayCoding
import ResultJSON

/// What the server and its models are.
extension InferenceModel {
  /// The extensions of the protocol that both transports have. Source: Triton, docs/protocol.
  private static let extensions = ["model_configuration", "model_repository", "statistics"]

  /// - Parameter more: the extensions of one transport.
  static func server(extensions more: [String] = []) -> InferenceMessage {
    InferenceMessage([
      ("name", 1, .text("face-engine-gateway")), ("version", 2, .text("\(EngineVersion.text)")),
      ("extensions", 3, .texts(more + extensions)),
    ])
  }

  func metadata(_ name: String, _ version: String) async throws(CallFailure) -> InferenceMessage {
    let entry = try await entry(name, version)
    func tensors(_ kinds: [TensorKind]) -> InferenceMessage.Value {
      .messages(
        kinds.map { kind in
          InferenceMessage([
            ("name", 1, .text(kind.name)), ("datatype", 2, .text(kind.datatype)),
            ("shape", 3, .shape(kind.shape)),
          ])
        })
    }
    return InferenceMessage([
      ("name", 1, .text(entry.name)), ("versions", 2, .texts([entry.version])),
      ("platform", 3, .text(Self.platform)), ("inputs", 4, tensors(Self.inputs)),
      ("outputs", 5, tensors(InferenceOutputs.kinds)),
    ])
  }

  /// Sources: Triton's model_config.proto; docs/protocol/extension_model_configuration.md.
  func configuration(_ name: String, _ version: String) async throws(CallFailure) -> InferenceMessage {
    let entry = try await entry(name, version)
    func tensors(_ kinds: [TensorKind], dims: Int, more: [InferenceMessage.Field] = [])
      -> InferenceMessage.Value
    {
      .messages(
        kinds.map { kind in
          let type = kind.configType
          return InferenceMessage(
            [
              ("name", 1, .text(kind.name)), ("data_type", 2, .named(type.name, type.number)),
              ("dims", dims, .shape(kind.shape)),
            ] + more)
        })
    }
    let latest = InferenceMessage([("num_versions", 1, .number(1))])
    return InferenceMessage([
      ("name", 1, .text(entry.name)), ("platform", 2, .text(Self.platform)),
      ("version_policy", 3, .message(InferenceMessage([("latest", 1, .message(latest))]))),
      // The number of pictures is a part of the shapes.
      ("max_batch_size", 4, .number(0)),
      ("input", 5, tensors(Self.inputs, dims: 4, more: [("optional", 8, .flag(true))])),
      ("output", 6, tensors(InferenceOutputs.kinds, dims: 3)), ("backend", 17, .text(Self.platform)),
      ("model_transaction_policy", 19, .message(InferenceMessage([("decoupled", 1, .flag(false))]))),
    ])
  }

  /// - Parameter name: the model's; empty for all that can be used.
  ///
  /// Source: Triton, docs/protocol/extension_statistics.md.
  func statistics(_ name: String, _ version: String) async throws(CallFailure) -> InferenceMessage {
    let entries =
      name.isEmpty ? try await entries().filter(\.isLoaded) : [try await entry(name, version)]
    let all = entries.map { entry in
      let counts = statistics.counts(of: entry)
      let totals = counts.totals.map { name, number, total -> InferenceMessage.Field in
        let parts = InferenceMessage([
          ("count", 1, .number(total.count)), ("ns", 2, .number(total.nanoseconds)),
        ])
        return (name, number, .message(parts))
      }
      return InferenceMessage([
        ("name", 1, .text(entry.name)), ("version", 2, .text(entry.version)),
        ("last_inference", 3, .number(counts.last)), ("inference_count", 4, .number(counts.pictures)),
        ("execution_count", 5, .number(counts.success.count)),
        ("inference_stats", 6, .message(InferenceMessage(totals))), ("batch_stats", 7, .messages([])),
      ])
    }
    return InferenceMessage([("model_stats", 1, .messages(all))])
  }

  /// The models of the index of an engine's repository, which has no name.
  ///
  /// Source: Triton, docs/protocol/extension_model_repository.md.
  func index(ofRepository name: String, readyOnly: Bool) async throws(CallFailure) -> [InferenceMessage] {
    guard name.isEmpty else {
      throw CallFailure(
        .unimplemented,
        "there is no repository \(JSON.string(name)); the engine has one, without a name: leave the name out"
      )
    }
    return try await entries().filter { $0.isLoaded || !readyOnly }.map { entry in
      InferenceMessage([
        ("name", 1, .text(entry.name)), ("version", 2, .text(entry.version)),
        ("state", 3, .text(entry.isLoaded ? "READY" : "UNAVAILABLE")),
        ("reason", 4, .text(entry.isLoaded ? "" : "not loaded")),
      ])
    }
  }
}
