import CProtocol
public import FaceCore

/// The first message of a stream.
public struct WatchStart: Equatable, Sendable {
  public var options: DetectionOptions
  public var mode: StreamMode
  /// The tracking options; `nil` for faces without ids.
  public var tracking: TrackingOptions?
  /// The options of a guided check; only in `Detector/Check`.
  public var check: CheckOptions?

  public init(
    options: DetectionOptions, mode: StreamMode, tracking: TrackingOptions? = nil, check: CheckOptions? = nil
  ) {
    self.options = options
    self.mode = mode
    self.tracking = tracking
    self.check = check
  }

  /// The start of a stream with `options`. Their timeout is not part of it: it is sent with each frame.
  public init(_ options: StreamOptions) {
    self.init(
      options: options.detection, mode: options.mode, tracking: options.tracking, check: options.check)
  }

  /// The call that the stream is opened with.
  public var method: Method { check == nil ? .watch : .check }
}

/// A frame of a stream; its image stays where it was received.
public struct WatchFrame: Equatable, Sendable {
  public var info: FrameInfo
  /// Nanoseconds within which it must be started; 0 for no limit.
  public var timeout: UInt64
  /// Positions in the message of the `Image`, for `MessageImage.decoding`.
  public var image: Range<Int>
}

/// A message from the client.
public enum WatchRequest: Equatable, Sendable {
  case start(WatchStart)
  case frame(WatchFrame)
}

/// The messages of `Detector/Watch` and `Detector/Check`, each a whole frame when encoded and the frame's
/// data when decoded.
public enum WatchCall {
  // MARK: From the client

  /// Opens the stream; `startFrame` comes next.
  public static func openFrame(_ call: CallHeader, _ method: Method = .watch) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let nothing = arena.message(Faceengine__V1__WatchRequest.self)
    return try CallFrame.request(
      method, call, nothing.base, limit: FrameHeader.maxLength, flags: .remoteOpen)
  }

  public static func startFrame(stream: UInt32, _ start: WatchStart) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.data(stream: stream, request(start, arena), limit: FrameHeader.maxLength)
  }

  /// The start without its frame.
  public static func payload(_ start: WatchStart) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return CallFrame.payload([(0, request(start, arena))])
  }

  private static func request(
    _ start: WatchStart, _ arena: Arena
  ) -> UnsafePointer<ProtobufCMessage> {
    let message = arena.message(Faceengine__V1__WatchStart.self)
    message.pointee.options = arena.message(start.options)
    message.pointee.mode = .init(start.mode.rawValue)
    message.pointee.tracking = arena.optional(start.tracking)
    message.pointee.check = arena.optional(start.check)
    let request = arena.message(Faceengine__V1__WatchRequest.self)
    request.pointee.kind_case = FACEENGINE__V1__WATCH_REQUEST__KIND_START
    request.pointee.start = message
    return request.base
  }

  /// - Parameters:
  ///   - timeout: nanoseconds within which the frame must be started; 0 for no limit.
  ///   - limit: the most bytes of the frame's data; throws `resourceExhausted` beyond.
  public static func requestFrame(
    stream: UInt32, _ info: FrameInfo, _ image: MessageImage, timeout: UInt64 = 0,
    limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let frame = frame(info, timeout, arena)
    frame.pointee.image = arena.message(image)
    let request = arena.message(Faceengine__V1__WatchRequest.self)
    request.pointee.kind_case = FACEENGINE__V1__WATCH_REQUEST__KIND_FRAME
    request.pointee.frame = frame
    return try CallFrame.data(stream: stream, request.base, limit: limit)
  }

  /// The message of a frame, as `requestFrame` sends it.
  ///
  /// - Parameter file: the size of the image's file, if the file is sent behind this; the image has no source then.
  public static func payload(
    _ info: FrameInfo, _ image: MessageImage, timeout: UInt64 = 0, file: Int? = nil
  ) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__WatchRequest.self)
    return CallFrame.payload(
      [(0, request.base), (2, frame(info, timeout, arena).base), (3, image.message(before: file, arena))],
      file: file)
  }

  private static func frame(
    _ info: FrameInfo, _ timeout: UInt64, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__WatchFrame> {
    let frame = arena.message(Faceengine__V1__WatchFrame.self)
    frame.pointee.id = info.number
    frame.pointee.timestamp_ns = info.timestamp
    frame.pointee.timeout_ns = timeout
    frame.pointee.attempt = info.attempt
    (frame.pointee.n_followed, frame.pointee.followed) = arena.list(info.followed)
    return frame
  }

  // MARK: In the engine

  /// Throws `invalidArgument` for bytes that are not such a message, and for a start with a wrong option.
  public static func request(_ bytes: Span<UInt8>) throws(Status) -> WatchRequest {
    var request: WatchRequest?
    var scanner = ProtobufScanner(0..<bytes.count, of: "WatchRequest")
    while let field = try scanner.next(bytes) {
      guard (1...2).contains(field.number) else { throw UnknownField.status(field.number, in: "") }
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
    try Decoder.decode(Faceengine__V1__WatchStart.self, bytes, request: "") { (start) throws(Status) in
      let mode: StreamMode = try Decoder.known(start.mode.rawValue, "mode", send: "NEWEST or EVERY")
      let options: DetectionOptions = try Decoder.value(start.options)
      try options.validateForSeveralImages()
      return WatchStart(
        options: options, mode: mode, tracking: try Decoder.optional(start.tracking),
        check: try Decoder.optional(start.check))
    }
  }

  private static func frame(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Status) -> WatchFrame {
    var frame = WatchFrame(info: FrameInfo(number: 0), timeout: 0, image: 0..<0)
    var hasImage = false
    var scanner = ProtobufScanner(range, of: "WatchFrame")
    while let field = try scanner.next(bytes) {
      switch (field.number, field.value) {
      case (1, .varint(let value)): frame.info.number = value
      case (2, .varint(let value)): frame.info.timestamp = value
      case (3, .bytes(let range)):
        guard !hasImage else { throw scanner.malformed("it has more than one image") }
        hasImage = true
        frame.image = range
      case (4, .varint(let value)): frame.timeout = value
      case (5, .varint(let value)): frame.info.attempt = UInt32(truncatingIfNeeded: value)
      case (6, .bytes(let range)):
        frame.info.followed.append(try followed(bytes.extracting(range), after: frame.info.followed.count))
      case (1...6, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: throw UnknownField.status(field.number, in: "frame")
      }
    }
    return frame
  }

  private static func followed(_ bytes: Span<UInt8>, after count: Int) throws(Status) -> FollowedFace {
    guard count < FollowedFace.maxCount else {
      throw Status(
        .invalidArgument, "a frame has more than \(FollowedFace.maxCount) faces to follow; send fewer",
        .field("frame.followed"))
    }
    let face = try Decoder.decode(
      Faceengine__V1__FollowedFace.self, bytes, request: "frame.followed"
    ) { (message) throws(Status) in try FollowedFace(decoding: message) }
    guard face.id >= FollowedFace.firstID else {
      throw Status(
        .invalidArgument,
        "a face to follow has the id \(face.id); use ids from \(FollowedFace.firstID)",
        .field("frame.followed.id"))
    }
    guard face.box.isValid else {
      throw Status(
        .invalidArgument, "the box of a face to follow has no area; send x, y, width and height in pixels",
        .field("frame.followed.box"))
    }
    return face
  }

  /// The answer to a frame.
  ///
  /// Throws `resourceExhausted` if there are more faces than fit in one message.
  /// - Parameter event: the event; the pictures of a check's result are JPEG files, or have no bytes.
  public static func responseFrame(stream: UInt32, _ event: FrameEvent) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.answer(stream: stream, arena.message(event).base)
  }

  public static func droppedFrame(stream: UInt32, _ frame: FrameInfo, total: UInt64) -> [UInt8] {
    smallFrame(stream: stream, frame, .dropped(total: total))
  }

  /// - Parameter status: the failure; messages beyond 4 KiB are truncated.
  public static func failedFrame(stream: UInt32, _ frame: FrameInfo, _ status: Status) -> [UInt8] {
    smallFrame(stream: stream, frame, .failed(status))
  }

  private static func smallFrame(
    stream: UInt32, _ frame: FrameInfo, _ outcome: FrameEvent.Outcome
  ) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return CallFrame.data(stream: stream, arena.message(FrameEvent(frame: frame, outcome: outcome)).base)
  }

  // MARK: Back at the client

  /// The event of a frame; the pictures of a check's result are JPEG files, or have no bytes.
  ///
  /// Throws `invalidArgument` if the bytes are not such a message, or a number in it is not finite.
  public static func response(_ bytes: Span<UInt8>) throws(Status) -> FrameEvent {
    try Decoder.decode(
      Faceengine__V1__WatchResponse.self, bytes, growth: Face.growth
    ) { (response) throws(Status) in try FrameEvent(decoding: response) }
  }
}

extension FrameEvent: WireValue {
  func encode(into message: inout Faceengine__V1__WatchResponse, _ arena: Arena) {
    message.id = frame.number
    message.timestamp_ns = frame.timestamp
    switch outcome {
    case .faces(let result):
      message.outcome_case = FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_RESULT
      message.result = arena.message(result)
    case .dropped(let total):
      let dropped = arena.message(Faceengine__V1__Dropped.self)
      dropped.pointee.total = total
      message.outcome_case = FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_DROPPED
      message.dropped = dropped
    case .failed(let status):
      message.outcome_case = FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_FAILURE
      message.failure = arena.message(status)
    }
    (message.n_left, message.left) = arena.list(left) { $0 }
    message.check = arena.optional(check)
  }

  init(decoding message: Faceengine__V1__WatchResponse) throws(Status) {
    self.init(
      frame: FrameInfo(number: message.id, timestamp: message.timestamp_ns),
      outcome: try FrameEvent.outcome(message),
      left: Array(UnsafeBufferPointer(start: message.left, count: message.n_left)),
      check: try Decoder.optional(message.check))
  }

  private static func outcome(
    _ message: Faceengine__V1__WatchResponse
  ) throws(Status) -> Outcome {
    switch message.outcome_case {
    case FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_RESULT:
      if let result = message.result { return .faces(try DetectionResult(decoding: result.pointee)) }
    case FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_DROPPED:
      if let dropped = message.dropped { return .dropped(total: dropped.pointee.total) }
    case FACEENGINE__V1__WATCH_RESPONSE__OUTCOME_FAILURE:
      if let failure = message.failure { return .failed(try Status(decoding: failure.pointee)) }
    default: break
    }
    throw Status(.invalidArgument, "a frame has neither a result nor a failure, nor was it dropped")
  }
}

extension FollowedFace: WireValue {
  func encode(into message: inout Faceengine__V1__FollowedFace, _ arena: Arena) {
    message.id = id
    message.box = arena.message(box)
  }

  init(decoding message: Faceengine__V1__FollowedFace) throws(Status) {
    guard let box = message.box?.pointee else {
      throw Status(.invalidArgument, "a face to follow has no box; send one", .field("frame.followed.box"))
    }
    self.init(id: message.id, box: try Box(decoding: box, "frame.followed.box"))
  }
}
