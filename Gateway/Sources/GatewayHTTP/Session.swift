package import CallerOptions
package import EngineLink
import FaceCore
import GatewayCoding
package import GatewayServing
import NIOCore
package import ResultJSON
import Wire

/// A stream of frames from one HTTP caller: either tracking or a guided check. Each frame has one answer.
package actor Session {
  /// The session owns its stream: one that is opened after its end is not.
  private enum State {
    case unopened
    case open(EngineExchange)
    case ended
  }

  package nonisolated let id: String
  /// Allows its holder this session's frames and pictures, and nothing else.
  package nonisolated let token: SessionToken
  private let request: SessionRequest
  private let calls: FaceCalls
  private let counters: GatewayCounters
  private let idleTimeout: Int
  private let eraser = FreedMemoryEraser()
  private var state = State.unopened
  private var frameNumber: UInt64 = 0
  private var attempt: UInt32
  private var isBusy = false
  private var lastUse: NIODeadline
  private var visits: Visits?
  private var result: CheckResult?
  /// The size of the first frame, to which a circle in shares refers.
  private var size: PixelSize?

  init(
    id: String, _ request: SessionRequest, _ calls: FaceCalls, _ counters: GatewayCounters, opener: Caller,
    idleTimeout: Int
  ) {
    self.id = id
    token = SessionToken(opener: opener)
    self.request = request
    self.calls = calls
    self.counters = counters
    visits = request.visits.map(Visits.init)
    self.idleTimeout = idleTimeout
    lastUse = calls.engine.loop.now
    attempt = request.check == nil ? 0 : 1
  }

  private var now: NIODeadline { calls.engine.loop.now }

  nonisolated var description: JSON {
    .object([
      "id": .string(id), "kind": .string(request.check == nil ? "track" : "check"),
      "idle_timeout_seconds": .integer(idleTimeout), "token": .string(token.text),
    ])
  }

  /// Sends a frame and waits for its answer.
  ///
  /// Throws `aborted` while another frame is with the engine, and the frame's own failure.
  /// - Parameters:
  ///   - image: how its pixels are seen; `nil` for the way of the session.
  ///   - timestamp: nanoseconds; `nil` for now.
  /// - Returns: the answer to the frame, and the time it took in nanoseconds.
  package func frame(
    _ picture: SentPicture, _ image: ImageArguments?, timestamp: UInt64?
  ) async throws -> (answer: JSON, took: Int64) {
    guard !isEnded else { throw SessionStore.unknown }
    guard !isBusy else {
      throw Status(.aborted, "another frame of this session is being searched; wait for its answer")
    }
    isBusy = true
    defer {
      isBusy = false
      lastUse = now
    }
    lastUse = now
    frameNumber += 1
    let time = timestamp ?? now.uptimeNanoseconds
    let image = image ?? request.image
    let attempt = attempt
    let info = FrameInfo(number: frameNumber, timestamp: time, attempt: attempt)
    let event: FrameEvent
    do {
      event = try await search(picture, image, info)
    } catch {
      // The next frame begins another stream.
      close(into: .unopened)
      throw error
    }
    if attempt != self.attempt { close(into: .unopened) }
    let took = (now - lastUse).nanoseconds
    return (try answer(event, time), took)
  }

  /// Sends the frame once more to the next engine if its stream ended without an answer, as in a take-over.
  private func search(
    _ picture: SentPicture, _ image: ImageArguments, _ info: FrameInfo
  ) async throws -> FrameEvent {
    do {
      return try await exchange(picture, image, info, try await opened(with: picture, image))
    } catch let failure as CallFailure
      where failure.status.code == .unavailable && failure.status != CallFailure.hung.status
    {
      close(into: .unopened)
      if isEnded { throw SessionStore.unknown }
      return try await exchange(picture, image, info, try await opened(with: picture, image))
    }
  }

  private func exchange(
    _ picture: SentPicture, _ arguments: ImageArguments, _ info: FrameInfo, _ stream: EngineExchange
  ) async throws -> FrameEvent {
    let message = try picture.message(arguments) {
      WatchCall.payload(info, $0, timeout: 30_000_000_000, file: $1)
    }
    guard let answer = try await stream.exchange(message) else {
      throw CallFailure(.unavailable, "the engine ended the session; begin another one")
    }
    return try CallFailure.reading { () throws(Status) in
      try WatchCall.response(answer.readableBytesUInt8Span)
    }
  }

  /// The stream to the engine, opened with the first frame, and with the next one after its end.
  private func opened(with picture: SentPicture, _ image: ImageArguments) async throws -> EngineExchange {
    // One that ended between two frames is no failure of this frame, which still has both its attempts.
    if case .open(let stream) = state, await !stream.hasEnded() { return stream }
    var check = request.check
    if let circle = request.circle {
      let size = try await sizeOf(picture, image)
      let side = Float(min(size.width, size.height))
      check?.mask = Circle(
        center: Point(x: circle.center.x * Float(size.width), y: circle.center.y * Float(size.height)),
        radius: circle.radius * side)
    }
    // The session may have ended meanwhile.
    if isEnded { throw SessionStore.unknown }
    let start = WatchStart(
      options: request.options, mode: .every, tracking: request.tracking, check: check)
    let opened = calls.engine.open(EngineRequest(start.method, kind: .messages))
    opened.send(EngineMessage(ByteBuffer(bytes: WatchCall.payload(start))))
    state = .open(opened)
    return opened
  }

  /// The size of the upright picture, which is in every answer of the engine.
  private func sizeOf(_ picture: SentPicture, _ image: ImageArguments) async throws -> PixelSize {
    if let size { return size }
    var quick = DetectionOptions()
    quick.accuracy = .low
    quick.maxFaces = 1
    let found = try await calls.detect(picture, image, quick, timeout: 30_000_000_000).imageSize
    size = found
    return found
  }

  /// Starts the check again with the next frame. Forgets what it has of the last person: the picture, and with the
  /// stream what the engine keeps. A stream that searches a frame is closed after it.
  func restart() throws(Status) {
    guard !isEnded else { throw SessionStore.unknown }
    guard request.check != nil else {
      throw Status(.failedPrecondition, "the session is not a guided check, so it cannot be restarted")
    }
    attempt &+= 1
    result = nil
    if !isBusy { close(into: .unopened) }
    lastUse = now
  }

  /// A JPEG file of the successful check.
  func picture(isCrop: Bool) throws(Status) -> [UInt8] {
    guard let result else {
      throw Status(
        .failedPrecondition, "the session has no picture; a guided check has one after it succeeded")
    }
    lastUse = now
    return isCrop ? result.crop.bytes : result.picture.bytes
  }

  func end() {
    close(into: .ended)
    result = nil
    if let events = visits?.end() { counters.count(events) }
  }

  private var isEnded: Bool { if case .ended = state { true } else { false } }

  /// Ends the stream, if there is one. The end of the session is for good.
  private func close(into next: State) {
    if case .open(let stream) = state { stream.cancel() }
    if !isEnded { state = next }
  }

  /// Whether it has been unused for so long that it may end.
  var isIdle: Bool {
    !isBusy && now - lastUse > .seconds(Int64(idleTimeout))
  }

  // MARK: Answers

  private func answer(_ event: FrameEvent, _ time: UInt64) throws -> JSON {
    var members: [(String, JSON)] = [
      JSON.schemaVersion, ("frame", .integer(Int(clamping: frameNumber))),
      ("timestamp", .integer(Int(clamping: time))), ("dropped", .integer(0)),
    ]
    let found: DetectionResult
    switch event.outcome {
    case .faces(let result): found = result
    case .failed(let status): throw status
    case .dropped: throw Status(.aborted, "a newer frame replaced this one; send it again")
    }
    members += ResultOutput.members(found, left: event.left, mask: nil, constellation: request.shown)
    // The totals of a session that has ended are complete.
    if !isEnded, let events = visits?.update(found.faces, at: time) {
      counters.count(events)
      if !events.isEmpty {
        members.append(("visits", .array(events.map { .object(VisitOutput.members($0)) })))
      }
    }
    if let report = event.check { members += checkMembers(report, found) }
    return .object(members)
  }

  private func checkMembers(_ report: CheckReport, _ found: DetectionResult) -> [(String, JSON)] {
    if report.attempt == attempt, !isEnded {
      for case .result(let taken) in report.events { result = taken }
    }
    var members: [(String, JSON)] = [
      ("state", .string("\(report.state.name)")), ("tip", .string("\(report.tip.name)")),
      ("text", .string("\(report.tip.text)")), ("progress", .number(report.progress)),
      ("actionsDone", .integer(report.actionsDone)), ("actions", .integer(report.actionCount)),
      ("attempt", .integer(Int(report.attempt))),
      (
        "circle",
        .object([
          "x": .number(report.circle.center.x), "y": .number(report.circle.center.y),
          "radius": .number(report.circle.radius),
        ])
      ),
      (
        "events",
        .array(report.events.map { .object(CheckOutput.members($0, report, found)) })
      ),
    ]
    guard let result else { return members }
    func link(_ picture: CheckPicture, _ name: String) -> JSON {
      .object([
        "url": .string("/v1/sessions/\(id)/\(name)"), "width": .integer(picture.size.width),
        "height": .integer(picture.size.height),
      ])
    }
    members += [("picture", link(result.picture, "picture")), ("crop", link(result.crop, "crop"))]
    return members
  }
}
