import FaceCore
import HTTPTypes
import Hummingbird
import NIOCore
import Presentation

/// What a request is answered with.
struct HTTPAnswer {
  var status = HTTPResponse.Status.ok
  var type = "application/json"
  var body = ByteBuffer()
  var headers: [(HTTPField.Name, String)] = []

  static func json(_ value: JSON, status: HTTPResponse.Status = .ok) -> HTTPAnswer {
    HTTPAnswer(status: status, body: ByteBuffer(string: value.description))
  }

  /// - Parameter took: nanoseconds that the engine took.
  static func json(_ value: JSON, took: Int64) -> HTTPAnswer {
    var answer = json(value)
    let microseconds = took / 1000
    let fraction = String(microseconds % 1000 + 1000).dropFirst()
    if let name = HTTPField.Name("server-timing") {
      answer.headers.append((name, "engine;dur=\(microseconds / 1000).\(fraction)"))
    }
    return answer
  }

  static let nothing = HTTPAnswer(status: .noContent, type: "")

  /// An error as JSON, with the status that belongs to its code.
  /// - Parameter asText: whether its error is the sentence alone, as the Open Inference Protocol has it.
  static func failure(
    _ failure: Status, status: HTTPResponse.Status? = nil, asText: Bool = false
  ) -> HTTPAnswer {
    let error = asText ? JSON.string(failure.message) : JSON(failure)
    return json(.object(["error": error]), status: status ?? HTTPResponse.Status(failure.code))
  }
}

/// A failure with a status that its code does not bring by itself.
struct HTTPFailure: Error {
  var status: HTTPResponse.Status
  var failure: Status
  /// Methods that the resource has, where the request's is none of them.
  var allowed = ""
}

extension HTTPResponse.Status {
  /// Source: googleapis, google/rpc/code.proto, "HTTP Mapping".
  init(_ code: StatusCode) {
    self =
      switch code {
      case .ok: .ok
      case .cancelled: .init(code: 499, reasonPhrase: "Client Closed Request")
      case .invalidArgument, .failedPrecondition, .outOfRange: .badRequest
      case .deadlineExceeded: .gatewayTimeout
      case .notFound: .notFound
      case .alreadyExists, .aborted: .conflict
      case .permissionDenied: .forbidden
      case .unauthenticated: .unauthorized
      case .resourceExhausted: .tooManyRequests
      case .unimplemented: .notImplemented
      case .unavailable: .serviceUnavailable
      case .unknown, .internal, .dataLoss: .internalServerError
      }
  }
}
