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

/// The messages of `Health/Check` and `Health/Watch`.
public enum HealthCall {
  /// - Parameter service: the full name; empty for the engine as a whole.
  public static func requestFrame(_ call: CallHeader, service: String) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__HealthCheckRequest.self)
    request.pointee.service = arena.string(service)
    return try CallFrame.request(.healthCheck, call, request, limit: FrameHeader.maxLength)
  }

  /// The requested service.
  public static func request(_ payload: Span<UInt8>) throws(Status) -> String {
    try Decoder.decode(Faceengine__V1__HealthCheckRequest.self, payload) { (request) throws(Status) in
      try Decoder.text(request.service, "service")
    }
  }

  public static func responseFrame(stream: UInt32, _ status: ServingStatus) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__HealthCheckResponse.self)
    response.pointee.status = .init(status.rawValue)
    return try CallFrame.response(stream: stream, response)
  }

  /// One state of a `Health/Watch`.
  public static func dataFrame(stream: UInt32, _ status: ServingStatus) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__HealthCheckResponse.self)
    response.pointee.status = .init(status.rawValue)
    return try CallFrame.data(stream: stream, response, limit: FrameHeader.maxLength)
  }

  /// A request of `Health/Watch`: the client sends nothing after it.
  public static func watchRequestFrame(stream: UInt32, service: String = "") throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__HealthCheckRequest.self)
    request.pointee.service = arena.string(service)
    return try CallFrame.request(
      .healthWatch, CallHeader(stream: stream), request, limit: FrameHeader.maxLength, flags: .remoteClosed)
  }

  /// Decodes a status. Statuses of later versions are `unknown`.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> ServingStatus {
    try Decoder.decode(Faceengine__V1__HealthCheckResponse.self, payload) { response in
      ServingStatus(rawValue: response.status.rawValue) ?? .unknown
    }
  }
}
