import CProtocol
import FaceCore

/// A field of a request that only a later version knows: the engine refuses it by its number, and a client of that
/// version says its name.
enum UnknownField {
  static func status(_ number: Int, in path: String) -> Status { status(self.path("\(number)", in: path)) }

  static func status(_ field: String) -> Status {
    Status(
      .unimplemented,
      "the engine does not know the field \(field) of the request; install a newer engine, or leave the field out",
      .field(field))
  }

  /// The path of a field of the message at `path`.
  static func path(_ field: String, in path: String) -> String { path.isEmpty ? field : "\(path).\(field)" }

  /// The engine's failure with the name that this side knows for the field; as it is if it is about something else.
  static func named(_ failure: Status) -> Status {
    guard failure.code == .unimplemented, case .field(let path) = failure.detail else { return failure }
    let parts = path.split(separator: ".")
    // A number alone may be that of any request.
    guard parts.count > 1 else { return failure }
    guard let number = parts.last.flatMap({ UInt32($0) }) else { return failure }
    for root in roots {
      guard let name = name(number, parts.dropLast(), root) else { continue }
      return status((parts.dropLast().map(String.init) + [name]).joined(separator: "."))
    }
    return failure
  }

  /// The messages in which a request's paths begin.
  private static var roots: [UnsafePointer<ProtobufCMessageDescriptor>] {
    [
      Faceengine__V1__DetectRequest.descriptor, Faceengine__V1__WatchStart.descriptor,
      Faceengine__V1__WatchRequest.descriptor,
    ]
  }

  private static func name(
    _ number: UInt32, _ parents: some Sequence<Substring>, _ root: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> String? {
    var message = root
    for parent in parents {
      guard let field = protobuf_c_message_descriptor_get_field_by_name(message, String(parent))?.pointee,
        field.type == PROTOBUF_C_TYPE_MESSAGE
      else { return nil }
      message = UnsafePointer(field.descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self))
    }
    return protobuf_c_message_descriptor_get_field(message, number).map { String(cString: $0.pointee.name) }
  }
}
