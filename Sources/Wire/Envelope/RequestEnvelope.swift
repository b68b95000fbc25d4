public import FaceCore

/// What the data of a request frame says; the payload stays where it was received.
public struct RequestEnvelope: Equatable, Sendable {
  public var service: String
  public var method: String
  /// Positions of the payload in the frame's data.
  public var payload: Range<Int>
  /// Nanoseconds the caller waits, counted from the moment of receipt; 0 for as long as it takes.
  public var timeout: Int64

  /// Longer names are nobody's.
  static let maxNameLength = 256

  /// Throws `invalidArgument` for bytes that are no `ttrpc.Request`.
  public init(decoding bytes: Span<UInt8>) throws(Status) {
    service = ""
    method = ""
    payload = 0..<0
    timeout = 0
    var scanner = FieldScanner(0..<bytes.count, of: "envelope of the request")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)): service = try Self.name(bytes, range, "service", scanner)
      case (2, .bytes(let range)): method = try Self.name(bytes, range, "method", scanner)
      case (3, .bytes(let range)): payload = range
      case (4, .varint(let value)): timeout = Int64(bitPattern: value)
      case (1...4, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue  // metadata, and what later versions add
      }
    }
  }

  private static func name(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ what: StaticString, _ scanner: FieldScanner
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
