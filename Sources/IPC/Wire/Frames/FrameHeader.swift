public enum FrameType: UInt8, Sendable {
  /// From client to engine: starts a call.
  case request = 1
  /// From engine to client: ends a call.
  case response = 2
  /// Part of a stream.
  case data = 3

  // After a Hello; see `ControlFromClient` and `ControlFromEngine`.
  case cancel = 0x10
  case goAway = 0x11
  case ping = 0x12
  case pong = 0x13
  case credit = 0x14
  case bufferOffer = 0x15
}

public struct FrameFlags: OptionSet, Sendable, BitwiseCopyable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The sender sends no more on this stream.
  public static let remoteClosed = FrameFlags(rawValue: 1)
  /// The sender will send data on this stream.
  public static let remoteOpen = FrameFlags(rawValue: 2)
  /// On data: the frame contains no message, only flags.
  public static let noData = FrameFlags(rawValue: 4)
}

/// The ten bytes before every frame's data: `u32 length | u32 stream | u8 type | u8 flags`, big-endian.
/// Source: containerd/ttrpc, PROTOCOL.md, "Message Frame".
public struct FrameHeader: Equatable, Sendable, BitwiseCopyable {
  public static let size = 10
  /// The most bytes of data that ttrpc allows in a frame.
  public static let maxLength = 4 << 20
  /// The most bytes of data in a frame that is part of neither a call nor a stream.
  public static let maxControlLength = 64 << 10
  /// The largest plausible length: the protocol keeps the first byte at zero, so beyond it the stream is out
  /// of step or not ttrpc.
  public static let maxPlausibleLength: UInt32 = 0x00ff_ffff

  /// The number of bytes of data that follow.
  public var length: UInt32
  /// The stream number; odd for calls that a client began.
  public var stream: UInt32
  /// The type: a `FrameType` if known.
  public var type: UInt8
  public var flags: FrameFlags

  /// Whether the data may be as long as a message.
  public var carriesMessage: Bool {
    switch FrameType(rawValue: type) {
    case .request, .response, .data: true
    default: false
    }
  }

  public init(length: UInt32, stream: UInt32, type: UInt8, flags: FrameFlags = []) {
    self.length = length
    self.stream = stream
    self.type = type
    self.flags = flags
  }

  public init(_ bytes: [10 of UInt8]) {
    length = Self.bigEndian(bytes[0], bytes[1], bytes[2], bytes[3])
    stream = Self.bigEndian(bytes[4], bytes[5], bytes[6], bytes[7])
    type = bytes[8]
    flags = FrameFlags(rawValue: bytes[9])
  }

  private static func bigEndian(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt32 {
    UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
  }

  public func encode(to output: inout OutputSpan<UInt8>) {
    Self.bigEndian(length, to: &output)
    Self.bigEndian(stream, to: &output)
    output.append(type)
    output.append(flags.rawValue)
  }

  static func bigEndian(_ number: some FixedWidthInteger, to output: inout OutputSpan<UInt8>) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension FrameHeader {
  /// Writes `stream` into an encoded frame, so that numbers can be assigned in the order of sending.
  public static func setStream(_ stream: UInt32, in frame: inout [UInt8]) {
    for index in 0..<4 { frame[4 + index] = UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * index)) }
  }
}

/// A whole frame.
public struct Frame: Equatable, Sendable {
  public var header: FrameHeader
  public var body: [UInt8]

  public init(header: FrameHeader, body: [UInt8]) {
    self.header = header
    self.body = body
  }
}
