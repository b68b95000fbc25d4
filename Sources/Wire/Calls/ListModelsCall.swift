import CProtocol
public import FaceCore

/// The messages of `Admin/ListModels`.
public enum ListModelsCall {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .listModels, call, arena.message(Faceengine__V1__ListModelsRequest.self), limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` when the payload is no such message; it has no fields yet.
  public static func request(_ payload: Span<UInt8>) throws(Status) {
    try Decoder.decode(Faceengine__V1__ListModelsRequest.self, payload) { _ in }
  }

  public static func responseFrame(stream: UInt32, _ models: [ListedModel]) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__ListModelsResponse.self)
    (response.pointee.n_models, response.pointee.models) = arena.list(models) { listed in
      let message = arena.message(Faceengine__V1__ListedModel.self)
      message.pointee.model = ModelCoding.encode(listed.model, arena)
      message.pointee.title = arena.string(listed.title)
      message.pointee.loaded = listed.isLoaded ? 1 : 0
      return message
    }
    return try CallFrame.response(stream: stream, response)
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a text in it is none.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [ListedModel] {
    // An empty entry has 2 bytes encoded and 60 decoded; what has a name has less.
    try Decoder.decode(
      Faceengine__V1__ListModelsResponse.self, payload, growth: 32
    ) { (response) throws(Status) in
      var models: [ListedModel] = []
      for index in 0..<response.n_models {
        guard let listed = response.models[index]?.pointee, let model = listed.model?.pointee else {
          continue
        }
        models.append(
          ListedModel(
            try ModelCoding.decode(model), title: try Decoder.text(listed.title, "title"),
            isLoaded: listed.loaded != 0))
      }
      return models
    }
  }
}
