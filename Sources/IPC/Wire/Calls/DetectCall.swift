import CProtocol
public import FaceCore

/// The messages of `Detector/Detect`.
public enum DetectCall {
  /// Throws `resourceExhausted` if the frame would have more than `limit` bytes of data.
  public static func requestFrame(
    _ call: CallHeader, _ image: MessageImage, _ options: DetectionOptions, limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__DetectRequest.self)
    request.pointee.image = arena.message(image)
    request.pointee.options = arena.message(options)
    return try CallFrame.request(.detect, call, request.base, limit: limit)
  }

  /// The request without frame and envelope.
  ///
  /// - Parameter file: the size of the image's file, if the file is sent behind this; the image has no source then.
  public static func payload(
    _ image: MessageImage, _ options: DetectionOptions, file: Int? = nil
  ) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__DetectRequest.self)
    request.pointee.options = arena.message(options)
    return CallFrame.payload([(0, request.base), (1, image.message(before: file, arena))], file: file)
  }

  /// The request for an image in this process's memory.
  public static func requestFrame(
    _ call: CallHeader, _ input: ImageInput, _ options: DetectionOptions, limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    try requestFrame(call, MessageImage(input), options, limit: limit)
  }

  /// Calls `body` with the image and options of the request. The image is borrowed: it is valid until `body`
  /// returns.
  ///
  /// Throws `invalidArgument`, naming the wrong field, and errors of `body`.
  public static func withRequest<Result>(
    _ payload: Span<UInt8>, _ body: (MessageImage, DetectionOptions) throws(Status) -> Result
  ) throws(Status) -> Result {
    // The maximum number of boxes takes some 150 KiB.
    try Decoder.decode(
      Faceengine__V1__DetectRequest.self, payload, room: 256 << 10, request: ""
    ) { (request) throws(Status) in
      guard let image = request.image else {
        throw Status(.invalidArgument, "image is missing; send encoded bytes or pixels", .field("image"))
      }
      return try body(try MessageImage(decoding: image.pointee), try Decoder.value(request.options))
    }
  }

  /// Throws `resourceExhausted` if there are more faces than fit in one message.
  public static func responseFrame(stream: UInt32, _ result: DetectionResult) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.response(stream: stream, arena.message(result).base)
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a number in it is not finite.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> DetectionResult {
    try Decoder.decode(
      Faceengine__V1__DetectResponse.self, payload, growth: Face.growth
    ) { (response) throws(Status) in try DetectionResult(decoding: response) }
  }
}

/// The request for a batch; the images stay where they were received.
public struct BatchRequest: Equatable, Sendable {
  /// Positions in the payload of the `Image` messages, for `MessageImage.decoding`.
  public var images: [Range<Int>]
  public var options: DetectionOptions
}

/// The outcome for one image of several.
public typealias ImageOutcome = Result<DetectionResult, Status>

/// The messages of `Detector/DetectBatch`.
public enum DetectBatchCall {
  /// Throws `resourceExhausted` if the frame would have more than `limit` bytes of data.
  public static func requestFrame(
    _ call: CallHeader, _ images: [MessageImage], _ options: DetectionOptions,
    limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__DetectBatchRequest.self)
    (request.pointee.n_images, request.pointee.images) = arena.list(images)
    request.pointee.options = arena.message(options)
    return try CallFrame.request(.detectBatch, call, request.base, limit: limit)
  }

  /// Throws `invalidArgument` if the bytes are not such a message or an option is wrong, `resourceExhausted`
  /// for more images than `limit`.
  public static func request(_ payload: Span<UInt8>, limit: Int) throws(Status) -> BatchRequest {
    var request = BatchRequest(images: [], options: DetectionOptions())
    var scanner = ProtobufScanner(0..<payload.count, of: "DetectBatchRequest")
    while let field = try scanner.next(payload) {
      switch (field.number, field.value) {
      case (1, .bytes(let range)):
        guard request.images.count < limit else {
          throw Status(
            .resourceExhausted, "the batch has more than \(limit) images; send them in several calls",
            .limit("batch_images"))
        }
        request.images.append(range)
      case (2, .bytes(let range)):
        request.options = try DetectionOptions(decoding: payload.extracting(range))
        try request.options.validateForSeveralImages()
      case (1...2, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: throw UnknownField.status(field.number, in: "")
      }
    }
    return request
  }

  /// The response. Results that do not fit in the message fail with `resourceExhausted`; the others are kept.
  ///
  /// Throws `resourceExhausted` if not even the failures fit.
  public static func responseFrame(stream: UInt32, _ outcomes: [ImageOutcome]) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__DetectBatchResponse.self)
    var room = FrameHeader.maxLength - outcomes.count * Self.refusalBytes
    (response.pointee.n_results, response.pointee.results) = arena.list(outcomes) { outcome in
      let result = encode(outcome, arena)
      let size = protobuf_c_message_get_packed_size(result.base)
      guard size > room, case .success = outcome else {
        room -= size
        return result
      }
      return encode(.failure(Self.noRoom), arena)
    }
    return try CallFrame.response(stream: stream, response.base)
  }

  /// More bytes than what surrounds a result in the message, or than `noRoom` takes there.
  private static let refusalBytes = 256
  private static let noRoom = Status(
    .resourceExhausted,
    "the batch's answer has no room left for these faces; set a lower max_faces, request fewer outputs, such as landmarks, or send fewer images"
  )

  private static func encode(
    _ outcome: ImageOutcome, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__BatchResult> {
    let result = arena.message(Faceengine__V1__BatchResult.self)
    switch outcome {
    case .success(let faces):
      result.pointee.outcome_case = FACEENGINE__V1__BATCH_RESULT__OUTCOME_RESULT
      result.pointee.result = arena.message(faces)
    case .failure(let status):
      result.pointee.outcome_case = FACEENGINE__V1__BATCH_RESULT__OUTCOME_FAILURE
      result.pointee.failure = arena.message(status)
    }
    return result
  }

  /// Throws `invalidArgument` if the bytes are not such a message, or a number in it is not finite.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [ImageOutcome] {
    try Decoder.decode(
      Faceengine__V1__DetectBatchResponse.self, payload, growth: Face.growth
    ) { (response) throws(Status) in
      var outcomes: [ImageOutcome] = []
      for index in 0..<response.n_results {
        guard let result = response.results[index]?.pointee else { continue }
        outcomes.append(try outcome(result))
      }
      return outcomes
    }
  }

  private static func outcome(_ message: Faceengine__V1__BatchResult) throws(Status) -> ImageOutcome {
    switch message.outcome_case {
    case FACEENGINE__V1__BATCH_RESULT__OUTCOME_RESULT:
      if let result = message.result { return .success(try DetectionResult(decoding: result.pointee)) }
    case FACEENGINE__V1__BATCH_RESULT__OUTCOME_FAILURE:
      if let failure = message.failure { return .failure(try Status(decoding: failure.pointee)) }
    default: break
    }
    throw Status(.invalidArgument, "an image has neither a result nor a failure")
  }
}
