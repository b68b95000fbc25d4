package import EngineLink
package import FaceCore
import GatewayCoding
package import GatewayServing
import NIOCore
import NIOHTTP1
import ResultJSON
import Wire

/// Maps the paths below one first part, as in /v2, to their handlers.
package protocol HTTPSection: Sendable {
  /// Whether a failure is answered by its message alone, rather than by a code and a message.
  var failsAsText: Bool { get }

  /// Throws 404 for an unknown path, and 405 for a method that the path does not have.
  func find(_ call: HTTPCallHead) throws -> HTTPRoutes.Route
}

/// Maps paths to their handlers.
package struct HTTPRoutes: Sendable {
  /// The handler of a request.
  package struct Route {
    /// The name for the log, without the caller's own values.
    var name: String
    var access: RequestGate.Access
    /// The most bytes of a body; `nil` for as many as the gateway takes, and 0 where anybody may call.
    var maxBodyBytes: Int?
    /// Whether the body is a picture and nothing else.
    var takesPicture = false
    /// The bytes that reading a body takes beside it. Throws for a body that takes too many.
    package var cost: @Sendable (HTTPCall) throws -> Int = { _ in 0 }
    /// Whether it computes for long, so that it runs beside the event loop.
    var isLong: Bool
    var run: @Sendable (HTTPCall) async throws -> HTTPAnswer

    package init(
      name: String, access: RequestGate.Access = .call, maxBodyBytes: Int? = 64 << 10, isLong: Bool = false,
      run: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
    ) {
      self.name = name
      self.access = access
      // What is there for everybody must not hold what anybody sends.
      self.maxBodyBytes = access.isOpen ? 0 : maxBodyBytes
      self.isLong = isLong
      self.run = run
    }
  }

  let calls: FaceCalls
  let sessions: SessionStore
  let page: PageFiles
  private let openAPI = StaticFile(
    ByteBuffer(bytes: PackageResources.openapi_json), type: "application/json")
  let drain: DrainState
  /// The sections by the first part of their paths.
  let sections: [String: any HTTPSection]

  package init(
    calls: FaceCalls, sessions: SessionStore, page: PageFiles, drain: DrainState,
    sections: [String: any HTTPSection]
  ) {
    self.calls = calls
    self.sessions = sessions
    self.page = page
    self.drain = drain
    self.sections = sections
  }

  /// Throws 404 for an unknown path, and 405 for a method that the path does not have.
  func find(_ call: HTTPCallHead) throws -> Route {
    if call.isAboutServer {
      return Route(name: "OPTIONS *", access: .open) { _ in .nothing }
    }
    let parts = call.path
    switch (parts.first, parts.count) {
    case (nil, _): return try only("GET /", ["GET"], call, .open) { try page.answer("index.html", to: $0) }
    case ("healthz", 1):
      return try only("GET /healthz", ["GET"], call, .probe) { _ in
        try await Self.requireLive(calls)
        return .json(.object(["status": .string("ok")]))
      }
    case ("readyz", 1):
      return try only("GET /readyz", ["GET"], call, .probe) { _ in
        try await Self.requireReady(calls, drain)
        return .json(.object(["status": .string("ready")]))
      }
    case ("openapi.json", 1):
      return try only("GET /openapi.json", ["GET"], call, .open) { openAPI.answer(to: $0) }
    case ("check", 1):
      return try only("GET /check", ["GET"], call, .open) { try page.answer("check.html", to: $0) }
    case ("face-check.js", 1):
      return try only("GET /face-check.js", ["GET"], call, .open) { try page.answer("face-check.js", to: $0) }
    case ("assets", 2):
      return try only("GET /assets", ["GET"], call, .open) { try page.answer(parts[1], to: $0) }
    case ("v1", 2) where parts[1] == "detect":
      return try picture("POST /v1/detect", call) { try await detect($0) }
    case ("v1", 2...4) where parts[1] == "sessions": return try session(call)
    default:
      guard let first = parts.first, let section = sections[first] else { throw Self.nothing }
      return try section.find(call)
    }
  }

  package static let nothing = Status(
    .notFound, "there is nothing at this path; /openapi.json lists the paths")

  /// Whether a failure of a request with this target is answered by its message alone.
  func failsAsText(_ target: String) -> Bool {
    let first = target.dropFirst().prefix { $0 != "/" && $0 != "?" }
    return sections[String(first)]?.failsAsText ?? false
  }

  /// The route, if the request's method is one of `methods`.
  private func only(
    _ name: String, _ methods: [String], _ call: HTTPCallHead, _ access: RequestGate.Access = .call,
    maxBodyBytes: Int? = 64 << 10, run: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
  ) throws -> Route {
    try call.require(methods)
    return Route(name: name, access: access, maxBodyBytes: maxBodyBytes, run: run)
  }

  /// The route of a request whose body is a picture.
  private func picture(
    _ name: String, _ call: HTTPCallHead, _ access: RequestGate.Access = .call,
    run: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
  ) throws -> Route {
    var route = try only(name, ["POST"], call, access, maxBodyBytes: nil, run: run)
    route.takesPicture = true
    // A form is searched for its boundary.
    route.isLong = HTTPCall.isForm(call.headers)
    return route
  }

  /// Throws `unavailable` if only another process can call the engine.
  package static func requireLive(_ calls: FaceCalls) async throws(Status) {
    guard await calls.engine.isLive() else {
      throw Status(.unavailable, "the gateway can no longer call an engine; restart the gateway")
    }
  }

  /// Throws `unavailable` if calls would fail.
  package static func requireReady(_ calls: FaceCalls, _ drain: DrainState) async throws(Status) {
    if drain.isStopping { throw Status(.unavailable, "the gateway is stopping; try again when it runs") }
    guard await calls.isServing() else {
      throw Status(
        .unavailable, "the engine is stopping, is busy or does not answer; try again later")
    }
  }

  // MARK: Pictures

  /// The time limit for a picture in nanoseconds: longer than any takes, shorter than a client waits.
  private static let timeout: Int64 = 30_000_000_000

  private func detect(_ call: HTTPCall) async throws -> HTTPAnswer {
    let options = try PictureOptions.parse(Flags.ofQuery(call.query))
    let picture = try call.picture()
    let trace =
      Traceparent.valid(call.head.headers["traceparent"]).map { [(key: "traceparent", value: $0)] } ?? []
    let start = NIODeadline.now()
    let result = try await calls.detect(
      picture, options.image, options.detection, timeout: Self.timeout, metadata: trace)
    let members = ResultOutput.members(
      result, left: [], mask: nil, constellation: options.constellation, screen: options.screen)
    return .json(.object([JSON.schemaVersion] + members), took: (NIODeadline.now() - start).nanoseconds)
  }

  // MARK: Sessions

  private func session(_ call: HTTPCallHead) throws -> Route {
    let parts = call.path
    if parts.count == 2 {
      var route = try only("POST /v1/sessions", ["POST"], call) { call in
        let session = try sessions.open(try SessionRequest(decoding: call.body), call.caller)
        var answer = HTTPAnswer.json(session.description, status: .created)
        answer.headers.append(("location", "/v1/sessions/\(session.id)"))
        return answer
      }
      // Options are read by ArgumentParser.
      route.isLong = true
      return route
    }
    let id = parts[2]
    let access = RequestGate.Access.session(sessions.token(of: id))
    if parts.count == 3 {
      return try only("DELETE /v1/sessions/ID", ["DELETE"], call, access) { _ in
        try await sessions.end(id)
        return .nothing
      }
    }
    switch parts[3] {
    case "frames":
      return try picture("POST /v1/sessions/ID/frames", call, access) { call in
        let session = try sessions.find(id)
        var timestamp: UInt64?
        if let text = call.header("x-timestamp-ns") {
          guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = UInt64(text)
          else {
            throw Status(
              .invalidArgument,
              "x-timestamp-ns is not a number of up to 19 digits; send nanoseconds or leave it out")
          }
          timestamp = value
        }
        let image = call.query.isEmpty ? nil : try PictureOptions.image(Flags.ofQuery(call.query))
        let (answer, took) = try await session.frame(try call.picture(), image, timestamp: timestamp)
        return .json(answer, took: took)
      }
    case "restart":
      return try only("POST /v1/sessions/ID/restart", ["POST"], call, access) { _ in
        try await Self.inState { () throws in try await sessions.restart(id) }
        return .nothing
      }
    case "picture", "crop":
      let isCrop = parts[3] == "crop"
      return try only("GET /v1/sessions/ID/\(parts[3])", ["GET"], call, access) { _ in
        let session = try sessions.find(id)
        let bytes = try await Self.inState { () throws in try await session.picture(isCrop: isCrop) }
        return HTTPAnswer(type: "image/jpeg", body: ByteBuffer(bytes: bytes))
      }
    default: throw Status(.notFound, "unknown session resource; use frames, restart, picture or crop")
    }
  }

  /// Throws 409 for what the session's state does not allow: the session is there, and the request is right.
  private static func inState<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let failure as Status where failure.code == .failedPrecondition {
      throw HTTPFailure(status: .conflict, failure: failure)
    }
  }
}
