import CProtocol
public import FaceCore

/// An extension of ttrpc that a connection may use once both sides have named it in a Hello.
public enum Feature: String, Sendable, CaseIterable {
  case cancel
  case ping
  case credit
  case buffers
  case goaway
}

/// The first message of a client.
public struct HelloRequest: Equatable, Sendable {
  /// The versions of the protocol that the client supports.
  public var minVersion: UInt32
  public var maxVersion: UInt32
  /// The name and version of the client, for the engine's log.
  public var client: String
  /// The names of features, including those of later versions.
  public var features: [String]

  public init(minVersion: UInt32 = 1, maxVersion: UInt32 = 1, client: String, features: [String]) {
    self.minVersion = minVersion
    self.maxVersion = maxVersion
    self.client = client
    self.features = features
  }
}

/// The engine's answer.
public struct HelloResponse: Equatable, Sendable {
  /// The highest version that both sides support.
  public var version: UInt32
  public var engineVersion: String
  /// The requested features that this connection now has; names unknown to this side are left out.
  public var features: Set<Feature>
  public var limits: EngineLimits

  public init(version: UInt32, engineVersion: String, features: Set<Feature>, limits: EngineLimits) {
    self.version = version
    self.engineVersion = engineVersion
    self.features = features
    self.limits = limits
  }
}

/// The messages of `Session/Hello`.
public enum HelloCall {
  public static func requestFrame(_ call: CallHeader, _ hello: HelloRequest) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__HelloRequest.self)
    request.pointee.min_protocol_version = hello.minVersion
    request.pointee.max_protocol_version = hello.maxVersion
    request.pointee.client = arena.string(hello.client)
    request.pointee.n_features = hello.features.count
    request.pointee.features = arena.strings(hello.features)
    return try CallFrame.request(.hello, call, request, limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
  public static func request(_ payload: Span<UInt8>) throws(Status) -> HelloRequest {
    try Decoder.decode(Faceengine__V1__HelloRequest.self, payload) { (request) throws(Status) in
      HelloRequest(
        minVersion: request.min_protocol_version, maxVersion: request.max_protocol_version,
        client: try Decoder.text(request.client, "client"),
        features: try Decoder.texts(request.features, request.n_features, "features"))
    }
  }

  public static func responseFrame(stream: UInt32, _ hello: HelloResponse) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__HelloResponse.self)
    response.pointee.protocol_version = hello.version
    response.pointee.engine_version = arena.string(hello.engineVersion)
    let features = Feature.allCases.filter(hello.features.contains).map(\.rawValue)
    response.pointee.n_features = features.count
    response.pointee.features = arena.strings(features)
    response.pointee.limits = LimitsCoding.encode(hello.limits, arena)
    return try CallFrame.response(stream: stream, response)
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a text in it is invalid.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> HelloResponse {
    try Decoder.decode(Faceengine__V1__HelloResponse.self, payload) { (response) throws(Status) in
      let names = try Decoder.texts(response.features, response.n_features, "features")
      return HelloResponse(
        version: response.protocol_version,
        engineVersion: try Decoder.text(response.engine_version, "engine_version"),
        features: Set(names.compactMap(Feature.init(rawValue:))),
        limits: LimitsCoding.decode(response.limits?.pointee))
    }
  }
}
