import EngineLink
import FaceCore
import GatewayCoding
import NIOCore

/// What the models are, as messages.
extension InferenceService {
  func writeMetadata(_ message: ByteBuffer, _ writer: inout ProtobufWriter) async throws(CallFailure) {
    let entry = try await entry(message)
    func write(_ kind: InferenceModel.TensorKind, _ tensor: inout ProtobufWriter) {
      tensor.text(1, kind.name)
      tensor.text(2, kind.datatype)
      tensor.packed(3, kind.shape)
    }
    writer.text(1, entry.name)
    writer.text(2, entry.version)
    writer.text(3, InferenceModel.platform)
    for kind in InferenceModel.inputs { writer.message(4) { write(kind, &$0) } }
    for kind in InferenceOutputs.kinds { writer.message(5) { write(kind, &$0) } }
  }

  /// Source: Triton's model_config.proto.
  func writeConfig(_ message: ByteBuffer, _ writer: inout ProtobufWriter) async throws(CallFailure) {
    let entry = try await entry(message)
    writer.message(1) { config in
      config.text(1, entry.name)
      config.text(2, InferenceModel.platform)
      config.message(3) { policy in policy.message(1) { latest in latest.varint(1, 1) } }
      for kind in InferenceModel.inputs {
        config.message(5) { input in
          input.text(1, kind.name)
          input.varint(2, kind.configType.number)
          input.packed(4, kind.shape)
          input.boolean(8, true)
        }
      }
      for kind in InferenceOutputs.kinds {
        config.message(6) { output in
          output.text(1, kind.name)
          output.varint(2, kind.configType.number)
          output.packed(3, kind.shape)
        }
      }
      config.text(17, InferenceModel.platform)
      config.message(19) { _ in }
    }
  }

  func writeStatistics(_ message: ByteBuffer, _ writer: inout ProtobufWriter) async throws(CallFailure) {
    let (name, version) = try named(message)
    for entry in try await model.counted(name, version) {
      let counts = model.statistics.counts(of: entry)
      writer.message(1) { stats in
        stats.text(1, entry.name)
        stats.text(2, entry.version)
        stats.varint(3, counts.last)
        stats.varint(4, counts.pictures)
        stats.varint(5, counts.success.count)
        stats.message(6) { all in
          for (_, field, total) in counts.totals {
            all.message(field) { part in
              part.varint(1, total.count)
              part.varint(2, total.nanoseconds)
            }
          }
        }
      }
    }
  }

  func writeIndex(_ message: ByteBuffer, _ writer: inout ProtobufWriter) async throws(CallFailure) {
    let (name, readyOnly) = try FaceCalls.coding { () throws(Status) in
      var (name, readyOnly) = ("", false)
      var reader = ProtobufReader(message)
      while let field = try reader.next() {
        if field.number == 1 { name = field.value.text ?? "" }
        if field.number == 2 { readyOnly = field.value.number ?? 0 != 0 }
      }
      return (name, readyOnly)
    }
    for entry in try await model.index(ofRepository: name, readyOnly: readyOnly) {
      writer.message(1) { model in
        model.text(1, entry.name)
        model.text(2, entry.version)
        model.text(3, entry.isLoaded ? "READY" : "UNAVAILABLE")
        model.text(4, entry.reason)
      }
    }
  }

  private func entry(_ message: ByteBuffer) async throws(CallFailure) -> InferenceModel.Entry {
    let (name, version) = try named(message)
    return try await model.entry(name, version)
  }
}
