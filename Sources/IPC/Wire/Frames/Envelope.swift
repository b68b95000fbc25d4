public import FaceCore

/// The envelope in the data of a request frame; the payload stays where it was received.
public struct RequestEnvelope: Equatable, Sendable {
  public var service: String
  public var method: String
  /// The position of the payload in the frame's data.
  public var payload: Range<Int>
  /// How long the caller waits from the moment of receipt; 0 for no limit.
  public var timeout: TimeSpan
  /// The trace in the metadata.
  public var trace = RequestTrace()

  /// The limit for a service's or method's name in bytes; no real one is longer.
  static let maxNameLength = 256

  /// Throws `invalidArgument` for bytes that are not a `ttrpc.Request`.
  public init(decoding bytes: Span<UInt8>) throws(Status) {
    service = ""
    method = ""
    payload = 0..<0
    timeout = .zero
    var scanner = ProtobufScanner(0..<bytes.count, of: "envelope of the request")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)): service = try Self.name(bytes, range, "service", scanner)
      case (2, .bytes(let range)): method = try Self.name(bytes, range, "method", scanner)
      case (3, .bytes(let range)): payload = range
      case (4, .varint(let value)): timeout = .nanoseconds(Int64(bitPattern: value))
      case (5, .bytes(let range)): trace.read(bytes, range)
      case (1...4, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue  // fields of later versions
      }
    }
  }

  private static func name(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ what: StaticString, _ scanner: ProtobufScanner
  ) throws(Status) -> String {
    guard range.count <= maxNameLength else {
      throw scanner.malformed("the \(what)'s name has \(range.count) bytes")
    }
    do {
      return String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      throw scanner.malformed("the \(what)'s name is not UTF-8")
    }
  }
}

/// The envelope in the data of a response frame; the payload stays where it was received.
public struct ResponseEnvelope: Equatable, Sendable {
  /// The failure; `nil` if the call succeeded.
  public var failure: Status?
  /// The position of a failure's status that has details, known here or not; `nil` without details.
  public var detailedStatus: Range<Int>?
  /// The position of the payload in the frame's data.
  public var payload: Range<Int>

  /// Throws `invalidArgument` for bytes that are not a `ttrpc.Response`.
  public init(decoding bytes: Span<UInt8>) throws(Status) {
    payload = 0..<0
    var scanner = ProtobufScanner(0..<bytes.count, of: "envelope of the response")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)):
        let (status, hasDetails) = try Self.status(bytes, range)
        failure = status
        detailedStatus = hasDetails ? range : nil
      case (2, .bytes(let range)): payload = range
      case (1...2, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
  }

  private static func status(
    _ bytes: Span<UInt8>, _ range: Range<Int>
  ) throws(Status) -> (status: Status?, hasDetails: Bool) {
    var hasDetails = false
    var code: Int32 = 0
    var message = ""
    var detail: StatusDetail?
    var scanner = ProtobufScanner(range, of: "status of the response")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .varint(let value)): code = Int32(truncatingIfNeeded: value)
      case (2, .bytes(let range)): message = bytes.text(range)
      case (3, .bytes(let range)):
        hasDetails = true
        // Only the first one of a known type counts.
        if detail == nil { detail = try DetailCoding.decode(bytes, range) }
      case (1...3, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
    let status =
      code == 0 ? nil : UnknownField.named(Status(StatusCode(rawValue: code) ?? .unknown, message, detail))
    return (status, hasDetails)
  }
}

/// `StatusDetail` ↔ one of the `details` of a `ttrpc.Status`, a `google.protobuf.Any`.
///
/// Only the name in each of the two messages is used. Both have it in the same place: field 1 of the first
/// entry of field 1. Source: googleapis, google/rpc/error_details.proto, BadRequest and QuotaFailure.
enum DetailCoding {
  private static let badRequest = "type.googleapis.com/google.rpc.BadRequest"
  private static let quotaFailure = "type.googleapis.com/google.rpc.QuotaFailure"

  private static let requestInfo = "type.googleapis.com/google.rpc.RequestInfo"

  /// The fields 3 of a status. A detail without a name contains only its type; an empty trace is left out.
  static func fields(_ detail: StatusDetail?, _ trace: RequestTrace) -> [UInt8] {
    var fields: [UInt8] = []
    switch detail {
    case .field(let name): fields += any(badRequest, field(1, field(1, name.utf8)))
    case .limit(let name): fields += any(quotaFailure, field(1, field(1, name.utf8)))
    case nil: break
    }
    // Source: googleapis, google/rpc/error_details.proto, RequestInfo.
    if !trace.isEmpty { fields += any(requestInfo, field(1, trace.name.utf8)) }
    return fields
  }

  private static func any(_ type: String, _ value: [UInt8]) -> [UInt8] {
    field(3, field(1, type.utf8) + field(2, value))
  }

  /// A length-delimited field; nothing if it is empty.
  private static func field(_ number: UInt8, _ bytes: some Collection<UInt8>) -> [UInt8] {
    if bytes.isEmpty { return [] }
    let prefix = [UInt8](capacity: 16) { FieldWriter.prefix(number, bytes.count, to: &$0) }
    return prefix + bytes
  }

  /// Decodes a detail; `nil` if the type is not known here. Throws `invalidArgument` for bytes that are not a
  /// message.
  static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Status) -> StatusDetail? {
    let any = try fields(bytes, range)
    switch any.first.map({ bytes.text($0) }) {
    case badRequest: return .field(try name(bytes, any.second))
    case quotaFailure: return .limit(try name(bytes, any.second))
    default: return nil
    }
  }

  private static func name(_ bytes: Span<UInt8>, _ value: Range<Int>?) throws(Status) -> String {
    guard let value, let entry = try fields(bytes, value).first, let name = try fields(bytes, entry).first
    else {
      return ""
    }
    return bytes.text(name)
  }

  /// The positions of the first values of fields 1 and 2; invalid data is skipped.
  private static func fields(
    _ bytes: Span<UInt8>, _ range: Range<Int>
  ) throws(Status) -> (first: Range<Int>?, second: Range<Int>?) {
    var found: (first: Range<Int>?, second: Range<Int>?) = (nil, nil)
    var scanner = ProtobufScanner(range, of: "details of the status")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)): found.first = found.first ?? range
      case (2, .bytes(let range)): found.second = found.second ?? range
      default: continue
      }
    }
    return found
  }
}

extension Span<UInt8> {
  /// The bytes in `range` as text; invalid UTF-8 is replaced.
  func text(_ range: Range<Int>) -> String {
    extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}
