import FaceCore
import HTTPTypes
import Hummingbird
import NIOCore
import Presentation
import Wire

/// Maps paths to their handlers.
struct HTTPRoutes: Sendable {
  /// The handler of a request.
  struct Route {
    /// The name for the log, without the caller's own values.
    var name: String
    /// Whether it only reports health.
    var isProbe = false
    var run: @Sendable (HTTPCall) async throws -> HTTPAnswer
  }

  let calls: FaceCalls
  let sessions: SessionStore
  let page: PageFiles
  let metrics: MetricsPage
  let inference: InferenceRoutes
  let drain: DrainState

  /// Throws 404 for an unknown path, and 405 for a method that the path does not have.
  func find(_ call: HTTPCall) throws -> Route {
    let parts = call.path
    switch (parts.first, parts.count) {
    case (nil, _): return try only("GET /", ["GET"], call) { _ in try page.index() }
    case ("healthz", 1):
      return try only("GET /healthz", ["GET"], call, isProbe: true) { _ in
        .json(.object(["status": .string("ok")]))
      }
    case ("readyz", 1):
      return try only("GET /readyz", ["GET"], call, isProbe: true) { _ in try await ready() }
    case ("metrics", 1):
      return try only("GET /metrics", ["GET"], call) { await metrics.answer(accept: $0.header("accept")) }
    case ("openapi.json", 1):
      return try only("GET /openapi.json", ["GET"], call) { _ in
        HTTPAnswer(body: ByteBuffer(bytes: PackageResources.openapi_json))
      }
    case ("check", 1): return try only("GET /check", ["GET"], call) { _ in try page.file("check.html") }
    case ("face-check.js", 1):
      return try only("GET /face-check.js", ["GET"], call) { _ in try page.file("face-check.js") }
    case ("assets", 2): return try only("GET /assets", ["GET"], call) { _ in try page.file(parts[1]) }
    case ("v1", 2) where parts[1] == "detect":
      return try only("POST /v1/detect", ["POST"], call) { try await detect($0) }
    case ("v1", 2...4) where parts[1] == "sessions": return try session(call)
    case ("v2", _): return try inference.find(call)
    default: throw Status(.notFound, "there is nothing at this path; /openapi.json lists the paths")
    }
  }

  /// The route, if the request's method is one of `methods`.
  private func only(
    _ name: String, _ methods: [String], _ call: HTTPCall, isProbe: Bool = false,
    run: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
  ) throws -> Route {
    try call.require(methods)
    return Route(name: name, isProbe: isProbe, run: run)
  }

  private func ready() async throws -> HTTPAnswer {
    guard !drain.isStopping, try await calls.health() == .serving else {
      throw Status(.unavailable, "the engine or the gateway is stopping; try again when it runs")
    }
    return .json(.object(["status": .string("ready")]))
  }

  // MARK: Pictures

  /// The time limit for a picture in nanoseconds: longer than any takes, shorter than a client waits.
  private static let timeout: Int64 = 30_000_000_000

  private func detect(_ call: HTTPCall) async throws -> HTTPAnswer {
    let query = try Flags.parse(DetectQuery.self, call.query)
    let options = try query.options()
    let picture = SentPicture.file(try await call.body())
    let token = CallToken()
    let trace = call.header("traceparent").map { [(key: "traceparent", value: $0)] } ?? []
    let start = NIODeadline.now()
    let result = try await withTaskCancellationHandler {
      try await calls.detect(picture, options, timeout: Self.timeout, token, metadata: trace)
    } onCancel: {
      token.cancel()
    }
    let members = ResultOutput.members(
      result, left: [], mask: nil, constellation: query.shown, screen: query.screen?.screen)
    return .json(.object([JSON.schemaVersion] + members), took: (NIODeadline.now() - start).nanoseconds)
  }

  // MARK: Sessions

  private func session(_ call: HTTPCall) throws -> Route {
    let parts = call.path
    if parts.count == 2 {
      return try only("POST /v1/sessions", ["POST"], call) { call in
        let session = try await sessions.open(try SessionRequest(decoding: try await call.body()))
        var answer = HTTPAnswer.json(session.description, status: .created)
        answer.headers.append((.location, "/v1/sessions/\(session.id)"))
        return answer
      }
    }
    let id = parts[2]
    if parts.count == 3 {
      return try only("DELETE /v1/sessions/ID", ["DELETE"], call) { _ in
        try await sessions.end(id)
        return .nothing
      }
    }
    switch parts[3] {
    case "frames":
      return try only("POST /v1/sessions/ID/frames", ["POST"], call) { call in
        let session = try await sessions.find(id)
        var timestamp: UInt64?
        if let text = call.header("x-timestamp-ns") {
          guard let value = UInt64(text) else {
            throw Status(.invalidArgument, "x-timestamp-ns is not a number; send nanoseconds or leave it out")
          }
          timestamp = value
        }
        let (answer, took) = try await session.frame(try await call.body(), timestamp: timestamp)
        return .json(answer, took: took)
      }
    case "restart":
      return try only("POST /v1/sessions/ID/restart", ["POST"], call) { _ in
        try await sessions.find(id).restart()
        return .nothing
      }
    case "picture", "crop":
      let isCrop = parts[3] == "crop"
      return try only("GET /v1/sessions/ID/\(parts[3])", ["GET"], call) { _ in
        let bytes = try await sessions.find(id).picture(isCrop: isCrop)
        return HTTPAnswer(type: "image/jpeg", body: ByteBuffer(bytes: bytes))
      }
    default: throw Status(.notFound, "a session has frames, restart, picture and crop, and not this")
    }
  }
}

extension HTTPCall {
  /// Throws 405 for a method that is not one of `methods`. HEAD is allowed with GET.
  func require(_ methods: [String]) throws(HTTPFailure) {
    let wanted = method == .head ? "GET" : method.rawValue
    guard methods.contains(wanted) else {
      let allowed = methods + (methods.contains("GET") ? ["HEAD"] : [])
      throw HTTPFailure(
        status: .methodNotAllowed,
        failure: Status(
          .unimplemented, "this path has no \(method.rawValue); it has \(allowed.joined(separator: ", "))"),
        allowed: allowed.joined(separator: ", "))
    }
  }
}
