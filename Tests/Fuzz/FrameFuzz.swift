import Wire

/// A stream of bytes gives the same frames in one piece, in small pieces and read into place, and the frames
/// are the bytes.
///
/// The input: a byte for the size of the pieces, one for the limit, then the stream.
enum FrameFuzz {
  static func run(_ input: Span<UInt8>) {
    guard input.count >= 2 else { return }
    let pieceSize = Int(input[0]) + 1
    let limit = Int(input[1]) * 16
    let stream = input.extracting(2...)

    let whole = events(stream, pieceSize: max(1, stream.count), limit: limit)
    precondition(events(stream, pieceSize: pieceSize, limit: limit) == whole)
    precondition(eventsInPlace(stream, pieceSize: pieceSize, limit: limit) == whole)
    expectBytes(of: whole, in: stream, limit: limit)
  }

  private static func events(_ stream: Span<UInt8>, pieceSize: Int, limit: Int) -> [FrameParser.Event] {
    var parser = FrameParser(limit: limit)
    var events: [FrameParser.Event] = []
    var start = 0
    while start < stream.count {
      let piece = stream.extracting(start..<min(start + pieceSize, stream.count))
      var offset = 0
      while let event = parser.next(piece, &offset) { events.append(event) }
      precondition(offset == piece.count)
      start += piece.count
    }
    return events
  }

  /// Reads as a socket's reader does: data that the parser lacks are read into place, the rest goes through a
  /// buffer.
  private static func eventsInPlace(
    _ stream: Span<UInt8>, pieceSize: Int, limit: Int
  ) -> [FrameParser.Event] {
    var parser = FrameParser(limit: limit)
    var events: [FrameParser.Event] = []
    var start = 0
    while start < stream.count {
      if parser.missing > 0 {
        let frame = parser.fill { room in
          let count = min(room.count, pieceSize, stream.count - start)
          for index in 0..<count { room[index] = stream[start + index] }
          start += count
          return count
        }
        if let frame { events.append(.frame(frame)) }
      } else {
        let piece = stream.extracting(start..<min(start + pieceSize, stream.count))
        var offset = 0
        while let event = parser.next(piece, &offset) { events.append(event) }
        start += piece.count
      }
    }
    return events
  }

  private static func expectBytes(of events: [FrameParser.Event], in stream: Span<UInt8>, limit: Int) {
    var offset = 0
    for (index, event) in events.enumerated() {
      switch event {
      case .frame(let frame):
        precondition(frame.body.count == Int(frame.header.length))
        precondition(frame.body.count <= mostBytes(of: frame.header, limit: limit))
        expect(frame.header, at: &offset, in: stream)
        for byte in frame.body {
          precondition(stream[offset] == byte)
          offset += 1
        }
      case .started: preconditionFailure("this parser announces no frames")
      case .oversized(let header):
        precondition(Int(header.length) > mostBytes(of: header, limit: limit))
        expect(header, at: &offset, in: stream)
        offset += Int(header.length)
        // Skipped data may end after the input does.
        precondition(offset <= stream.count || index == events.count - 1)
      case .implausible(let header):
        precondition(header.length > FrameHeader.maxPlausibleLength)
        expect(header, at: &offset, in: stream)
        precondition(index == events.count - 1)
      }
    }
  }

  /// The limit is for messages; frames without a message have their own.
  private static func mostBytes(of header: FrameHeader, limit: Int) -> Int {
    header.carriesMessage ? limit : FrameHeader.maxControlLength
  }

  private static func expect(_ header: FrameHeader, at offset: inout Int, in stream: Span<UInt8>) {
    for byte in [UInt8](capacity: FrameHeader.size, initializingWith: { header.encode(to: &$0) }) {
      precondition(stream[offset] == byte)
      offset += 1
    }
  }
}
