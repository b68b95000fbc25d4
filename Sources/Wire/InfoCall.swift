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
    response.pointee.limits = encode(info.limits, arena)
    let features = arena.allocate(UnsafeMutablePointer<CChar>?.self, count: info.features.count)
    for (index, feature) in info.features.enumerated() { features[index] = arena.string(feature) }
    response.pointee.n_features = info.features.count
    response.pointee.features = features
    return try CallFrame.response(stream: stream, response)
  }

  private static func encode(
    _ limits: EngineLimits, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__Limits> {
    let message = arena.message(Faceengine__V1__Limits.self)
    message.pointee.max_message_bytes = UInt32(clamping: limits.maxMessageBytes)
    message.pointee.calls_per_connection = UInt32(clamping: limits.callsPerConnection)
    message.pointee.connections_per_user = UInt32(clamping: limits.connectionsPerUser)
    message.pointee.min_image_side = UInt32(clamping: limits.minImageSide)
    message.pointee.max_image_side = UInt32(clamping: limits.maxImageSide)
    return message
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a text in it is none.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> EngineInfo {
    try Decoder.decode(Faceengine__V1__InfoResponse.self, payload) { (response) throws(Status) in
      var models: [ModelInfo] = []
      for index in 0..<response.n_models {
        guard let model = response.models[index]?.pointee else { continue }
        models.append(try ModelCoding.decode(model))
      }
      var features: [String] = []
      for index in 0..<response.n_features {
        features.append(try Decoder.text(response.features[index], "features"))
      }
      let limits = response.limits?.pointee
      return EngineInfo(
        version: try Decoder.text(response.engine_version, "engine_version"),
        protocolVersion: Int(response.protocol_version), models: models,
        limits: EngineLimits(
          maxMessageBytes: Int(limits?.max_message_bytes ?? 0),
          callsPerConnection: Int(limits?.calls_per_connection ?? 0),
          connectionsPerUser: Int(limits?.connections_per_user ?? 0),
          minImageSide: Int(limits?.min_image_side ?? 0),
          maxImageSide: Int(limits?.max_image_side ?? 0)),
        features: features)
    }
  }
}
