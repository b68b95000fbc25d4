import FaceCore
import HTTPTypes
import Hummingbird
import NIOCore
import Presentation

/// The answer to a request.
struct HTTPAnswer {
  var status = HTTPResponse.Status.ok
  var type = "application/json"
  var body = ByteBuffer()
  var headers: [(HTTPField.Name, String)] = []

  static func json(_ value: JSON, status: HTTPResponse.Status = .ok) -> HTTPAnswer {
    HTTPAnswer(status: status, body: ByteBuffer(string: value.description))
  }

  /// - Parameter took: the time that the engine took, in nanoseconds.
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

  /// An error as JSON, with the HTTP status of its code.
  /// - Parameter asText: whether the error is only the message, as in the Open Inference Protocol.
  static func failure(
    _ failure: Status, status: HTTPResponse.Status? = nil, asText: Bool = false
  ) -> HTTPAnswer {
    let error = asText ? JSON.string(failure.message) : JSON(failure)
    return json(.object(["error": error]), status: status ?? HTTPResponse.Status(failure.code))
  }
}

/// A failure whose HTTP status differs from that of its code.
struct HTTPFailure: Error {
  var status: HTTPResponse.Status
  var failure: Status
  /// The methods of the resource, if the request's is not among them.
  var allowed = ""
}

extension HTTPResponse.Status {
  /// The HTTP status of a code. Source: googleapis, google/rpc/code.proto, "HTTP Mapping".
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
