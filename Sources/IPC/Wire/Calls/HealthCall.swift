import CProtocol
public import FaceCore

/// Whether calls are served. The numbers are those of grpc.health.v1.
public enum ServingStatus: UInt32, Sendable, CaseIterable {
  case unknown = 0
  case serving = 1
  case notServing = 2
  case serviceUnknown = 3

  /// The canonical spelling, as in `NOT_SERVING`.
  public var name: StaticString {
    switch self {
    case .unknown: "UNKNOWN"
    case .serving: "SERVING"
    case .notServing: "NOT_SERVING"
    case .serviceUnknown: "SERVICE_UNKNOWN"
    }
  }
}

/// The messages of `Health/Check` and `Health/Watch`. The request is the full name of a service, empty for the
/// engine as a whole; statuses of later versions are `unknown`.
public enum HealthCall: UnaryCall {
  public static let coding = CallCoding(
    .healthCheck,
    MessageCoding<String>(
      Faceengine__V1__HealthCheckRequest.self, encode: { $1.service = $2.string($0) },
      decode: { (message) throws(Status) in try Decoder.text(message.service, "service") }),
    MessageCoding<ServingStatus>(
      Faceengine__V1__HealthCheckResponse.self,
      encode: { status, message, _ in message.status = .init(status.rawValue) },
      decode: { ServingStatus(rawValue: $0.status.rawValue) ?? .unknown }))

  /// One state of a `Health/Watch`.
  public static func dataFrame(stream: UInt32, _ status: ServingStatus) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return CallFrame.data(stream: stream, coding.response.encode(status, arena))
  }

  /// A request of `Health/Watch`: the client sends nothing after it.
  public static func watchRequestFrame(stream: UInt32, service: String = "") throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .healthWatch, CallHeader(stream: stream), coding.request.encode(service, arena),
      limit: FrameHeader.maxLength, flags: .remoteClosed)
  }
}
