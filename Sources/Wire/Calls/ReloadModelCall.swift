import CProtocol
public import FaceCore

/// The messages of `Admin/ReloadModel`.
public enum ReloadModelCall {
  /// - Parameter name: empty for every loaded model.
  public static func requestFrame(_ call: CallHeader, name: String) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__ReloadModelRequest.self)
    request.pointee.name = arena.string(name)
    return try CallFrame.request(.reloadModel, call, request, limit: FrameHeader.maxLength)
  }

  /// The name asked for.
  public static func request(_ payload: Span<UInt8>) throws(Status) -> String {
    try Decoder.decode(Faceengine__V1__ReloadModelRequest.self, payload) { (request) throws(Status) in
      try Decoder.text(request.name, "name")
    }
  }

  public static func responseFrame(stream: UInt32, _ models: [ModelInfo]) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__ReloadModelResponse.self)
    (response.pointee.n_models, response.pointee.models) = arena.list(models) {
      ModelCoding.encode($0, arena)
    }
    return try CallFrame.response(stream: stream, response)
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a text in it is none.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [ModelInfo] {
    try Decoder.decode(
      Faceengine__V1__ReloadModelResponse.self, payload, growth: 32
    ) { (response) throws(Status) in
      var models: [ModelInfo] = []
      for index in 0..<response.n_models {
        guard let model = response.models[index]?.pointee else { continue }
        models.append(try ModelCoding.decode(model))
      }
      return models
    }
  }
}
