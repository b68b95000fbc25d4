import FaceCore
import Testing
import Wire

/// Messages without frame and envelope, and the beginnings of frames whose payload is sent behind them.
@Suite struct PayloadTests {
  private let file = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private var options: DetectionOptions {
    var options = DetectionOptions()
    options.maxFaces = 3
    return options
  }

  private func withImage<Value>(_ body: (MessageImage) throws -> Value) rethrows -> Value {
    try file.withUnsafeBytes { bytes in
      var image = MessageImage(.encoded(bytes), orientation: .down)
      image.region = Box(x: 1, y: 2, width: 3, height: 4)
      return try body(image)
    }
  }

  private func expect(_ image: MessageImage) {
    guard case .encoded(let bytes) = image.source else { return #expect(Bool(false), "\(image.source)") }
    #expect(Array(bytes) == file && image.orientation == .down && image.region?.height == 4)
  }

  @Test(arguments: [false, true]) func requestIsReadWithItsFileInItOrBehindIt(isBehind: Bool) throws {
    let payload = withImage { DetectCall.payload($0, options, file: isBehind ? file.count : nil) }
    let sent = payload + (isBehind ? file : [])
    #expect((payload.count < file.count) == isBehind)
    try DetectCall.withRequest(sent.span) { image, read in
      expect(image)
      #expect(read == options)
    }
  }

  @Test(arguments: [false, true]) func frameIsReadWithItsFileInItOrBehindIt(isBehind: Bool) throws {
    let info = FrameInfo(number: 7, timestamp: 8, attempt: 9)
    let payload = withImage { WatchCall.payload(info, $0, timeout: 5, file: isBehind ? file.count : nil) }
    let sent = payload + (isBehind ? file : [])
    guard case .frame(let frame) = try WatchCall.request(sent.span) else {
      return #expect(Bool(false), "not a frame")
    }
    #expect(frame.info == info && frame.timeout == 5)
    try MessageImage.decoding(sent.span.extracting(frame.image)) { expect($0) }
  }

  @Test func otherPayloadsAreThoseOfTheirFrames() throws {
    let start = WatchStart(options: options, mode: .every)
    let frame = try WatchCall.startFrame(stream: 3, start)
    #expect(WatchCall.payload(start) == Array(frame[FrameHeader.size...]))
    #expect(HealthCall.payload("") == [])
    let request = try HealthCall.requestFrame(CallHeader(stream: 1), "a")
    let data = Array(request[FrameHeader.size...])
    #expect(HealthCall.payload("a") == Array(data[try RequestEnvelope(decoding: data.span).payload]))
  }

  @Test(arguments: [0, 1, 127, 128, 100_000], [0, 1, -5, .max] as [Int64])
  func headAndPayloadAreAFrame(size: Int, timeout: Int64) throws {
    let payload = [UInt8](repeating: 3, count: size)
    let head = try RequestHead(
      service: "s", method: "Détect", CallHeader(stream: 5, timeout: .nanoseconds(timeout)),
      metadata: [("traceparent", "t"), ("", "")], payloadSize: size, flags: .remoteOpen, limit: .max)
    let bytes = [UInt8](capacity: head.byteCount) { head.encode(to: &$0) } + payload
    var parser = FrameParser(limit: FrameHeader.maxLength)
    var offset = 0
    guard case .frame(let frame)? = parser.next(bytes.span, &offset) else {
      return #expect(Bool(false), "not a frame")
    }
    #expect(offset == bytes.count && frame.header.stream == 5 && frame.header.flags == .remoteOpen)
    let envelope = try RequestEnvelope(decoding: frame.body.span)
    #expect(envelope.service == "s" && envelope.method == "Détect" && envelope.trace.parent == "t")
    #expect(envelope.timeout.nanoseconds == timeout && Array(frame.body[envelope.payload]) == payload)
  }

  @Test func messageBeyondTheLimitIsRefused() {
    let failure = #expect(throws: Status.self) {
      try RequestHead(
        service: "", method: "", CallHeader(stream: 1), metadata: [], payloadSize: 100, flags: [], limit: 101)
    }
    #expect(failure?.detail == .limit("max_message_bytes"))
  }
}
