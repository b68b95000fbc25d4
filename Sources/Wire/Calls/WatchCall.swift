import CProtocol
public import FaceCore

/// What becomes of frames that come faster than they are answered.
public enum WatchMode: UInt32, Sendable, CaseIterable {
  /// One runs and one waits; a newer one takes the place of the one that waits.
  case newest = 0
  /// None is dropped, and the sender waits for credit.
  case every = 1
}

/// The first message of a stream.
public struct WatchStart: Equatable, Sendable {
  /// For all frames.
  public var options: DetectionOptions
  public var mode: WatchMode
  /// `nil`: faces have no ids.
  public var tracking: TrackingOptions?
  /// Of `Detector/Check`, and only of that.
  public var check: CheckOptions?

  public init(
    options: DetectionOptions, mode: WatchMode, tracking: TrackingOptions? = nil, check: CheckOptions? = nil
  ) {
    self.options = options
    self.mode = mode
    self.tracking = tracking
    self.check = check
  }

  /// The call that the stream is opened with.
  public var method: Method { check == nil ? .watch : .check }
}

/// Which frame of a stream it is: the sender's own numbers, handed back with the answer.
public struct FrameTag: Equatable, Sendable, BitwiseCopyable {
  public var id: UInt64
  /// Nanoseconds, of whatever clock the sender has.
  public var timestamp: UInt64
  /// Of a check: a number other than that of the frame before begins it anew. It is not handed back.
  public var attempt: UInt32

  public init(id: UInt64, timestamp: UInt64 = 0, attempt: UInt32 = 0) {
    self.id = id
    self.timestamp = timestamp
    self.attempt = attempt
  }
}

/// A frame of a stream; its image stays where it was received.
public struct WatchFrame: Equatable, Sendable {
  public var tag: FrameTag
  /// Nanoseconds within which it must be begun; 0 for no bound.
  public var timeout: UInt64
  /// Positions in the message, of one `Image` for `MessageImage.decoding`.
  public var image: Range<Int>
}

/// A message from the client.
public enum WatchRequest: Equatable, Sendable {
  case start(WatchStart)
  case frame(WatchFrame)
}

/// The answer to a frame.
public struct WatchResponse: Equatable, Sendable {
  public enum Outcome: Equatable, Sendable {
    case result(DetectionResult)
    /// A newer frame took its place; so many were dropped on the stream so far.
    case dropped(total: UInt64)
    case failure(Status)
  }

  public var tag: FrameTag
  public var outcome: Outcome
  /// Ids of the tracked faces that are in view no more.
  public var left: [UInt64]
  /// Of a check, with a result, also where that did not fit. Its pictures are JPEG files, or without bytes.
  public var check: CheckReport?

  public init(tag: FrameTag, outcome: Outcome, left: [UInt64] = [], check: CheckReport? = nil) {
    self.tag = tag
    self.outcome = outcome
    self.left = left
    self.check = check
  }
}

/// The messages of `Detector/Watch` and `Detector/Check`, each a whole frame when encoded and the frame's data when decoded.
public enum WatchCall {
  // MARK: From the client

  /// Opens the stream; `startFrame` comes next.
  public static func openFrame(_ call: CallHeader, _ method: Method = .watch) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let nothing = arena.message(Faceengine__V1__WatchRequest.self)
    return try CallFrame.request(
      method, call, nothing, limit: FrameHeader.maxLength, flags: .remoteOpen)
  }

  public static func startFrame(stream: UInt32, _ start: WatchStart) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let message = arena.message(Faceengine__V1__WatchStart.self)
    message.pointee.options = OptionsCoding.encode(start.options, arena)
    message.pointee.mode = .init(start.mode.rawValue)
    if let tracking = start.tracking { message.pointee.tracking = TrackingCoding.encode(tracking, arena) }
    if let check = start.check { message.pointee.check = CheckOptionsCoding.encode(check, arena) }
    let request = arena.message(Faceengine__V1__WatchRequest.self)
    request.pointee.kind_case = FACEENGINE__V1__WATCH_REQUEST__KIND_START
    request.pointee.start = message
    return try CallFrame.data(stream: stream, request, limit: FrameHeader.maxLength)
  }

  /// - Parameters:
  ///   - timeout: nanoseconds within which it must be begun; 0 for no bound.
  ///   - limit: most bytes of the frame's data; throws `resourceExhausted` beyond.
  public static func requestFrame(
    stream: UInt32, _ tag: FrameTag, _ image: MessageImage, timeout: UInt64 = 0,
    limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let frame = arena.message(Faceengine__V1__WatchFrame.self)
    frame.pointee.id = tag.id
    frame.pointee.timestamp_ns = tag.timestamp
    frame.pointee.timeout_ns = timeout
    frame.pointee.attempt = tag.attempt
    frame.pointee.image = ImageCoding.encode(image, arena)
    let request = arena.message(Faceengine__V1__WatchRequest.self)
    request.pointee.kind_case = FACEENGINE__V1__WATCH_REQUEST__KIND_FRAME
    request.pointee.frame = frame
    return try CallFrame.data(stream: stream, request, limit: limit)
  }

  // MARK: In the engine

  /// Throws `invalidArgument` for bytes that are no such message, and for a start with a wrong option.
  public static func request(_ bytes: Span<UInt8>) throws(Status) -> WatchRequest {
    var request: WatchRequest?
    var scanner = FieldScanner(0..<bytes.count, of: "WatchRequest")
    while let field = try scanner.next(bytes) {
      guard (1...2).contains(field.number) else { continue }
      guard case .bytes(let range) = field.value else {
        throw scanner.malformed("field \(field.number) has the wrong type")
      }
      guard request == nil else { throw scanner.malformed("it has more than one start or frame") }
      request =
        field.number == 1 ? .start(try start(bytes.extracting(range))) : .frame(try frame(bytes, range))
    }
    guard let request else { throw scanner.malformed("it has neither a start nor a frame") }
    return request
  }

  private static func start(_ bytes: Span<UInt8>) throws(Status) -> WatchStart {
    try Decoder.decode(Faceengine__V1__WatchStart.self, bytes) { (start) throws(Status) in
      guard let mode = WatchMode(rawValue: start.mode.rawValue) else {
        throw Status(
          .invalidArgument, "mode is \(Int32(bitPattern: start.mode.rawValue)); send NEWEST or EVERY")
      }
      return WatchStart(
        options: try OptionsCoding.decode(start.options?.pointee), mode: mode,
        tracking: try TrackingCoding.decode(start.tracking?.pointee),
        check: try CheckOptionsCoding.decode(start.check?.pointee))
    }
  }

  private static func frame(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Status) -> WatchFrame {
    var frame = WatchFrame(tag: FrameTag(id: 0), timeout: 0, image: 0..<0)
    var hasImage = false
    var scanner = FieldScanner(range, of: "WatchFrame")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .varint(let value)): frame.tag.id = value
      case (2, .varint(let value)): frame.tag.timestamp = value
      case (3, .bytes(let range)):
        guard !hasImage else { throw scanner.malformed("it has more than one image") }
        hasImage = true
        frame.image = range
      case (4, .varint(let value)): frame.timeout = value
      case (5, .varint(let value)): frame.tag.attempt = UInt32(truncatingIfNeeded: value)
      case (1...5, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
    return frame
  }

  /// - Parameter answer: the pictures of a check's result are JPEG files, or without bytes.
  ///
  /// Throws `resourceExhausted` when there are more faces than one message takes.
  public static func responseFrame(stream: UInt32, _ answer: WatchResponse) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = encode(answer.tag, arena)
    encode(answer.outcome, into: response, arena)
    response.pointee.n_left = answer.left.count
    response.pointee.left = arena.allocate(UInt64.self, count: answer.left.count)
    for (index, id) in answer.left.enumerated() { response.pointee.left[index] = id }
    if let check = answer.check { response.pointee.check = CheckReportCoding.encode(check, arena) }
    return try CallFrame.answer(stream: stream, response)
  }

  private static func encode(
    _ outcome: WatchResponse.Outcome, into response: UnsafeMutablePointer<Faceengine__V1__WatchResponse>,
    _ arena: Arena
  ) {
    switch outcome {
    case .result(let result):
      response.pointee.outcome_case = FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_RESULT
      response.pointee.result = ResultCoding.encode(result, arena)
    case .dropped(let total):
      let dropped = arena.message(Faceengine__V1__Dropped.self)
      dropped.pointee.total = total
      response.pointee.outcome_case = FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_DROPPED
      response.pointee.dropped = dropped
    case .failure(let status):
      response.pointee.outcome_case = FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_FAILURE
      response.pointee.failure = FailureCoding.encode(status, arena)
    }
  }

  public static func droppedFrame(stream: UInt32, _ tag: FrameTag, total: UInt64) -> [UInt8] {
    smallFrame(stream: stream, tag, .dropped(total: total))
  }

  /// - Parameter status: a sentence of more than 4 KiB is cut.
  public static func failedFrame(stream: UInt32, _ tag: FrameTag, _ status: Status) -> [UInt8] {
    smallFrame(stream: stream, tag, .failure(status))
  }

  private static func smallFrame(
    stream: UInt32, _ tag: FrameTag, _ outcome: WatchResponse.Outcome
  ) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = encode(tag, arena)
    encode(outcome, into: response, arena)
    return CallFrame.data(stream: stream, response)
  }

  private static func encode(
    _ tag: FrameTag, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__WatchResponse> {
    let response = arena.message(Faceengine__V1__WatchResponse.self)
    response.pointee.id = tag.id
    response.pointee.timestamp_ns = tag.timestamp
    return response
  }

  // MARK: Back at the client

  /// Throws `invalidArgument` when the bytes are no such message, or a number in it is none.
  public static func response(_ bytes: Span<UInt8>) throws(Status) -> WatchResponse {
    try Decoder.decode(
      Faceengine__V1__WatchResponse.self, bytes, growth: FaceCoding.growth
    ) { (response) throws(Status) in
      WatchResponse(
        tag: FrameTag(id: response.id, timestamp: response.timestamp_ns), outcome: try outcome(response),
        left: Array(UnsafeBufferPointer(start: response.left, count: response.n_left)),
        check: try CheckReportCoding.decode(response.check?.pointee))
    }
  }

  private static func outcome(
    _ message: Faceengine__V1__WatchResponse
  ) throws(Status) -> WatchResponse.Outcome {
    switch message.outcome_case {
    case FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_RESULT:
      if let result = message.result { return .result(try ResultCoding.decode(result.pointee)) }
    case FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_DROPPED:
      if let dropped = message.dropped { return .dropped(total: dropped.pointee.total) }
    case FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_FAILURE:
      if let failure = message.failure { return .failure(try FailureCoding.decode(failure.pointee)) }
    default: break
    }
    throw Status(.invalidArgument, "a frame has neither a result nor a failure, nor was it dropped")
  }
}
