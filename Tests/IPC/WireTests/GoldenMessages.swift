import FaceCore
import TestSupport
import Wire

/// One message of each kind on the wire.
enum GoldenMessages {
  static let all = requests + responses + data + control

  private typealias Values = GoldenValues

  // MARK: Requests

  static let requests: [GoldenMessage] = [
    detect("file", Values.options, Values.withFile),
    detect("pixels", DetectionOptions(), Values.withPixels),
    detect("planes", DetectionOptions(), Values.withPlanes),
    detect("shared-file", DetectionOptions()) { try $0(MessageImage(.sharedEncoded(Values.sharedFile))) },
    detect("shared-pixels", DetectionOptions()) { try $0(MessageImage(.sharedPixels(Values.sharedPixels))) },
    .request("detect-batch", .detectBatch, batch) { call, batch in
      try Values.withFile { file in
        let shared = MessageImage(.sharedEncoded(Values.sharedFile))
        return try DetectBatchCall.requestFrame(call, [file, shared], batch.options)
      }
    } decode: { payload in
      let request = try DetectBatchCall.request(payload, limit: 2)
      let images = try request.images.map { try Values.image(payload.extracting($0)) }
      return Detection(images: images, options: request.options)
    },
    .request("watch", .watch, Nothing(), flags: .remoteOpen, timeout: 0) { call, _ in
      try WatchCall.openFrame(call)
    } decode: {
      try Nothing($0)
    },
    .request("check", .check, Nothing(), flags: .remoteOpen, timeout: 0) { call, _ in
      try WatchCall.openFrame(call, .check)
    } decode: {
      try Nothing($0)
    },
    .request("hello", HelloCall.self, hello),
    .request("health-check", HealthCall.self, "faceengine.v1.Detector"),
    .request("health-watch", .healthWatch, "faceengine.v1.Detector", flags: .remoteClosed, timeout: 0) {
      try HealthCall.watchRequestFrame(stream: $0.stream, service: $1)
    } decode: {
      try HealthCall.request($0)
    },
    .request("info", InfoCall.self),
    .request("stats", StatsCall.self),
    .request("list-models", ListModelsCall.self),
    .request("reload-model", ReloadModelCall.self, "yunét"),
    .request("take-over", TakeOverCall.self, TakeOverCall.Step.end),
    .request("describe", DescribeCall.self),
  ]

  /// The options of a detection.
  private struct Detection: Equatable, Sendable {
    var images: [Values.Picture]
    var options: DetectionOptions
  }

  /// A request without fields.
  struct Nothing: Equatable, Sendable {
    struct IsSomething: Error {}

    init() {}

    init(_ payload: Span<UInt8>) throws {
      if !payload.isEmpty { throw IsSomething() }
    }
  }

  /// - Parameter withImage: calls its argument with the request's image.
  private static func detect(
    _ name: String, _ options: DetectionOptions,
    _ withImage: @escaping @Sendable ((MessageImage) throws -> [UInt8]) throws -> [UInt8]
  ) -> GoldenMessage {
    var image: Values.Picture?
    _ = try? withImage {
      image = Values.Picture($0)
      return []
    }
    return .request("detect-\(name)", .detect, Detection(images: image.map { [$0] } ?? [], options: options)) {
      call, detection in
      try withImage { try DetectCall.requestFrame(call, $0, detection.options) }
    } decode: { payload in
      try DetectCall.withRequest(payload) { Detection(images: [Values.Picture($0)], options: $1) }
    }
  }

  private static let batch = Detection(
    images: [
      Values.withFile { Values.Picture($0) },
      Values.Picture(MessageImage(.sharedEncoded(Values.sharedFile))),
    ], options: Values.options)
  private static let hello = HelloRequest(
    minVersion: 1, maxVersion: 300, client: "client é 1.0", features: ["cancel", "buffers", "later"])

  // MARK: Responses

  static let responses: [GoldenMessage] = [
    .response("detect", Values.result) {
      try DetectCall.responseFrame(stream: 5, $0)
    } decode: {
      try DetectCall.response($0)
    },
    .response("detect-batch", outcomes) {
      try DetectBatchCall.responseFrame(stream: 5, $0)
    } decode: {
      try DetectBatchCall.response($0)
    },
    .response("hello", HelloCall.self, helloAnswer),
    .response("health-check", HealthCall.self, .notServing),
    .response("info", InfoCall.self, Values.info),
    .response("info-sandbox", InfoCall.self, Values.sandboxedInfo),
    .response("stats", StatsCall.self, Values.stats),
    .response("stats-decoders", StatsCall.self, Values.statsWithDecoders),
    .response("list-models", ListModelsCall.self, models),
    .response("reload-model", ReloadModelCall.self, [Values.model]),
    .response(
      "take-over", TakeOverCall.self, TakeOverCall.Response(ownsSocketFile: true, counters: Values.counters)),
    // Our set holds face_engine.proto, which grows; this one has three bytes instead.
    .response("describe", [1, 2, 3], encode: nil) { try DescribeCall.response($0) },
    .failure("failure", Status(.unavailable, "the engine is stopping é")),
    .failure("failure-field", Status(.invalidArgument, "wrong", .field("options.max_side"))),
    .failure("failure-limit", Status(.resourceExhausted, "too many", .limit("calls_per_connection"))),
    .empty("response-end-of-stream", .response) { StreamEnd.responseFrame(stream: 5) },
  ]

  private static let outcomes: [ImageOutcome] = [
    .success(Values.smallResult), .failure(Status(.outOfRange, "too large é")),
  ]
  private static let helloAnswer = HelloResponse(
    version: 1, engineVersion: "1.2.3", features: Set(Feature.allCases), limits: Values.limits)
  private static let models = [
    ListedModel(Values.model, title: "YuNet é", isLoaded: true),
    ListedModel(Values.bareModel, title: "", isLoaded: false),
  ]

  // MARK: Messages of streams

  static let data: [GoldenMessage] = [
    start("watch-start", WatchStart(options: DetectionOptions(), mode: .newest)),
    start(
      "watch-start-tracking", WatchStart(options: Values.options, mode: .every, tracking: Values.tracking)),
    start(
      "check-start",
      WatchStart(options: Values.options, mode: .every, tracking: Values.tracking, check: Values.check)),
    start(
      "check-start-defaults", WatchStart(options: DetectionOptions(), mode: .newest, check: CheckOptions())),
    // Of a client that sends its defaults.
    .data(
      "check-start-sent-defaults",
      .start(WatchStart(options: DetectionOptions(), mode: .newest, check: CheckOptions())), encode: nil
    ) { try WatchCall.request($0) },
    .data("watch-frame", frame) { value in
      try Values.withFile { file in
        try WatchCall.requestFrame(stream: 5, value.tag, file, timeout: value.timeout)
      }
    } decode: { body in
      guard case .frame(let frame) = try WatchCall.request(body) else { throw NotAFrame() }
      return StreamFrame(
        tag: frame.info, timeout: frame.timeout, image: try Values.image(body.extracting(frame.image)))
    },
    answer("watch-result", FrameEvent(frame: tag, outcome: .faces(Values.smallResult), left: [1, 300])),
    answer("watch-dropped", FrameEvent(frame: tag, outcome: .dropped(total: 300))),
    answer("watch-failure", FrameEvent(frame: tag, outcome: .failed(Status(.deadlineExceeded, "late é")))),
    answer(
      "check-result",
      FrameEvent(frame: tag, outcome: .faces(Values.smallResult), left: [4], check: Values.report)),
    .data("health", .serving) {
      try HealthCall.dataFrame(stream: 5, $0)
    } decode: {
      try HealthCall.response($0)
    },
    .empty("data-end-of-stream", .data, flags: [.remoteClosed, .noData]) { StreamEnd.dataFrame(stream: 5) },
  ]

  /// A frame of a stream with its image.
  private struct StreamFrame: Equatable, Sendable {
    var tag: FrameInfo
    var timeout: UInt64
    var image: Values.Picture
  }

  private struct NotAFrame: Error {}

  private static let frame = StreamFrame(
    tag: FrameInfo(number: 1 << 40, timestamp: 1 << 63, attempt: 300), timeout: 40_000_000,
    image: Values.withFile { Values.Picture($0) })
  private static let tag = FrameInfo(number: 1 << 40, timestamp: 1 << 63)

  private static func start(_ name: String, _ start: WatchStart) -> GoldenMessage {
    .data(name, .start(start)) { _ in
      try WatchCall.startFrame(stream: 5, start)
    } decode: {
      try WatchCall.request($0)
    }
  }

  private static func answer(_ name: String, _ answer: FrameEvent) -> GoldenMessage {
    .data(name, answer) {
      try WatchCall.responseFrame(stream: 5, $0)
    } decode: {
      try WatchCall.response($0)
    }
  }

  // MARK: Frames beyond plain ttrpc

  static let control: [GoldenMessage] = [
    .fromClient("cancel", .cancel(stream: 5)),
    .fromClient("ping", .ping(0x0102_0304_0506_0708)),
    .fromClient("pong", .pong(0x0102_0304_0506_0708)),
    .fromClient("offer", .register(buffer: 300, size: 1 << 33)),
    .fromClient("take-back", .unregister(buffer: 300)),
    .fromEngine("goaway", .goAway(lastStream: 301)),
    .fromEngine("ping", .ping(0x0102_0304_0506_0708)),
    .fromEngine("pong", .pong(0x0102_0304_0506_0708)),
    .fromEngine("credit", .credit(stream: 5, frames: 300)),
    .fromEngine("offer-taken", .registration(buffer: 300, failure: nil)),
    .fromEngine("offer-refused", .registration(buffer: 300, failure: Status(.alreadyExists, "taken é"))),
  ]
}
