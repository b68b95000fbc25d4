import FaceCore

/// What a caller sent along in its request's metadata, so that it can find its call again in logs and errors.
public struct RequestTrace: Equatable, Sendable {
  /// Of `traceparent`, as W3C's Trace Context has it; empty without.
  public var parent = ""
  /// Of `x-request-id` or `request-id`; empty without.
  public var requestID = ""

  public init() {}

  public var isEmpty: Bool { parent.isEmpty && requestID.isEmpty }

  /// What an error is given back with: the request's own id, else its `traceparent`.
  var name: String { requestID.isEmpty ? parent : requestID }

  /// Bytes of a value; longer ones are left out, as are those with anything in them but visible ASCII.
  static let longestValue = 128

  /// Reads one `ttrpc.KeyValue`; what is none is left out. The first value of a key counts.
  mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var (key, value) = (0..<0, 0..<0)
    var scanner = FieldScanner(range, of: "metadata of the request")
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
    let text = Self.text(bytes, value)
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return }
    switch Self.text(bytes, key) {
    case "traceparent": if parent.isEmpty { parent = text }
    case "x-request-id", "request-id": if requestID.isEmpty { requestID = text }
    default: return
    }
  }

  /// Of those that are read, and a few more.
  private static let longestKey = 16

  private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}
