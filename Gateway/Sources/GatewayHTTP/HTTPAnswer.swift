import FaceCore
import GatewayCoding
import GatewayServing
package import NIOCore
package import NIOHTTP1
package import ResultJSON

package struct HTTPAnswer {
  var status: HTTPResponseStatus
  package var type: String
  package var body: ByteBuffer
  /// Whether other answers have the same body, so that this one takes no memory for it.
  let isShared: Bool
  package var headers: [(name: String, value: String)] = []

  package init(
    status: HTTPResponseStatus = .ok, type: String = "application/json", body: ByteBuffer = ByteBuffer(),
    isShared: Bool = false
  ) {
    self.status = status
    self.type = type
    self.body = body
    self.isShared = isShared
  }

  package static func json(_ value: JSON, status: HTTPResponseStatus = .ok) -> HTTPAnswer {
    HTTPAnswer(status: status, body: ByteBuffer(bytes: value.encoded))
  }

  /// - Parameter took: the time that the engine took, in nanoseconds.
  static func json(_ value: JSON, took: Int64) -> HTTPAnswer {
    var answer = json(value)
    let microseconds = took / 1000
    let fraction = String(microseconds % 1000 + 1000).dropFirst()
    answer.headers.append(("server-timing", "engine;dur=\(microseconds / 1000).\(fraction)"))
    return answer
  }

  /// All headers, except for those of a connection.
  var fields: [(name: String, value: String)] {
    var fields = headers
    if !type.isEmpty { fields.append(("content-type", type)) }
    fields.append(("date", HTTPDate.now()))
    if status.mayHaveResponseBody { fields.append(("content-length", "\(body.readableBytes)")) }
    return fields
  }

  package static let nothing = HTTPAnswer(status: .noContent, type: "")

  /// An error as JSON, with the HTTP status of its code.
  /// - Parameter asText: whether the error is only the message, as in the Open Inference Protocol.
  static func failure(
    _ failure: Status, status: HTTPResponseStatus? = nil, asText: Bool = false
  ) -> HTTPAnswer {
    let error = asText ? JSON.string(failure.message) : JSON(failure)
    return json(.object(["error": error]), status: status ?? HTTPResponseStatus(failure.code))
  }

  /// The answer to a request that failed, and the code for the log.
  static func answer(to error: any Error, asText: Bool) -> (StatusCode, HTTPAnswer) {
    let (failure, status, headers) = explain(error)
    var answer = HTTPAnswer.failure(failure, status: status, asText: asText)
    answer.headers = headers
    if answer.status == .serviceUnavailable || answer.status == .tooManyRequests {
      answer.headers.append(("retry-after", "1"))
    }
    return (failure.code, answer)
  }

  /// The error, its HTTP status if that differs from its code's, and the headers that belong to it.
  private static func explain(
    _ error: any Error
  ) -> (Status, HTTPResponseStatus?, [(name: String, value: String)]) {
    switch error {
    case let failure as HTTPFailure:
      return (failure.failure, failure.status, failure.allowed.isEmpty ? [] : [("allow", failure.allowed)])
    case let failure as CallFailure:
      let status: HTTPResponseStatus? =
        switch failure.status.detail {
        case .limit("max_body"), .limit("max_message_bytes"), .limit("json_values"): .payloadTooLarge
        // The caller did nothing wrong.
        case .limit("gateway_request_bytes"): .serviceUnavailable
        default: nil
        }
      return (
        failure.status, status,
        failure.status.code == .unauthenticated ? [("www-authenticate", "Bearer")] : []
      )
    case let status as Status: return (status, nil, [])
    case HTTPParserError.headerOverflow:
      return (
        Status(.invalidArgument, "the headers are too large or too many; send less"),
        .requestHeaderFieldsTooLarge, []
      )
    case let error as HTTPParserError where error != .invalidEOFState:
      return (Status(.invalidArgument, "the request is malformed: \(error); send HTTP/1.1"), nil, [])
    default: return (Status(.cancelled, "the request did not arrive completely; send it again"), nil, [])
    }
  }
}

/// A failure whose HTTP status differs from that of its code.
package struct HTTPFailure: Error {
  var status: HTTPResponseStatus
  var failure: Status
  /// The methods of the resource, if the request's is not among them.
  var allowed = ""

  /// The failure of a request that arrives too slowly.
  static func slow(_ time: TimeAmount) -> HTTPFailure {
    HTTPFailure(status: .requestTimeout, failure: Status.slow(time))
  }
}
