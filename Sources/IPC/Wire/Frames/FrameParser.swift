/// Splits a stream of bytes, in pieces of any size, into frames.
///
/// Memory grows with the bytes that arrive and never beyond one frame's limit: a header alone costs only
/// address space.
public struct FrameParser: Sendable {
  public enum Event: Equatable, Sendable {
    case frame(Frame)
    /// The header of a large frame, announced before its data; `skip` discards it. Its end is another event.
    case started(FrameHeader)
    /// A frame with more data than the limit for its kind. Its data is skipped, and parsing continues after
    /// it.
    case oversized(FrameHeader)
    /// A length that no peer of this protocol sends. Nothing after it can be trusted or is parsed.
    case implausible(FrameHeader)
  }

  private enum State {
    case header
    case body(FrameHeader)
    case passing(Int)
    case broken
  }

  /// The most bytes of a message.
  public let limit: Int
  /// The size from which on frames are announced.
  private let announced: Int
  private var state = State.header
  private var headerBytes = [10 of UInt8](repeating: 0)
  private var headerCount = 0
  private var body: [UInt8] = []

  /// - Parameter announced: frames with more bytes of data than this are announced with `started`; by default
  ///   none are.
  public init(limit: Int, announcingAbove announced: Int = .max) {
    self.limit = min(limit, Int(FrameHeader.maxPlausibleLength))
    self.announced = announced
  }

  /// Discards the frame that was announced last: its data is skipped, and it leads to no event.
  public mutating func skip() {
    guard case .body(let header) = state, body.isEmpty else { return }
    body = []
    state = .passing(Int(header.length))
  }

  /// Whether the frame that has started, if any, could still be of `type`.
  public func mayBeReceiving(_ type: FrameType) -> Bool {
    switch state {
    case .header: headerCount <= 8 ? headerCount > 0 : headerBytes[8] == type.rawValue
    case .body(let header): header.type == type.rawValue
    case .passing, .broken: false
    }
  }

  /// Parses bytes from `offset` on and advances it until an event is complete; returns `nil` when all are
  /// parsed.
  public mutating func next(_ bytes: Span<UInt8>, _ offset: inout Int) -> Event? {
    while true {
      switch state {
      case .header:
        while headerCount < FrameHeader.size {
          guard offset < bytes.count else { return nil }
          headerBytes[headerCount] = bytes[offset]
          headerCount += 1
          offset += 1
        }
        headerCount = 0
        if let event = startBody(FrameHeader(headerBytes)) { return event }

      case .body(let header):
        if body.isEmpty { body.reserveCapacity(Int(header.length)) }
        let count = min(missing, bytes.count - offset)
        bytes.extracting(offset..<offset + count).withUnsafeBufferPointer { body.append(contentsOf: $0) }
        offset += count
        if missing > 0 { return nil }
        return .frame(finish(header))

      case .passing(let left):
        let count = min(left, bytes.count - offset)
        offset += count
        if count < left {
          state = .passing(left - count)
          return nil
        }
        state = .header

      case .broken:
        offset = bytes.count
        return nil
      }
    }
  }

  /// The number of missing bytes of the current frame's data; 0 between frames.
  public var missing: Int {
    if case .body(let header) = state { Int(header.length) - body.count } else { 0 }
  }

  /// Lets `read` write the next bytes of the current frame's data directly into place.
  /// - Parameter read: receives room for at most `missing` bytes and returns the number it has filled.
  /// - Returns: the frame, if that completed it.
  public mutating func fill<Failure: Error>(
    _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Frame? {
    guard case .body(let header) = state, missing > 0 else { return nil }
    let room = missing
    if body.isEmpty { body.reserveCapacity(room) }
    try body.append(addingCapacity: room) { (output: inout OutputSpan<UInt8>) throws(Failure) in
      try output.withUnsafeMutableBufferPointer { (buffer, count) throws(Failure) in
        count = try read(UnsafeMutableRawBufferPointer(buffer))
      }
    }
    return missing == 0 ? finish(header) : nil
  }

  private mutating func startBody(_ header: FrameHeader) -> Event? {
    if header.length > FrameHeader.maxPlausibleLength {
      state = .broken
      return .implausible(header)
    }
    if Int(header.length) > (header.carriesMessage ? limit : FrameHeader.maxControlLength) {
      state = .passing(Int(header.length))
      return .oversized(header)
    }
    if header.length == 0 { return .frame(Frame(header: header, body: [])) }
    state = .body(header)
    return Int(header.length) > announced ? .started(header) : nil
  }

  private mutating func finish(_ header: FrameHeader) -> Frame {
    state = .header
    defer { body = [] }
    return Frame(header: header, body: body)
  }
}
