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
public enum HelloCall: UnaryCall {
  public static let coding = CallCoding(
    .hello, MessageCoding<HelloRequest>(), MessageCoding<HelloResponse>())
}

// generated: swift-coding HelloRequest HelloRequest min_protocol_version=minVersion max_protocol_version=maxVersion
extension HelloRequest: WireValue {
  func encode(into message: inout Faceengine__V1__HelloRequest, _ arena: Arena) {
    message.min_protocol_version = UInt32(clamping: minVersion)
    message.max_protocol_version = UInt32(clamping: maxVersion)
    message.client = arena.string(client)
    (message.n_features, message.features) = arena.list(features)
  }

  init(decoding message: Faceengine__V1__HelloRequest) throws(Status) {
    self.init(
      minVersion: .init(clamping: message.min_protocol_version),
      maxVersion: .init(clamping: message.max_protocol_version),
      client: try Decoder.text(message.client, "client"),
      features: try Decoder.list(message.features, message.n_features, "features"))
  }
}
// end of generated

extension HelloResponse: WireValue {
  func encode(into message: inout Faceengine__V1__HelloResponse, _ arena: Arena) {
    message.protocol_version = version
    message.engine_version = arena.string(engineVersion)
    (message.n_features, message.features) = arena.list(
      Feature.allCases.filter(features.contains).map(\.rawValue))
    message.limits = arena.message(limits)
  }

  init(decoding message: Faceengine__V1__HelloResponse) throws(Status) {
    let names = try Decoder.list(message.features, message.n_features, "features")
    self.init(
      version: message.protocol_version,
      engineVersion: try Decoder.text(message.engine_version, "engine_version"),
      features: Set(names.compactMap(Feature.init(rawValue:))), limits: try Decoder.value(message.limits))
  }
}
