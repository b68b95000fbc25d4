package import FaceCore
package import NIOCore

/// The failure of a call, with the engine's details for programs.
package struct CallFailure: Error {
  package var status: Status
  /// The encoded `google.rpc.Status` with its details; `nil` if there are none.
  package var encoded: [UInt8]?

  package init(_ status: Status) {
    self.status = status
    encoded = status.detail.map { Self.encode(status, $0) }
  }

  package init(_ code: StatusCode, _ message: String, _ detail: StatusDetail? = nil) {
    self.init(Status(code, message, detail))
  }

  /// Of an engine at whose socket nobody listens.
  package static let unreachable = CallFailure(.unavailable, "the engine is not reachable; try again soon")

  /// Of a connection to the engine that has ended.
  package static let connectionLost = CallFailure(
    .unavailable, "the engine closed the connection; try again soon")

  /// Of an engine that has not answered within a call's time.
  package static let unanswered = CallFailure(
    .deadlineExceeded, "the engine did not answer in time; see that it runs and try again")

  /// Whether the engine is gone, or does not answer in time.
  package var isEngineDown: Bool { status.code == .unavailable || status.code == .deadlineExceeded }

  /// Reads the `status` of a `ttrpc.Response`, whose encoding is that of `google.rpc.Status`; `nil` for OK.
  package init?(decoding bytes: ByteBuffer) throws(Status) {
    var code: Int32 = 0
    var message = ""
    var hasDetails = false
    var limit: String?
    var reader = ProtobufReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .varint(let value)): code = Int32(truncatingIfNeeded: value)
      case (2, .bytes(let text)): message = String(buffer: text)
      case (3, .bytes(let any)):
        hasDetails = true
        if limit == nil { limit = try Self.limit(any) }
      default: continue
      }
    }
    if code == 0 { return nil }
    status = Status(StatusCode(rawValue: code) ?? .unknown, message, limit.map { .limit($0) })
    encoded = hasDetails ? Array(buffer: bytes) : nil
  }

  /// The name of the limit in a detail; `nil` for another detail.
  private static func limit(_ any: ByteBuffer) throws(Status) -> String? {
    func first(_ number: Int, of bytes: ByteBuffer) throws(Status) -> ByteBuffer? {
      var reader = ProtobufReader(bytes)
      while let field = try reader.next() { if field.number == number { return field.value.bytes } }
      return nil
    }
    guard let type = try first(1, of: any), String(buffer: type).hasSuffix(".QuotaFailure"),
      let failure = try first(2, of: any), let violation = try first(1, of: failure)
    else { return nil }
    return try first(1, of: violation).map { String(buffer: $0) }
  }

  /// Encodes a status with a detail. Both messages in the detail have the name in the same place: field 1 of
  /// the first entry of field 1. Source: googleapis, google/rpc/status.proto and error_details.proto.
  private static func encode(_ status: Status, _ detail: StatusDetail) -> [UInt8] {
    let (type, name) =
      switch detail {
      case .field(let name): ("BadRequest", name)
      case .limit(let name): ("QuotaFailure", name)
      }
    var writer = ProtobufWriter()
    writer.varint(1, UInt64(status.code.rawValue))
    writer.text(2, status.message)
    writer.message(3) { any in
      any.text(1, "type.googleapis.com/google.rpc.\(type)")
      any.message(2) { list in list.message(1) { entry in entry.text(1, name) } }
    }
    return Array(buffer: writer.bytes)
  }
}
