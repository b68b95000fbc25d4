public import FaceCore

/// The envelope in the data of a request frame; the payload stays where it was received.
public struct RequestEnvelope: Equatable, Sendable {
  public var service: String
  public var method: String
  /// The position of the payload in the frame's data.
  public var payload: Range<Int>
  /// Nanoseconds that the caller waits from the moment of receipt; 0 for no limit.
  public var timeout: Int64
  /// The trace in the metadata.
  public var trace = RequestTrace()

  /// The limit for a service's or method's name in bytes; no real one is longer.
  static let maxNameLength = 256

  /// Throws `invalidArgument` for bytes that are not a `ttrpc.Request`.
  public init(decoding bytes: Span<UInt8>) throws(Status) {
    service = ""
    method = ""
    payload = 0..<0
    timeout = 0
    var scanner = ProtobufScanner(0..<bytes.count, of: "envelope of the request")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)): service = try Self.name(bytes, range, "service", scanner)
      case (2, .bytes(let range)): method = try Self.name(bytes, range, "method", scanner)
      case (3, .bytes(let range)): payload = range
      case (4, .varint(let value)): timeout = Int64(bitPattern: value)
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
      case (2, .bytes(let range)):
        message = bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      case (3, .bytes(let range)):
        hasDetails = true
        // Only the first one of a known type counts.
        if detail == nil { detail = try DetailCoding.decode(bytes, range) }
      case (1...3, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
    let status = code == 0 ? nil : Status(StatusCode(rawValue: code) ?? .unknown, message, detail)
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

  private static func parts(_ detail: StatusDetail) -> (type: String, name: String) {
    switch detail {
    case .field(let name): (badRequest, name)
    case .limit(let name): (quotaFailure, name)
    }
  }

  private static func nameSize(_ name: String) -> Int { FieldWriter.bytesSize(name.utf8.count) }

  private static func valueSize(_ name: String) -> Int { FieldWriter.bytesSize(nameSize(name)) }

  /// The size of the `Any` alone in bytes.
  private static func anySize(_ detail: StatusDetail) -> Int {
    let (type, name) = parts(detail)
    return FieldWriter.bytesSize(type.utf8.count) + FieldWriter.bytesSize(valueSize(name))
  }

  /// The size of the field in the status; 0 without a detail.
  static func size(_ detail: StatusDetail?) -> Int {
    detail.map { FieldWriter.bytesSize(anySize($0)) } ?? 0
  }

  /// Writes field 3 of the status. A detail without a name contains only its type.
  static func encode(_ detail: StatusDetail?, to output: inout OutputSpan<UInt8>) {
    guard let detail else { return }
    let (type, name) = parts(detail)
    FieldWriter.prefix(3, anySize(detail), to: &output)
    FieldWriter.string(1, type, to: &output)
    if name.isEmpty { return }
    FieldWriter.prefix(2, valueSize(name), to: &output)
    FieldWriter.prefix(1, nameSize(name), to: &output)
    FieldWriter.string(1, name, to: &output)
  }

  private static let requestInfo = "type.googleapis.com/google.rpc.RequestInfo"

  private static func traceSize(_ name: String) -> Int {
    FieldWriter.bytesSize(requestInfo.utf8.count)
      + FieldWriter.bytesSize(FieldWriter.bytesSize(name.utf8.count))
  }

  /// The size of the status field that identifies the request; 0 without a trace.
  static func size(_ trace: RequestTrace) -> Int {
    trace.isEmpty ? 0 : FieldWriter.bytesSize(traceSize(trace.name))
  }

  /// Writes field 3 of the status. Source: googleapis, google/rpc/error_details.proto, RequestInfo.
  static func encode(_ trace: RequestTrace, to output: inout OutputSpan<UInt8>) {
    if trace.isEmpty { return }
    FieldWriter.prefix(3, traceSize(trace.name), to: &output)
    FieldWriter.string(1, requestInfo, to: &output)
    FieldWriter.prefix(2, FieldWriter.bytesSize(trace.name.utf8.count), to: &output)
    FieldWriter.string(1, trace.name, to: &output)
  }

  /// Decodes a detail; `nil` if the type is not known here. Throws `invalidArgument` for bytes that are not a
  /// message.
  static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Status) -> StatusDetail? {
    let any = try fields(bytes, range)
    switch any.first.map({ text(bytes, $0) }) {
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
    return text(bytes, name)
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

  private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}
