import CProtocol
public import FaceCore

/// The messages of `Admin/Info`.
public enum InfoCall: UnaryCall {
  public static let coding = CallCoding(
    .info, MessageCoding(empty: Faceengine__V1__InfoRequest.self), MessageCoding<EngineInfo>())
}

/// The messages of `Admin/ListModels`.
public enum ListModelsCall: UnaryCall {
  public static let coding = CallCoding(
    .listModels, MessageCoding(empty: Faceengine__V1__ListModelsRequest.self),
    // An empty entry has 2 bytes encoded and 60 decoded; named entries grow by less.
    MessageCoding<[ListedModel]>(
      Faceengine__V1__ListModelsResponse.self, growth: 32,
      encode: { ($1.n_models, $1.models) = $2.list($0) },
      decode: { (message) throws(Status) in try Decoder.list(message.models, message.n_models) }))
}

/// The messages of `Admin/ReloadModel`. The request is the model's name, empty for every loaded model.
public enum ReloadModelCall: UnaryCall {
  public static let coding = CallCoding(
    .reloadModel,
    MessageCoding<String>(
      Faceengine__V1__ReloadModelRequest.self, encode: { $1.name = $2.string($0) },
      decode: { (message) throws(Status) in try Decoder.text(message.name, "name") }),
    MessageCoding<[ModelInfo]>(
      Faceengine__V1__ReloadModelResponse.self, growth: 32,
      encode: { ($1.n_models, $1.models) = $2.list($0) },
      decode: { (message) throws(Status) in try Decoder.list(message.models, message.n_models) }))
}

/// The messages of `Admin/Describe`. The response is face_engine.proto as compiled by protoc: the bytes of a
/// `google.protobuf.FileDescriptorSet`.
public enum DescribeCall: UnaryCall {
  public static let coding = CallCoding(
    .describe, MessageCoding(empty: Faceengine__V1__DescribeRequest.self),
    MessageCoding<[UInt8]>(
      Faceengine__V1__DescribeResponse.self, encode: { $1.file_descriptor_set = $2.bytes($0) },
      decode: { Decoder.bytes($0.file_descriptor_set) }))

  public static func responseFrame(stream: UInt32) throws(Status) -> [UInt8] {
    try responseFrame(stream: stream, Decoder.bytes(face_engine_descriptor_set()))
  }

  /// The outputs that the described engine knows, by the fields of its `DetectOptions`. Throws `invalidArgument` if the
  /// bytes are not a `FileDescriptorSet`.
  @inline(never)  // Swift 6.3 makes invalid code of it in a caller.
  public static func outputs(of set: [UInt8]) throws(Status) -> FaceOutputs {
    let set = set.span
    // FileDescriptorSet.file, FileDescriptorProto.message_type, and of both messages and fields the name.
    let (files, messages, fields, name) = (1, 4, 2, 1)
    var names: Set<String> = []
    for file in try parts(files, of: set, 0..<set.count) {
      for message in try parts(messages, of: set, file) {
        guard try texts(name, of: set, message) == ["DetectOptions"] else { continue }
        for field in try parts(fields, of: set, message) { names.formUnion(try texts(name, of: set, field)) }
      }
    }
    return FaceOutputs(FaceOutputs.table.filter { names.contains("\($0.name)") }.map(\.output))
  }

  /// The places of the messages and texts in a field.
  private static func parts(
    _ number: Int, of bytes: Span<UInt8>, _ range: Range<Int>
  ) throws(Status) -> [Range<Int>] {
    var scanner = ProtobufScanner(range, of: "FileDescriptorSet")
    var found: [Range<Int>] = []
    while let field = try scanner.next(bytes) {
      if field.number == number, case .bytes(let part) = field.value { found.append(part) }
    }
    return found
  }

  private static func texts(
    _ number: Int, of bytes: Span<UInt8>, _ range: Range<Int>
  ) throws(Status) -> [String] {
    var found: [String] = []
    for part in try parts(number, of: bytes, range) {
      found.append(bytes.extracting(part).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }
    return found
  }
}

// generated: swift-coding EngineInfo InfoResponse engine_version=version models_released=hasReleasedModels
extension EngineInfo: WireValue {
  func encode(into message: inout Faceengine__V1__InfoResponse, _ arena: Arena) {
    message.engine_version = arena.string(version)
    message.protocol_version = UInt32(clamping: protocolVersion)
    (message.n_models, message.models) = arena.list(models)
    message.limits = arena.message(limits)
    (message.n_features, message.features) = arena.list(features)
    (message.n_sandbox, message.sandbox) = arena.list(sandbox)
    message.models_released = hasReleasedModels ? 1 : 0
  }

  init(decoding message: Faceengine__V1__InfoResponse) throws(Status) {
    self.init(
      version: try Decoder.text(message.engine_version, "engine_version"),
      protocolVersion: .init(clamping: message.protocol_version),
      models: try Decoder.list(message.models, message.n_models),
      limits: try Decoder.value(message.limits),
      features: try Decoder.list(message.features, message.n_features, "features"),
      sandbox: try Decoder.list(message.sandbox, message.n_sandbox, "sandbox"),
      hasReleasedModels: message.models_released != 0)
  }
}
// end of generated

// generated: swift-coding ListedModel ListedModel loaded=isLoaded
extension ListedModel: WireValue {
  func encode(into message: inout Faceengine__V1__ListedModel, _ arena: Arena) {
    message.model = arena.message(model)
    message.title = arena.string(title)
    message.loaded = isLoaded ? 1 : 0
  }

  init(decoding message: Faceengine__V1__ListedModel) throws(Status) {
    self.init(
      model: try Decoder.value(message.model),
      title: try Decoder.text(message.title, "listed_model.title"),
      isLoaded: message.loaded != 0)
  }
}
// end of generated

extension ListedModel {
  fileprivate init(model: ModelInfo, title: String, isLoaded: Bool) {
    self.init(model, title: title, isLoaded: isLoaded)
  }
}

// generated: swift-coding ModelInfo Model weights_sha256=weightsHash
extension ModelInfo: WireValue {
  func encode(into message: inout Faceengine__V1__Model, _ arena: Arena) {
    message.name = arena.string(name)
    message.family = arena.string(family)
    message.licence = arena.string(licence)
    message.role = arena.string(role)
    message.engine = arena.string(engine)
    message.revision = UInt32(clamping: revision)
    message.weights_sha256 = arena.bytes(weightsHash)
  }

  init(decoding message: Faceengine__V1__Model) throws(Status) {
    self.init(
      name: try Decoder.text(message.name, "model.name"),
      family: try Decoder.text(message.family, "model.family"),
      licence: try Decoder.text(message.licence, "model.licence"),
      role: try Decoder.text(message.role, "model.role"),
      engine: try Decoder.text(message.engine, "model.engine"),
      revision: .init(clamping: message.revision),
      weightsHash: Decoder.bytes(message.weights_sha256))
  }
}
// end of generated

// generated: swift-coding ModelIdentity ModelIdentity weights_sha256=weightsHash
extension ModelIdentity: WireValue {
  func encode(into message: inout Faceengine__V1__ModelIdentity, _ arena: Arena) {
    message.name = arena.string(name)
    message.revision = UInt32(clamping: revision)
    message.weights_sha256 = arena.bytes(weightsHash)
  }

  init(decoding message: Faceengine__V1__ModelIdentity) throws(Status) {
    self.init(
      name: try Decoder.text(message.name, "model_identity.name"),
      revision: .init(clamping: message.revision),
      weightsHash: Decoder.bytes(message.weights_sha256))
  }
}
// end of generated

/// Limits that an older engine does not send are 0.
extension EngineLimits: WireValue {
  private static let numbers = MessageFields(fields, of: Faceengine__V1__Limits.descriptor)

  func encode(into message: inout Faceengine__V1__Limits, _ arena: Arena) {
    EngineLimits.numbers.encode(self, into: &message)
  }

  init(decoding message: Faceengine__V1__Limits) throws(Status) {
    self = .unknown
    EngineLimits.numbers.decode(message, into: &self)
  }
}
