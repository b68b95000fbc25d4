import CProtocol
public import FaceCore

/// The messages of `Admin/Info`.
public enum InfoCall {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .info, call, arena.message(Faceengine__V1__InfoRequest.self), limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` if the payload is not such a message; it has no fields yet.
  public static func request(_ payload: Span<UInt8>) throws(Status) {
    try Decoder.decode(Faceengine__V1__InfoRequest.self, payload) { _ in }
  }

  public static func responseFrame(stream: UInt32, _ info: EngineInfo) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__InfoResponse.self)
    response.pointee.engine_version = arena.string(info.version)
    response.pointee.protocol_version = UInt32(clamping: info.protocolVersion)
    (response.pointee.n_models, response.pointee.models) = arena.list(info.models) {
      ModelCoding.encode($0, arena)
    }
    response.pointee.limits = LimitsCoding.encode(info.limits, arena)
    response.pointee.n_features = info.features.count
    response.pointee.features = arena.strings(info.features)
    response.pointee.n_sandbox = info.sandbox.count
    response.pointee.sandbox = arena.strings(info.sandbox)
    response.pointee.models_released = info.hasReleasedModels ? 1 : 0
    return try CallFrame.response(stream: stream, response)
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> EngineInfo {
    try Decoder.decode(Faceengine__V1__InfoResponse.self, payload) { (response) throws(Status) in
      var models: [ModelInfo] = []
      for index in 0..<response.n_models {
        guard let model = response.models[index]?.pointee else { continue }
        models.append(try ModelCoding.decode(model))
      }
      let features = try Decoder.texts(response.features, response.n_features, "features")
      return EngineInfo(
        version: try Decoder.text(response.engine_version, "engine_version"),
        protocolVersion: Int(response.protocol_version), models: models,
        limits: LimitsCoding.decode(response.limits?.pointee),
        features: features,
        sandbox: try Decoder.texts(response.sandbox, response.n_sandbox, "sandbox"),
        hasReleasedModels: response.models_released != 0)
    }
  }
}

/// The messages of `Admin/ListModels`.
public enum ListModelsCall {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .listModels, call, arena.message(Faceengine__V1__ListModelsRequest.self), limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` if the payload is not such a message; it has no fields yet.
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

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [ListedModel] {
    // An empty entry has 2 bytes encoded and 60 decoded; named entries grow by less.
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

/// The messages of `Admin/ReloadModel`.
public enum ReloadModelCall {
  /// - Parameter name: the model's name; empty for every loaded model.
  public static func requestFrame(_ call: CallHeader, name: String) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__ReloadModelRequest.self)
    request.pointee.name = arena.string(name)
    return try CallFrame.request(.reloadModel, call, request, limit: FrameHeader.maxLength)
  }

  /// The requested name.
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

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
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

/// The messages of `Admin/Describe`.
public enum DescribeCall {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .describe, call, arena.message(Faceengine__V1__DescribeRequest.self), limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` if the payload is not such a message; it has no fields yet.
  public static func request(_ payload: Span<UInt8>) throws(Status) {
    try Decoder.decode(Faceengine__V1__DescribeRequest.self, payload) { _ in }
  }

  /// The answer with face_engine.proto as compiled by protoc.
  public static func responseFrame(stream: UInt32) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__DescribeResponse.self)
    response.pointee.file_descriptor_set = face_engine_descriptor_set()
    return try CallFrame.response(stream: stream, response)
  }

  /// The bytes of a `google.protobuf.FileDescriptorSet`.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [UInt8] {
    try Decoder.decode(Faceengine__V1__DescribeResponse.self, payload) { response in
      let set = response.file_descriptor_set
      return Array(UnsafeBufferPointer(start: set.data, count: set.len))
    }
  }
}

/// `Model` ↔ `ModelInfo`.
enum ModelCoding {
  static func encode(_ model: ModelInfo, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Model> {
    let message = arena.message(Faceengine__V1__Model.self)
    message.pointee.name = arena.string(model.name)
    message.pointee.family = arena.string(model.family)
    message.pointee.licence = arena.string(model.licence)
    message.pointee.role = arena.string(model.role)
    message.pointee.engine = arena.string(model.engine)
    message.pointee.revision = UInt32(clamping: model.revision)
    message.pointee.weights_sha256 = arena.bytes(model.weightsHash)
    return message
  }

  /// Throws `invalidArgument` if a name is not valid text.
  static func decode(_ message: Faceengine__V1__Model) throws(Status) -> ModelInfo {
    ModelInfo(
      name: try Decoder.text(message.name, "model.name"),
      family: try Decoder.text(message.family, "model.family"),
      licence: try Decoder.text(message.licence, "model.licence"),
      role: try Decoder.text(message.role, "model.role"),
      engine: try Decoder.text(message.engine, "model.engine"),
      revision: Int(message.revision), weightsHash: Decoder.bytes(message.weights_sha256))
  }
}
