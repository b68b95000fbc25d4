import FaceCore

/// What the headers of a NUT stream say of its only video. Source: nut.txt of the NUT project, version 3.
struct NUTHeaders {
  /// The first bytes of every NUT stream.
  static let signature: StaticString = "nut/multimedia container\0"

  /// What precedes a packet, which is not a frame.
  enum StartCode: UInt64 {
    case main = 0x4E4D_7A56_1F5F_04AD
    case stream = 0x4E53_1140_5BF2_F9DB
    case syncPoint = 0x4E4B_E4AD_EECA_4569
    case index = 0x4E58_DD67_2F23_E64E
    case info = 0x4E49_AB68_B596_BA78
  }

  /// What the first byte of a frame stands for.
  struct FrameCode {
    var flags = FrameFlags.invalid
    var ptsDelta: Int64 = 0
    var sizeFactor: UInt64 = 1
    var size: UInt64 = 0
    var reservedCount: UInt64 = 0
    var prefix = 0
  }

  struct FrameFlags: OptionSet {
    let rawValue: UInt64
    static let codedPTS = FrameFlags(rawValue: 8)
    static let streamID = FrameFlags(rawValue: 16)
    static let codedSize = FrameFlags(rawValue: 32)
    static let checksum = FrameFlags(rawValue: 64)
    static let reserved = FrameFlags(rawValue: 128)
    static let prefix = FrameFlags(rawValue: 1024)
    static let matchTime = FrameFlags(rawValue: 2048)
    static let coded = FrameFlags(rawValue: 4096)
    static let invalid = FrameFlags(rawValue: 8192)
  }

  private(set) var frameCodes: [FrameCode] = []
  /// Bytes that frames may begin with without having them.
  private(set) var prefixes: [[UInt8]] = [[]]
  /// Ticks per second.
  private(set) var ticks = FrameRate(1)
  /// The number of bits of a short time stamp.
  private(set) var shortBits: UInt64 = 0
  private(set) var layout: PixelLayout?
  private(set) var shape: PixelShape?
  /// The frames' rate, if it is one that a video has: of uneven times it is a guess, such as 1000.
  private(set) var rate: FrameRate?

  private static let highestRate: Double = 250

  mutating func readMain(_ packet: NUTPacket) throws(Status) {
    var packet = packet
    guard try packet.number() == 3, try packet.number() == 1 else {
      throw NUTHeaders.damaged("its version is not 3, or it has several streams")
    }
    _ = try packet.number()  // the largest distance of syncpoints
    guard try packet.number() == 1 else { throw NUTHeaders.damaged("it has several time bases") }
    let (numerator, denominator) = (try packet.number(), try packet.number())
    ticks = FrameRate(UInt32(clamping: denominator), UInt32(clamping: numerator))
    guard ticks != nil else { throw NUTHeaders.damaged("its time base is \(numerator)/\(denominator)") }
    frameCodes = try NUTHeaders.frameCodes(&packet)
    // Before prefixes were invented, the header ended here.
    for _ in 0..<(packet.isAtEnd ? 0 : min(try packet.number(), 127)) {
      prefixes.append(Array(try packet.bytes()))
    }
  }

  private static func frameCodes(_ packet: inout NUTPacket) throws(Status) -> [FrameCode] {
    let letter = Int(UInt8(ascii: "N"))
    var codes: [FrameCode] = []
    var code = FrameCode()
    while codes.count < 256 {
      code.flags = FrameFlags(rawValue: try packet.number())
      let fields = try packet.number()
      if fields > 0 { code.ptsDelta = try packet.signed() }
      if fields > 1 { code.sizeFactor = try packet.number() }
      if fields > 2 { _ = try packet.number() }  // the stream
      code.size = fields > 3 ? try packet.number() : 0
      code.reservedCount = fields > 4 ? try packet.number() : 0
      let count = fields > 5 ? try packet.number() : code.sizeFactor &- code.size
      if fields > 6 { _ = try packet.signed() }
      if fields > 7 { code.prefix = Int(clamping: try packet.number()) }
      for _ in 8..<max(8, min(fields, 64)) { _ = try packet.number() }
      guard count > 0, count <= 256 - codes.count else { throw damaged("its table of frames is wrong") }
      for _ in 0..<count {
        // This byte begins a packet.
        if codes.count == letter { codes.append(FrameCode()) }
        codes.append(code)
        code.size &+= 1
      }
    }
    guard codes.count == 256 else { throw damaged("its table of frames is wrong") }
    return codes
  }

  mutating func readStream(_ packet: NUTPacket) throws(Status) {
    var packet = packet
    guard try packet.number() == 0, try packet.number() == 0, try packet.bytes().elementsEqual("I420".utf8)
    else { throw NUTHeaders.damaged("it has no raw video in I420") }
    _ = try packet.number()  // the only time base
    shortBits = min(try packet.number(), 62)
    for _ in 0..<2 { _ = try packet.number() }  // the largest distance of times, and of the decoder's frames
    _ = try packet.byte()  // flags
    _ = try packet.bytes()  // what a decoder would need
    let (width, height) = (Int(clamping: try packet.number()), Int(clamping: try packet.number()))
    let layout = PixelLayout(format: .i420, width: width, height: height, colour: .bt601Video)
    try layout.validate()
    self.layout = layout
    shape = PixelShape(UInt32(clamping: try packet.number()), UInt32(clamping: try packet.number()))
  }

  /// Reads the rate; all else that a packet says of the stream does not matter.
  mutating func readInfo(_ packet: NUTPacket) throws(Status) {
    var packet = packet
    guard try packet.number() == 1 else { return }
    for _ in 0..<3 { _ = try packet.number() }  // the chapter, its start and length
    for _ in 0..<(try packet.number()) {
      let name = try packet.bytes()
      let kind = try packet.signed()
      switch kind {
      case 0...: break
      case -1:
        let value = String(decoding: try packet.bytes(), as: UTF8.self)
        if name.elementsEqual("r_frame_rate".utf8) { rate = NUTHeaders.rate(value) }
      case -2: for _ in 0..<2 { _ = try packet.bytes() }
      case -4: _ = try packet.number()
      default: _ = try packet.signed()
      }
    }
  }

  /// The rate in a text such as 30000/1001, if videos have such rates.
  private static func rate(_ text: String) -> FrameRate? {
    let parts = text.split(separator: "/").compactMap { UInt32($0) }
    guard parts.count == 2, Double(parts[0]) <= highestRate * Double(parts[1]) else { return nil }
    return FrameRate(parts[0], parts[1])
  }

  static func damaged(_ what: String) -> Status {
    Status(.dataLoss, "ffmpeg's stream of frames is damaged: \(what); try again, and report this if it stays")
  }
}
