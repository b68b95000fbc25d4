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

  /// Throws `invalidArgument` when the payload is no such message; it has no fields yet.
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
    return try CallFrame.response(stream: stream, response)
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a text in it is none.
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
        features: features)
    }
  }
}
