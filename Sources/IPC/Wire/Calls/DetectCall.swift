import CProtocol
public import FaceCore

/// The messages of `Detector/Detect`.
public enum DetectCall {
  /// Throws `resourceExhausted` when the frame would have more than `limit` bytes of data.
  public static func requestFrame(
    _ call: CallHeader, _ image: MessageImage, _ options: DetectionOptions, limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__DetectRequest.self)
    request.pointee.image = ImageCoding.encode(image, arena)
    request.pointee.options = OptionsCoding.encode(options, arena)
    return try CallFrame.request(.detect, call, request, limit: limit)
  }

  /// The same for an image in this process's memory.
  public static func requestFrame(
    _ call: CallHeader, _ input: ImageInput, _ options: DetectionOptions, limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    try requestFrame(call, MessageImage(input), options, limit: limit)
  }

  /// Runs `body` on what the request asks for. The image is borrowed: it lives until `body` returns.
  ///
  /// Throws `invalidArgument` naming the field that is wrong, and what `body` throws.
  public static func withRequest<Result>(
    _ payload: Span<UInt8>, _ body: (MessageImage, DetectionOptions) throws(Status) -> Result
  ) throws(Status) -> Result {
    // As many boxes as may be take some 150 KiB.
    try Decoder.decode(
      Faceengine__V1__DetectRequest.self, payload, room: 256 << 10
    ) { (request) throws(Status) in
      guard let image = request.image else {
        throw Status(.invalidArgument, "image is missing; send encoded bytes or pixels", .field("image"))
      }
      let decoded = try ImageCoding.decode(image.pointee)
      let options = try OptionsCoding.decode(request.options?.pointee)
      return try body(decoded, options)
    }
  }

  /// Throws `resourceExhausted` when there are more faces than one message takes.
  public static func responseFrame(stream: UInt32, _ result: DetectionResult) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.response(stream: stream, ResultCoding.encode(result, arena))
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a number in it is none.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> DetectionResult {
    try Decoder.decode(
      Faceengine__V1__DetectResponse.self, payload, growth: FaceCoding.growth
    ) { (response) throws(Status) in try ResultCoding.decode(response) }
  }
}

/// What a batch asks for; the images stay where they were received.
public struct BatchRequest: Equatable, Sendable {
  /// Positions in the payload, each of one `Image` for `MessageImage.decoding`.
  public var images: [Range<Int>]
  /// For all of them.
  public var options: DetectionOptions
}

/// What became of one image of several.
public typealias ImageOutcome = Result<DetectionResult, Status>

/// The messages of `Detector/DetectBatch`.
public enum DetectBatchCall {
  /// Throws `resourceExhausted` when the frame would have more than `limit` bytes of data.
  public static func requestFrame(
    _ call: CallHeader, _ images: [MessageImage], _ options: DetectionOptions,
    limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__DetectBatchRequest.self)
    let list = arena.allocate(UnsafeMutablePointer<Faceengine__V1__Image>?.self, count: images.count)
    for (index, image) in images.enumerated() { list[index] = ImageCoding.encode(image, arena) }
    request.pointee.n_images = images.count
    request.pointee.images = list
    request.pointee.options = OptionsCoding.encode(options, arena)
    return try CallFrame.request(.detectBatch, call, request, limit: limit)
  }

  /// Throws `invalidArgument` when the bytes are no such message or an option is wrong, `resourceExhausted` for more
  /// images than `limit`.
  public static func request(_ payload: Span<UInt8>, limit: Int) throws(Status) -> BatchRequest {
    var request = BatchRequest(images: [], options: DetectionOptions())
    var scanner = FieldScanner(0..<payload.count, of: "DetectBatchRequest")
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
        request.options = try OptionsCoding.decode(payload.extracting(range))
        try request.options.validateForSeveralImages()
      case (1...2, _): throw scanner.malformed("field \(field.number) has the wrong type")
      default: continue
      }
    }
    return request
  }

  /// A result for which the message has no room left fails with `resourceExhausted`, and the others do not.
  ///
  /// Throws `resourceExhausted` when not even the failures have room.
  public static func responseFrame(stream: UInt32, _ outcomes: [ImageOutcome]) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__DetectBatchResponse.self)
    var room = FrameHeader.maxLength - outcomes.count * Self.refusalBytes
    (response.pointee.n_results, response.pointee.results) = arena.list(outcomes) { outcome in
      let result = encode(outcome, arena)
      let size = protobuf_c_message_get_packed_size(&result.pointee.base)
      guard size > room, case .success = outcome else {
        room -= size
        return result
      }
      return encode(.failure(Self.noRoom), arena)
    }
    return try CallFrame.response(stream: stream, response)
  }

  /// More than what surrounds a result in the message, or than `noRoom` takes there.
  private static let refusalBytes = 256
  private static let noRoom = Status(
    .resourceExhausted,
    "the batch's answer has no room left for these faces; set max_faces, ask for no landmarks, or send fewer images"
  )

  private static func encode(
    _ outcome: ImageOutcome, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__BatchResult> {
    let result = arena.message(Faceengine__V1__BatchResult.self)
    switch outcome {
    case .success(let faces):
      result.pointee.outcome_case = FACEENGINE__V1__BATCH_RESULT__OUTCOME_RESULT
      result.pointee.result = ResultCoding.encode(faces, arena)
    case .failure(let status):
      result.pointee.outcome_case = FACEENGINE__V1__BATCH_RESULT__OUTCOME_FAILURE
      result.pointee.failure = FailureCoding.encode(status, arena)
    }
    return result
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a number in it is none.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [ImageOutcome] {
    try Decoder.decode(
      Faceengine__V1__DetectBatchResponse.self, payload, growth: FaceCoding.growth
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
      if let result = message.result { return .success(try ResultCoding.decode(result.pointee)) }
    case FACEENGINE__V1__BATCH_RESULT__OUTCOME_FAILURE:
      if let failure = message.failure { return .failure(try FailureCoding.decode(failure.pointee)) }
    default: break
    }
    throw Status(.invalidArgument, "an image has neither a result nor a failure")
  }
}
