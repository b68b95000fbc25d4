public import FaceCore

/// What the data of a response frame says; the payload stays where it was received.
public struct ResponseEnvelope: Equatable, Sendable {
  /// `nil` when the call succeeded.
  public var failure: Status?
  /// Positions of the payload in the frame's data.
  public var payload: Range<Int>

  /// Throws `invalidArgument` for bytes that are no `ttrpc.Response`.
  public init(decoding bytes: Span<UInt8>) throws(Status) {
    payload = 0..<0
    var scanner = FieldScanner(0..<bytes.count, of: "envelope of the response")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)): failure = try Self.status(bytes, range)
      case (2, .bytes(let range)): payload = range
      case (1...2, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
  }

  private static func status(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Status) -> Status? {
    var code: Int32 = 0
    var message = ""
    var detail: StatusDetail?
    var scanner = FieldScanner(range, of: "status of the response")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .varint(let value)): code = Int32(truncatingIfNeeded: value)
      case (2, .bytes(let range)):
        message = bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      case (3, .bytes(let range)):
        // The first one of a kind that is known here.
        if detail == nil { detail = try DetailCoding.decode(bytes, range) }
      case (1...3, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
    return code == 0 ? nil : Status(StatusCode(rawValue: code) ?? .unknown, message, detail)
  }
}
