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
    try Decoder.decode(Faceengine__V1__DetectRequest.self, payload) { (request) throws(Status) in
      guard let image = request.image else {
        throw Status(.invalidArgument, "image is missing; send encoded bytes or pixels")
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
