import FaceCore
import Testing
import Wire

@Suite struct ControlFrameTests {
  private func type(_ frame: [UInt8]) throws -> FrameType { try #require(FrameType(rawValue: frame[8])) }
  private func stream(_ frame: [UInt8]) -> UInt32 { UInt32(frame[7]) }

  @Test(
    arguments: [
      (.cancel(stream: 5), [0, 0, 0, 0, 0, 0, 0, 5, 0x10, 0]),
      (.ping(0x0102_0304_0506_0708), [0, 0, 0, 8, 0, 0, 0, 0, 0x12, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
      (.pong(1), [0, 0, 0, 8, 0, 0, 0, 0, 0x13, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
      (
        .register(buffer: 7, size: 0x1_0000_0002),
        [0, 0, 0, 12, 0, 0, 0, 0, 0x15, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2]
      ),
      (.unregister(buffer: 7), [0, 0, 0, 12, 0, 0, 0, 0, 0x15, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0]),
    ] as [(ControlFromClient, [UInt8])])
  func clientFramesHaveTheDocumentedBytes(value: ControlFromClient, bytes: [UInt8]) throws {
    let frame = value.frame
    #expect(frame == bytes)
    let decoded = try ControlFromClient(
      try type(frame), stream: stream(frame), frame.span.extracting(10..<frame.count))
    #expect(decoded == value)
  }

  @Test(
    arguments: [
      (.goAway(lastStream: 9), [0, 0, 0, 4, 0, 0, 0, 0, 0x11, 0, 0, 0, 0, 9]),
      (.ping(1), [0, 0, 0, 8, 0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
      (.pong(2), [0, 0, 0, 8, 0, 0, 0, 0, 0x13, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
      (.credit(stream: 3, frames: 4), [0, 0, 0, 4, 0, 0, 0, 3, 0x14, 0, 0, 0, 0, 4]),
      (
        .registration(buffer: 1, failure: nil),
        [0, 0, 0, 8, 0, 0, 0, 0, 0x15, 0, 0, 0, 0, 1, 0, 0, 0, 0]
      ),
      (
        .registration(buffer: 1, failure: Status(.alreadyExists, "é")),
        [0, 0, 0, 10, 0, 0, 0, 0, 0x15, 0, 0, 0, 0, 1, 0, 0, 0, 6, 0xc3, 0xa9]
      ),
    ] as [(ControlFromEngine, [UInt8])])
  func engineFramesHaveTheDocumentedBytes(value: ControlFromEngine, bytes: [UInt8]) throws {
    let frame = value.frame
    #expect(frame == bytes)
    let decoded = try ControlFromEngine(
      try type(frame), stream: stream(frame), frame.span.extracting(10..<frame.count))
    #expect(decoded == value)
  }

  @Test(arguments: [.cancel, .goAway, .ping, .pong, .credit, .bufferOffer] as [FrameType])
  func dataOfAnotherLengthIsRefused(type: FrameType) {
    let right: [FrameType: Int] = [.cancel: 0, .ping: 8, .pong: 8, .bufferOffer: 12]
    for length in 0...20 where length != right[type] {
      let body = [UInt8](repeating: 0, count: length)
      #expect(throws: Status.self) { _ = try ControlFromClient(type, stream: 0, body.span) }
    }
    let least: [FrameType: Int] = [.goAway: 4, .ping: 8, .pong: 8, .credit: 4, .bufferOffer: 8]
    for length in 0..<(least[type] ?? 20) {
      let body = [UInt8](repeating: 0, count: length)
      #expect(throws: Status.self) { _ = try ControlFromEngine(type, stream: 0, body.span) }
    }
  }

  @Test func connectionsFramesHaveStreamZero() {
    let body = [UInt8](repeating: 0, count: 8)
    #expect(throws: Status.self) { _ = try ControlFromClient(.ping, stream: 1, body.span) }
    #expect(throws: Status.self) { _ = try ControlFromEngine(.pong, stream: 1, body.span) }
  }

  @Test func framesWithoutAMessageAreShort() {
    for (type, length, taken) in [
      (0x10, 64 << 10, true), (0x10, 64 << 10 | 1, false), (0x77, 64 << 10 | 1, false),
      (1, 64 << 10 | 1, true),
      (2, 4 << 20, true), (3, 4 << 20, true),
    ] as [(UInt8, UInt32, Bool)] {
      var parser = FrameParser(limit: FrameHeader.maxLength)
      let header = FrameHeader(length: length, stream: 1, type: type)
      let bytes = [UInt8](capacity: 10) { header.encode(to: &$0) }
      var offset = 0
      let event = parser.next(bytes.span, &offset)
      #expect(event == (taken ? nil : .oversized(header)))
    }
  }

  @Test func parserReportsTheFrameItIsReceiving() {
    var parser = FrameParser(limit: 100)
    let bytes = ControlFromClient.register(buffer: 1, size: 2).frame
    for (index, byte) in bytes.enumerated() {
      #expect(parser.mayBeReceiving(.bufferOffer) == (index > 0))
      #expect(parser.mayBeReceiving(.request) == (1...8).contains(index))
      var offset = 0
      let event = parser.next([byte].span, &offset)
      #expect((event != nil) == (index == bytes.count - 1))
    }
    #expect(!parser.mayBeReceiving(.bufferOffer))
  }
}
