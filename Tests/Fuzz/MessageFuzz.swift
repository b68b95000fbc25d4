import FaceCore
import Wire

/// A payload is refused with a status, or decodes to a value that is unchanged after encoding and decoding.
///
/// The input: a byte that chooses the message, then the message.
enum MessageFuzz {
  /// The numbers must not change: each file of the corpus begins with one.
  private enum Kind: UInt8 {
    case detectRequest, detectResponse, healthRequest, healthResponse, infoRequest, infoResponse
    case helloRequest, helloResponse, batchRequest, batchResponse, watchRequest, watchResponse
    case controlFromClient, controlFromEngine
    case statsRequest, statsResponse, listModelsRequest, listModelsResponse
    case reloadModelRequest, reloadModelResponse, describeRequest, describeResponse
    case takeOverRequest, takeOverResponse
  }

  static func run(_ input: Span<UInt8>) {
    guard input.count >= 1, let kind = Kind(rawValue: input[0]) else { return }
    do throws(Status) {
      try run(kind, input.extracting(1...))
    } catch {
      precondition(error.code != .ok && !error.message.isEmpty)
    }
  }

  private static func run(_ kind: Kind, _ bytes: Span<UInt8>) throws(Status) {
    switch kind {
    case .detectRequest: try detectRequest(bytes)
    case .detectResponse:
      try response(bytes, DetectCall.response) { (message) throws(Status) in
        try DetectCall.responseFrame(stream: 1, message)
      }
    case .healthRequest: try request(bytes, HealthCall.self)
    case .healthResponse: try response(bytes, HealthCall.self)
    case .infoRequest: try InfoCall.request(bytes)
    case .infoResponse: try response(bytes, InfoCall.self)
    case .helloRequest: try request(bytes, HelloCall.self)
    case .helloResponse: try response(bytes, HelloCall.self)
    case .batchRequest: try batchRequest(bytes)
    case .batchResponse:
      try response(bytes, DetectBatchCall.response) { (message) throws(Status) in
        try DetectBatchCall.responseFrame(stream: 1, message)
      }
    case .watchRequest: try watchRequest(bytes)
    case .watchResponse: try watchResponse(bytes)
    case .controlFromClient: try controlFromClient(bytes)
    case .controlFromEngine: try controlFromEngine(bytes)
    case .statsRequest: try StatsCall.request(bytes)
    case .statsResponse: try response(bytes, StatsCall.self)
    case .listModelsRequest: try ListModelsCall.request(bytes)
    case .listModelsResponse: try response(bytes, ListModelsCall.self)
    case .reloadModelRequest: try request(bytes, ReloadModelCall.self)
    case .reloadModelResponse: try response(bytes, ReloadModelCall.self)
    case .describeRequest: try DescribeCall.request(bytes)
    case .describeResponse: _ = try DescribeCall.response(bytes)
    case .takeOverRequest: try request(bytes, TakeOverCall.self)
    case .takeOverResponse: try response(bytes, TakeOverCall.self)
    }
  }

  private static func detectRequest(_ bytes: Span<UInt8>) throws(Status) {
    try DetectCall.withRequest(bytes) { (input, options) throws(Status) in
      touch(input)
      sendOn { () throws(Status) in
        let again = try payload(request: try DetectCall.requestFrame(CallHeader(stream: 1), input, options))
        try DetectCall.withRequest(again.span) { (sameInput, sameOptions) throws(Status) in
          precondition(sameOptions == options)
          expectSame(sameInput, input)
        }
      }
    }
  }

  /// A payload that a call's `decode` accepts is the same after `encode` and `decode`.
  private static func request<Message: Equatable>(
    _ bytes: Span<UInt8>, _ decode: (Span<UInt8>) throws(Status) -> Message,
    _ encode: (Message) throws(Status) -> [UInt8]
  ) throws(Status) {
    let message = try decode(bytes)
    sendOn { () throws(Status) in
      let again = try payload(request: try encode(message))
      let same = try decode(again.span)
      precondition(same == message)
    }
  }

  private static func response<Message: Equatable>(
    _ bytes: Span<UInt8>, _ decode: (Span<UInt8>) throws(Status) -> Message,
    _ encode: (Message) throws(Status) -> [UInt8]
  ) throws(Status) {
    let message = try decode(bytes)
    sendOn { () throws(Status) in
      let again = try payload(response: try encode(message))
      let same = try decode(again.span)
      precondition(same == message)
    }
  }

  private static func request<Call: UnaryCall>(
    _ bytes: Span<UInt8>, _: Call.Type
  ) throws(Status) where Call.Request: Equatable {
    try request(bytes, Call.request) { (message) throws(Status) in
      try Call.requestFrame(CallHeader(stream: 1), message)
    }
  }

  private static func response<Call: UnaryCall>(
    _ bytes: Span<UInt8>, _: Call.Type
  ) throws(Status) where Call.Response: Equatable {
    try response(bytes, Call.response) { (message) throws(Status) in
      try Call.responseFrame(stream: 1, message)
    }
  }

  /// A value that was accepted once must be accepted again.
  private static func sendOn(_ body: () throws(Status) -> Void) {
    do throws(Status) {
      try body()
    } catch {
      preconditionFailure("refused when sent on: \(error.message)")
    }
  }

  /// Reads each byte of the decoded data, so that the address sanitizer checks them.
  private static func touch(_ image: MessageImage) {
    switch image.source {
    case .encoded(let bytes): _ = bytes.reduce(0 as UInt8, ^)
    case .pixels(let view): touch(view)
    case .sharedEncoded(let part):
      withBuffer { buffer in
        if let bytes = try? part.bytes(of: buffer) { _ = bytes.reduce(0 as UInt8, ^) }
      }
    case .sharedPixels(let part):
      withBuffer { buffer in
        if let view = try? part.view(of: buffer) { touch(view) }
      }
    }
  }

  private static func touch(_ view: ImageView) {
    for index in 0..<view.planeCount {
      let plane = view.plane(index)
      let rowBytes = view.format.rowBytes(plane: index, width: view.size.width)
      for row in 0..<view.format.rows(plane: index, height: view.size.height) {
        let start = row * plane.stride
        _ = plane.bytes[start..<start + rowBytes].reduce(0 as UInt8, ^)
      }
    }
  }

  /// The buffers that a client might have offered.
  private static func withBuffer(_ body: (UnsafeRawBufferPointer) -> Void) {
    [UInt8](repeating: 0, count: 4096).withUnsafeBytes(body)
  }

  private static func expectSame(_ a: MessageImage, _ b: MessageImage) {
    precondition(a.orientation == b.orientation && a.isMirrored == b.isMirrored && a.region == b.region)
    switch (a.source, b.source) {
    case (.encoded(let a), .encoded(let b)): precondition(a.elementsEqual(b))
    case (.pixels(let a), .pixels(let b)):
      precondition(a.format == b.format && a.size == b.size && a.colour == b.colour)
      for index in 0..<a.planeCount {
        // Bytes after the last row are not sent.
        let used = a.usedBytes(plane: index)
        precondition(a.plane(index).stride == b.plane(index).stride)
        precondition(a.plane(index).bytes.prefix(used).elementsEqual(b.plane(index).bytes.prefix(used)))
      }
    case (.sharedEncoded(let a), .sharedEncoded(let b)): precondition(a == b)
    case (.sharedPixels(let a), .sharedPixels(let b)): precondition(a == b)
    default: preconditionFailure("the images come from different sources")
    }
  }

  /// Each image of a batch may be wrong by itself.
  private static func batchRequest(_ bytes: Span<UInt8>) throws(Status) {
    let batch = try DetectBatchCall.request(bytes, limit: 64)
    precondition(batch.images.count <= 64)
    for range in batch.images {
      try MessageImage.decoding(bytes.extracting(range)) { (image) throws(Status) in
        touch(image)
        sendOn { () throws(Status) in
          let frame = try DetectBatchCall.requestFrame(CallHeader(stream: 1), [image, image], batch.options)
          let again = try payload(request: frame)
          let same = try DetectBatchCall.request(again.span, limit: 64)
          precondition(same.images.count == 2 && same.options == batch.options)
          try MessageImage.decoding(again.span.extracting(same.images[1])) { (sameImage) throws(Status) in
            expectSame(sameImage, image)
          }
        }
      }
    }
  }

  private static func watchRequest(_ bytes: Span<UInt8>) throws(Status) {
    switch try WatchCall.request(bytes) {
    case .start(let start):
      sendOn { () throws(Status) in
        let again = try WatchCall.startFrame(stream: 1, start)
        let same = try WatchCall.request(again.span.extracting(FrameHeader.size...))
        precondition(same == .start(start))
      }
    case .frame(let frame):
      try MessageImage.decoding(bytes.extracting(frame.image)) { (image) throws(Status) in
        touch(image)
        sendOn { () throws(Status) in
          let again = try WatchCall.requestFrame(stream: 1, frame.info, image, timeout: frame.timeout)
          let body = again.span.extracting(FrameHeader.size...)
          guard case .frame(let same) = try WatchCall.request(body) else {
            preconditionFailure("a frame became a start")
          }
          precondition(same.info == frame.info && same.timeout == frame.timeout)
          try MessageImage.decoding(body.extracting(same.image)) { (sameImage) throws(Status) in
            expectSame(sameImage, image)
          }
        }
      }
    }
  }

  private static func watchResponse(_ bytes: Span<UInt8>) throws(Status) {
    let answer = try WatchCall.response(bytes)
    sendOn { () throws(Status) in
      let again = try WatchCall.responseFrame(stream: 1, answer)
      let same = try WatchCall.response(again.span.extracting(FrameHeader.size...))
      precondition(same == answer)
    }
  }

  /// The message: the frame's type, a byte of its stream's number, its data.
  private static func controlFromClient(_ bytes: Span<UInt8>) throws(Status) {
    guard let (type, stream) = control(bytes) else { return }
    let frame = try ControlFromClient(type, stream: stream, bytes.extracting(2...))
    expectBytes(frame.frame, bytes, tailIsKept: false)
  }

  private static func controlFromEngine(_ bytes: Span<UInt8>) throws(Status) {
    guard let (type, stream) = control(bytes) else { return }
    let frame = try ControlFromEngine(type, stream: stream, bytes.extracting(2...))
    expectBytes(frame.frame, bytes, tailIsKept: type == .bufferOffer)
  }

  private static func control(_ bytes: Span<UInt8>) -> (FrameType, UInt32)? {
    guard bytes.count >= 2, let type = FrameType(rawValue: bytes[0]) else { return nil }
    return (type, UInt32(bytes[1]))
  }

  /// - Parameter tailIsKept: whether there may be a text at the end, whose invalid UTF-8 was repaired.
  private static func expectBytes(_ frame: [UInt8], _ bytes: Span<UInt8>, tailIsKept: Bool) {
    precondition(frame[8] == bytes[0] && frame[7] == bytes[1])
    let data = frame.dropFirst(FrameHeader.size)
    let fixed = tailIsKept ? min(8, data.count) : data.count
    precondition(tailIsKept || data.count == bytes.count - 2 || data.isEmpty)
    for index in 0..<fixed where !tailIsKept || index < 4 {
      precondition(frame[FrameHeader.size + index] == bytes[2 + index])
    }
  }

  private static func payload(request frame: [UInt8]) throws(Status) -> [UInt8] {
    let body = frame.span.extracting(FrameHeader.size...)
    return body.extracting(try RequestEnvelope(decoding: body).payload).withUnsafeBufferPointer(Array.init)
  }

  private static func payload(response frame: [UInt8]) throws(Status) -> [UInt8] {
    let body = frame.span.extracting(FrameHeader.size...)
    return body.extracting(try ResponseEnvelope(decoding: body).payload).withUnsafeBufferPointer(Array.init)
  }
}
