import CProtocol
import FaceCore
import TestSupport
import Testing
import Wire

@Suite struct WatchCallTests {
  @Test func followedFacesRoundTrip() throws {
    var info = FrameInfo(number: 3)
    info.followed = [
      FollowedFace(id: FollowedFace.firstID, box: Box(x: -1, y: 0.5, width: 30, height: 40)),
      FollowedFace(id: .max, box: Box(x: 0, y: 0, width: 1, height: 1)),
    ]
    func received(_ info: FrameInfo) throws -> FrameInfo? {
      let body = Sent.body(try WatchCall.requestFrame(stream: 3, info, Sent.image))
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
    expectFailure(.invalidArgument) { try WatchCall.request(bytes.span) }
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
      Sent.body(
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

  @Test func aBatchBeyondTheLimitIsRefused() throws {
    let frame = try DetectBatchCall.requestFrame(
      CallHeader(stream: 1), [Sent.image, Sent.image, Sent.image], DetectionOptions())
    let payload = try Sent.request(frame)
    #expect(try DetectBatchCall.request(payload.span, limit: 3).images.count == 3)
    expectFailure(.resourceExhausted) { try DetectBatchCall.request(payload.span, limit: 2) }
  }

  @Test(arguments: [[0x08, 1], [0x0a], [0x10, 1], [0x12, 2, 0x0d, 1]] as [[UInt8]])
  func wrongBatchesAreRefused(bytes: [UInt8]) {
    #expect(throws: Status.self) { _ = try DetectBatchCall.request(bytes.span, limit: 100) }
  }
}
