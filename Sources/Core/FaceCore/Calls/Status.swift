/// The status codes of gRPC, shared by the wire, the C ABI and every `throws` of this package.
/// Source: gRPC core, "Status codes and their use in gRPC".
public enum StatusCode: Int32, Sendable, CaseIterable {
  case ok = 0
  case cancelled = 1
  case unknown = 2
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case `internal` = 13
  case unavailable = 14
  case dataLoss = 15
  case unauthenticated = 16

  /// The canonical spelling, as in `INVALID_ARGUMENT`.
  public var name: StaticString {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

/// The part of a request that an error is about.
public enum StatusDetail: Equatable, Sendable {
  /// The name of a field, as in "image.pixels.format"; google.rpc.BadRequest on the wire.
  case field(String)
  /// The name of a limit, as in "calls_per_connection" of `EngineLimits`; google.rpc.QuotaFailure on the
  /// wire.
  case limit(String)
}

/// An error: a code for programs and a sentence for people that says what to do next.
public struct Status: Error, Equatable, Sendable, CustomStringConvertible {
  public var code: StatusCode
  public var message: String
  /// The subject of the message for programs, if there is one.
  public var detail: StatusDetail?

  public init(_ code: StatusCode, _ message: String, _ detail: StatusDetail? = nil) {
    self.code = code
    self.message = message
    self.detail = detail
  }

  public var description: String { "\(code.name): \(message)" }
}

extension String {
  /// Returns whether `part` occurs in this text. `contains` does the same, but links the regular expression
  /// library.
  public func hasPart(_ part: String) -> Bool {
    var rest = utf8[...]
    while !rest.starts(with: part.utf8) {
      guard rest.popFirst() != nil else { return false }
    }
    return true
  }
}

extension String {
  /// This text quoted for a message, and shortened, because a name that a caller sends may be megabytes long.
  package var quoted: String {
    let longest = 100
    if utf8.count <= longest { return "\"\(self)\"" }
    var start = ""
    for scalar in unicodeScalars {
      if start.utf8.count + UTF8.width(scalar) > longest { break }
      start.unicodeScalars.append(scalar)
    }
    return "\"\(start)…\" (\(utf8.count) bytes)"
  }
}
