import FaceCore

/// Identifiers in a request's metadata with which its caller can find the call again in logs and errors.
public struct RequestTrace: Equatable, Sendable {
  /// The `traceparent`, as in W3C's Trace Context; empty if absent.
  public var parent = ""
  /// The `x-request-id` or `request-id`; empty if absent.
  public var requestID = ""

  public init() {}

  public var isEmpty: Bool { parent.isEmpty && requestID.isEmpty }

  /// The identifier returned with an error: the request's own id, else its `traceparent`.
  var name: String { requestID.isEmpty ? parent : requestID }

  /// The longest accepted value in bytes; longer ones are left out, and so are those with anything but
  /// visible ASCII.
  static let longestValue = 128

  /// Reads one `ttrpc.KeyValue`, ignoring invalid ones. The first value of a key counts.
  mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var (key, value) = (0..<0, 0..<0)
    var scanner = ProtobufScanner(range, of: "metadata of the request")
    do throws(Status) {
      while let field = try scanner.next(bytes) {
        switch (field.number, field.value) {
        case (1, .bytes(let range)): key = range
        case (2, .bytes(let range)): value = range
        default: continue
        }
      }
    } catch {
      return
    }
    guard 1...Self.longestValue ~= value.count, key.count <= Self.longestKey else { return }
    let text = bytes.text(value)
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return }
    switch bytes.text(key) {
    case "traceparent": if parent.isEmpty { parent = text }
    case "x-request-id", "request-id": if requestID.isEmpty { requestID = text }
    default: return
    }
  }

  /// The longest accepted key in bytes, a few more than the known ones have.
  private static let longestKey = 16
}
