import FaceCore
import Testing
import Wire

@Suite struct ControlFrameTests {
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
