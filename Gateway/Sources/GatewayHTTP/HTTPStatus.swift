import FaceCore
import NIOHTTP1

extension HTTPResponseStatus {
  /// The HTTP status of a code. Source: googleapis, google/rpc/code.proto, "HTTP Mapping".
  init(_ code: StatusCode) {
    self =
      switch code {
      case .ok: .ok
      case .cancelled: .custom(code: 499, reasonPhrase: "Client Closed Request")
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
