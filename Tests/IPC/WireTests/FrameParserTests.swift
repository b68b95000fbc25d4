import Testing
import Wire

@Suite struct FrameParserTests {
  private let header = FrameHeader(length: 3, stream: 0x0102_0305, type: 1, flags: .remoteClosed)
  private let bytes: [UInt8] = [0, 0, 0, 3, 1, 2, 3, 5, 1, 1, 7, 8, 9]

  /// Everything that `bytes`, cut into pieces of `size`, parse to.
  private func events(_ bytes: [UInt8], pieces size: Int, limit: Int = 100) -> [FrameParser.Event] {
    var parser = FrameParser(limit: limit)
    var events: [FrameParser.Event] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = Array(bytes[start..<min(start + size, bytes.count)])
      var offset = 0
      while let event = parser.next(piece.span, &offset) { events.append(event) }
      #expect(offset == piece.count)
    }
    return events
  }

  @Test func headerIsBigEndian() {
    let encoded = [UInt8](capacity: FrameHeader.size) { header.encode(to: &$0) }
    #expect(encoded == Array(bytes.prefix(10)))
    #expect(FrameHeader([0, 0, 0, 3, 1, 2, 3, 5, 1, 1]) == header)
  }

  @Test func streamNumberIsWrittenInPlace() {
    var frame = bytes
    FrameHeader.setStream(0xa1b2_c3d5, in: &frame)
    #expect(frame == [0, 0, 0, 3, 0xa1, 0xb2, 0xc3, 0xd5, 1, 1, 7, 8, 9])
  }

  @Test(arguments: 1...40)
  func piecesOfAnySizeGiveTheSameFrames(size: Int) {
    let empty: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 7, 2, 0]
    let events = events(bytes + empty + bytes, pieces: size)
    let frame = Frame(header: header, body: [7, 8, 9])
    let none = Frame(header: FrameHeader(length: 0, stream: 7, type: 2), body: [])
    #expect(events == [.frame(frame), .frame(none), .frame(frame)])
  }

  @Test(arguments: [1, 2, 5, 100])
  func dataBeyondTheLimitIsPassedOver(size: Int) {
    let events = events(bytes + [0, 0, 0, 2, 0, 0, 0, 9, 1, 0, 4, 5], pieces: size, limit: 2)
    let next = Frame(header: FrameHeader(length: 2, stream: 9, type: 1), body: [4, 5])
    #expect(events == [.oversized(header), .frame(next)])
  }

  @Test(arguments: [1, 100])
  func nothingIsParsedAfterAnImplausibleLength(size: Int) {
    let bomb: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 9, 1, 0]
    let header = FrameHeader(length: 0x0100_0000, stream: 9, type: 1)
    #expect(events(bomb + bytes, pieces: size) == [.implausible(header)])
  }

  @Test func limitNeverExceedsTheProtocolsMaximum() {
    #expect(FrameParser(limit: .max).limit == 0x00ff_ffff)
  }

  @Test func dataCanBeReadIntoPlace() {
    var parser = FrameParser(limit: 100)
    var offset = 0
    #expect(parser.next(Array(bytes.prefix(11)).span, &offset) == nil)
    #expect(parser.missing == 2)
    let nothing = parser.fill { room in
      #expect(room.count >= 2)
      return 0
    }
    #expect(nothing == nil)
    let half = parser.fill { room in
      room[0] = 8
      return 1
    }
    #expect(half == nil)
    let whole = parser.fill { room in
      room[0] = 9
      return 1
    }
    #expect(whole == Frame(header: header, body: [7, 8, 9]))
    #expect(parser.missing == 0)
  }
}
