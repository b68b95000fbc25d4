import CProtocol
import FaceCore
import TestSupport
import Testing
import Wire

@Suite struct WatchCallTests {
  private let tag = FrameInfo(number: .max, timestamp: 1 << 63)
  private let result = DetectionResult(
    imageSize: PixelSize(width: 640, height: 480),
    faces: [Face(box: Box(x: 1, y: 2, width: 3, height: 4), confidence: 0.5, points: nil)])

  private func body(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst(10)) }

  private func payload(_ frame: [UInt8]) throws -> [UInt8] {
    let body = body(frame)
    return Array(body[try RequestEnvelope(decoding: body.span).payload])
  }

  private func responsePayload(_ frame: [UInt8]) throws -> [UInt8] {
    let body = body(frame)
    return Array(body[try ResponseEnvelope(decoding: body.span).payload])
  }

  // MARK: Hello

  @Test func helloRoundTrips() throws {
    let hello = HelloRequest(minVersion: 1, maxVersion: 7, client: "é 1", features: ["cancel", "later", ""])
    let request = try payload(try HelloCall.requestFrame(CallHeader(stream: 1), hello))
    #expect(try HelloCall.request(request.span) == hello)
    var limits = EngineLimits.unknown
    (limits.maxMessageBytes, limits.callsPerConnection, limits.connectionsPerUser) = (1, 2, 3)
    (limits.minImageSide, limits.maxImageSide, limits.batchImages) = (4, 5, 6)
    (limits.streamsPerConnection, limits.buffersPerConnection) = (7, 8)
    (limits.mappedBytesPerUser, limits.frameCredit) = (1 << 40, 10)
    (limits.drainTimeout, limits.checksPerUser) = (11, 12)
    let answer = HelloResponse(
      version: 1, engineVersion: "1.2.3", features: [.cancel, .buffers], limits: limits)
    let response = try responsePayload(try HelloCall.responseFrame(stream: 1, answer))
    #expect(try HelloCall.response(response.span) == answer)
  }

  // MARK: Watch

  @Test func openAndEndHaveTheDocumentedBytes() throws {
    let open = try WatchCall.openFrame(CallHeader(stream: 3))
    #expect(Array(open[4..<10]) == [0, 0, 0, 3, 1, 2])
    let envelope = try RequestEnvelope(decoding: body(open).span)
    #expect(envelope.method == "Watch")
    #expect(envelope.payload.isEmpty)
    #expect(StreamEnd.dataFrame(stream: 3) == [0, 0, 0, 0, 0, 0, 0, 3, 3, 5])
    #expect(StreamEnd.responseFrame(stream: 3) == [0, 0, 0, 0, 0, 0, 0, 3, 2, 0])
  }

  @Test(arguments: StreamMode.allCases)
  func startRoundTrips(mode: StreamMode) throws {
    var options = DetectionOptions()
    options.maxFaces = 3
    let start = WatchStart(options: options, mode: mode)
    let frame = try WatchCall.startFrame(stream: 3, start)
    #expect(frame[8] == 3)
    let body = body(frame)
    #expect(try WatchCall.request(body.span) == .start(start))
  }

  @Test func followedFacesRoundTrip() throws {
    var info = FrameInfo(number: 3)
    info.followed = [
      FollowedFace(id: FollowedFace.firstID, box: Box(x: -1, y: 0.5, width: 30, height: 40)),
      FollowedFace(id: .max, box: Box(x: 0, y: 0, width: 1, height: 1)),
    ]
    let image = MessageImage(.sharedEncoded(SharedBytes(buffer: 1, offset: 0, size: 1)))
    func received(_ info: FrameInfo) throws -> FrameInfo? {
      let body = body(try WatchCall.requestFrame(stream: 3, info, image))
      guard case .frame(let frame) = try WatchCall.request(body.span) else { return nil }
      return frame.info
    }
    #expect(try received(info) == info)
    for wrong in [
      FollowedFace(id: 1, box: info.followed[0].box),
      FollowedFace(id: .max, box: Box(x: 0, y: 0, width: 0, height: 1)),
      FollowedFace(id: .max, box: Box(x: .nan, y: 0, width: 1, height: 1)),
    ] {
      var other = info
      other.followed[1] = wrong
      #expect(throws: Status.self) { try received(other) }
    }
    info.followed = Array(repeating: info.followed[0], count: FollowedFace.maxCount)
    #expect(try received(info) == info)
    info.followed.append(info.followed[0])
    #expect(throws: Status.self) { try received(info) }
  }

  @Test(arguments: [0, 1, 100_000])
  func frameRoundTrips(size: Int) throws {
    let file = [UInt8](repeating: 7, count: size + 1)
    let frame = try file.withUnsafeBytes { bytes in
      try WatchCall.requestFrame(
        stream: 3, tag, MessageImage(.encoded(bytes), orientation: .left), timeout: .max)
    }
    let body = body(frame)
    guard case .frame(let received) = try WatchCall.request(body.span) else {
      Issue.record("not a frame")
      return
    }
    #expect(received.info == tag)
    #expect(received.timeout == .max)
    try MessageImage.decoding(body.span.extracting(received.image)) { (image) throws(Status) in
      guard case .encoded(let bytes) = image.source else { throw Status(.internal, "not encoded") }
      #expect(bytes.elementsEqual(file))
      #expect(image.orientation == .left)
    }
  }

  @Test func answersRoundTrip() throws {
    for outcome in [
      .faces(result), .dropped(total: .max), .failed(Status(.deadlineExceeded, "too late")),
    ] as [FrameEvent.Outcome] {
      let answer = FrameEvent(frame: tag, outcome: outcome)
      let body = body(try WatchCall.responseFrame(stream: 3, answer))
      #expect(try WatchCall.response(body.span) == answer)
    }
    let nothing: [UInt8] = []
    #expect(throws: Status.self) { try WatchCall.response(nothing.span) }
  }

  @Test(
    arguments: [
      [],  // neither
      [0x08, 1],  // a start that is a number
      [0x0a, 0, 0x12, 0],  // both
      [0x12, 0, 0x12, 0],  // twice
      [0x12, 4, 0x1a, 0, 0x1a, 0],  // two images
      [0x12, 2, 0x0a, 0],  // an id that is no number
      [0x12, 5, 0x08, 1],  // less than it says
      [0x0a, 2, 0x10, 2],  // a mode that does not exist
      [0x0a, 7, 0x0a, 5, 0x0d, 0, 0, 0x80, 0x7f],  // a confidence without end
    ] as [[UInt8]])
  func wrongMessagesAreRefused(bytes: [UInt8]) {
    let status = #expect(throws: Status.self) { _ = try WatchCall.request(bytes.span) }
    #expect(status?.code == .invalidArgument)
  }

  @Test func frameWithoutAnImageIsDecoded() throws {
    let bytes: [UInt8] = [0x12, 2, 0x08, 9]
    guard case .frame(let frame) = try WatchCall.request(bytes.span) else {
      Issue.record("not a frame")
      return
    }
    #expect(frame.info.number == 9)
    let image = bytes.span.extracting(frame.image)
    let count = image.count
    #expect(count == 0)
    #expect(throws: Status.self) { try MessageImage.decoding([UInt8]().span) { _ in } }
  }

  /// A frame that our scan accepts is the same frame to protobuf-c, for every change of one byte.
  @Test func scanAgreesWithTheReference() throws {
    let file: [UInt8] = [1, 2, 3]
    let good = try file.withUnsafeBytes { bytes in
      body(
        try WatchCall.requestFrame(
          stream: 3, FrameInfo(number: 300, timestamp: 5), MessageImage(.encoded(bytes)), timeout: 70_000))
    }
    var taken = 0
    for index in good.indices {
      for value in 0...255 as ClosedRange<UInt8> {
        var bytes = good
        bytes[index] = value
        guard case .frame(let frame)? = try? WatchCall.request(bytes.span) else { continue }
        guard let reference = faceengine__v1__watch_request__unpack(nil, bytes.count, bytes) else {
          // The image, whose length is the preceding byte, is decoded later.
          #expect(index >= frame.image.lowerBound - 1)
          continue
        }
        taken += 1
        #expect(reference.pointee.frame?.pointee.id == frame.info.number)
        #expect(reference.pointee.frame?.pointee.timestamp_ns == frame.info.timestamp)
        #expect(reference.pointee.frame?.pointee.timeout_ns == frame.timeout)
        faceengine__v1__watch_request__free_unpacked(reference, nil)
      }
      _ = try? WatchCall.request(good.span.extracting(0..<index))
    }
    #expect(taken > 0)
  }

  // MARK: Batch

  @Test func batchRoundTrips() throws {
    let files: [[UInt8]] = [[1], [2, 2], [3, 3, 3]]
    let shared = MessageImage(.sharedEncoded(SharedBytes(buffer: 1, offset: 2, size: 3)))
    let frame = try files[0].withUnsafeBytes { a in
      try files[1].withUnsafeBytes { b in
        try DetectBatchCall.requestFrame(
          CallHeader(stream: 1), [MessageImage(.encoded(a)), MessageImage(.encoded(b)), shared],
          DetectionOptions())
      }
    }
    let payload = try self.payload(frame)
    let request = try DetectBatchCall.request(payload.span, limit: 3)
    #expect(request.options == DetectionOptions())
    #expect(request.images.count == 3)
    for (range, file) in zip(request.images, files.prefix(2)) {
      try MessageImage.decoding(payload.span.extracting(range)) { (image) throws(Status) in
        guard case .encoded(let bytes) = image.source else { throw Status(.internal, "not encoded") }
        #expect(bytes.elementsEqual(file))
      }
    }
    let status = #expect(throws: Status.self) { _ = try DetectBatchCall.request(payload.span, limit: 2) }
    #expect(status?.code == .resourceExhausted)
  }

  @Test func batchOutcomesRoundTrip() throws {
    let outcomes: [ImageOutcome] = [
      .success(result), .failure(Status(.invalidArgument, "é")),
      .success(DetectionResult(imageSize: PixelSize(width: 1, height: 1), faces: [])),
    ]
    let payload = try responsePayload(try DetectBatchCall.responseFrame(stream: 1, outcomes))
    #expect(try DetectBatchCall.response(payload.span) == outcomes)
  }

  @Test(arguments: [[0x08, 1], [0x0a], [0x10, 1], [0x12, 2, 0x0d, 1]] as [[UInt8]])
  func wrongBatchesAreRefused(bytes: [UInt8]) {
    #expect(throws: Status.self) { _ = try DetectBatchCall.request(bytes.span, limit: 100) }
  }
}
