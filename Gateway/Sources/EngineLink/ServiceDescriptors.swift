package import FaceCore
import GatewayCoding
package import NIOCore

/// The services in a `google.protobuf.FileDescriptorSet`, and which of their methods are streams.
///
/// Source: google/protobuf/descriptor.proto.
package struct ServiceDescriptors: Sendable {
  package struct File: Sendable {
    package var name: String
    package var encoded: ByteBuffer
    package var dependencies: [String] = []
  }

  package private(set) var files: [File] = []
  /// The methods by full name, as in "faceengine.v1.Detector/Detect".
  package private(set) var methods: [String: EngineRequest.Kind] = [:]
  package private(set) var services: [String] = []
  /// The index of the file that declares each service, method, message and enumeration, by full name.
  package private(set) var symbols: [String: Int] = [:]

  package init(_ set: ByteBuffer) throws(Status) {
    var reader = ProtobufReader(set)
    while let field = try reader.next() {
      if field.number == 1, let file = field.value.bytes { try add(file) }
    }
  }

  package mutating func merge(_ other: ServiceDescriptors) {
    let offset = files.count
    files += other.files
    services += other.services
    methods.merge(other.methods) { mine, _ in mine }
    symbols.merge(other.symbols.mapValues { $0 + offset }) { mine, _ in mine }
  }

  private mutating func add(_ encoded: ByteBuffer) throws(Status) {
    var file = File(name: "", encoded: encoded)
    var package = ""
    var messages: [ByteBuffer] = []
    var enumerations: [ByteBuffer] = []
    var services: [ByteBuffer] = []
    var reader = ProtobufReader(encoded)
    while let field = try reader.next() {
      guard let bytes = field.value.bytes else { continue }
      switch field.number {
      case 1: file.name = String(buffer: bytes)
      case 2: package = String(buffer: bytes)
      case 3: file.dependencies.append(String(buffer: bytes))
      case 4: messages.append(bytes)
      case 5: enumerations.append(bytes)
      case 6: services.append(bytes)
      default: continue
      }
    }
    files.append(file)
    let scope = package.isEmpty ? "" : package + "."
    for message in messages { try addMessage(message, scope) }
    for enumeration in enumerations { symbols[scope + (try Self.name(enumeration))] = files.count - 1 }
    for service in services { try addService(service, scope) }
  }

  /// Adds a message and the ones nested in it.
  private mutating func addMessage(_ message: ByteBuffer, _ scope: String) throws(Status) {
    let name = scope + (try Self.name(message))
    symbols[name] = files.count - 1
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      guard let bytes = field.value.bytes else { continue }
      if field.number == 3 { try addMessage(bytes, name + ".") }
      if field.number == 4 { symbols[name + "." + (try Self.name(bytes))] = files.count - 1 }
    }
  }

  private mutating func addService(_ service: ByteBuffer, _ scope: String) throws(Status) {
    let name = scope + (try Self.name(service))
    services.append(name)
    symbols[name] = files.count - 1
    var reader = ProtobufReader(service)
    while let field = try reader.next() {
      guard field.number == 2, let bytes = field.value.bytes else { continue }
      let parts = try ProtobufReader.fields(of: bytes)
      let own = parts[1]?.text ?? ""
      methods[name + "/" + own] =
        parts[5]?.number == 1 ? .messages : parts[6]?.number == 1 ? .answers : .single
      symbols[name + "." + own] = files.count - 1
    }
  }

  /// The name of a message, enumeration, service or method: field 1 of each.
  private static func name(_ bytes: ByteBuffer) throws(Status) -> String {
    try ProtobufReader.fields(of: bytes)[1]?.text ?? ""
  }
}
