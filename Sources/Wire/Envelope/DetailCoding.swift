import FaceCore

/// `StatusDetail` ↔ one of the `details` of a `ttrpc.Status`, a `google.protobuf.Any`.
///
/// Of the two messages inside only the name is used, and both have it at the same place: field 1 of the first entry of
/// field 1. Source: googleapis, google/rpc/error_details.proto, BadRequest and QuotaFailure.
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

  /// Bytes of the `Any` alone.
  private static func anySize(_ detail: StatusDetail) -> Int {
    let (type, name) = parts(detail)
    return FieldWriter.bytesSize(type.utf8.count) + FieldWriter.bytesSize(valueSize(name))
  }

  /// Of the field in the status; 0 for none.
  static func size(_ detail: StatusDetail?) -> Int {
    detail.map { FieldWriter.bytesSize(anySize($0)) } ?? 0
  }

  /// Writes field 3 of the status. A detail without a name says only of which kind it is.
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

  /// `nil` for a type that is not known here. Throws `invalidArgument` for bytes that are no message.
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

  /// Where the first values of fields 1 and 2 lie; what is no text or message is passed over.
  private static func fields(
    _ bytes: Span<UInt8>, _ range: Range<Int>
  ) throws(Status) -> (first: Range<Int>?, second: Range<Int>?) {
    var found: (first: Range<Int>?, second: Range<Int>?) = (nil, nil)
    var scanner = FieldScanner(range, of: "details of the status")
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
