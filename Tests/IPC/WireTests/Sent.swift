import FaceCore
import Testing
import Wire

/// What the other side of a connection reads of a message.
enum Sent {
  static func body(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst(FrameHeader.size)) }

  static func request(_ frame: [UInt8]) throws -> [UInt8] {
    let body = body(frame)
    return Array(body[try RequestEnvelope(decoding: body.span).payload])
  }

  static func response(_ frame: [UInt8]) throws -> [UInt8] {
    let body = body(frame)
    return Array(body[try ResponseEnvelope(decoding: body.span).payload])
  }

  /// - Parameter check: is given the image.
  /// - Returns: the options.
  @discardableResult
  static func detect(
    _ image: MessageImage, _ options: DetectionOptions = DetectionOptions(),
    _ check: (MessageImage) throws(Status) -> Void = { _ in }
  ) throws -> DetectionOptions {
    let payload = try request(try DetectCall.requestFrame(CallHeader(stream: 1), image, options))
    return try DetectCall.withRequest(payload.span) { (image, options) throws(Status) in
      try check(image)
      return options
    }
  }

  static func result(_ result: DetectionResult) throws -> DetectionResult {
    let payload = try response(try DetectCall.responseFrame(stream: 1, result))
    return try DetectCall.response(payload.span)
  }

  static func event(_ event: FrameEvent) throws -> FrameEvent {
    let body = body(try WatchCall.responseFrame(stream: 3, event))
    return try WatchCall.response(body.span)
  }

  static func start(_ start: WatchStart) throws -> WatchStart? {
    let body = body(try WatchCall.startFrame(stream: 3, start))
    guard case .start(let received) = try WatchCall.request(body.span) else { return nil }
    return received
  }

  /// An image of one byte in shared memory.
  static var image: MessageImage { MessageImage(.sharedEncoded(SharedBytes(buffer: 1, offset: 0, size: 1))) }
}

/// A field of a message that has a length: its number and its bytes.
func field(_ number: UInt8, _ bytes: some Collection<UInt8>) -> [UInt8] {
  [number << 3 | 2, UInt8(bytes.count)] + bytes
}
