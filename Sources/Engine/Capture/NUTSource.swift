public import FaceCore
public import Posix

/// Reads the frames of a NUT stream with one raw video, as ffmpeg writes it. NUT is the only format of raw frames with
/// a time for each one that ffmpeg writes into a pipe. Source: nut.txt of the NUT project, version 3.
///
/// Checksums are not compared: the stream comes through a pipe, from a program on this machine.
public final class NUTSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let reader: ByteReader
  private let allocate: FrameAllocator
  private var headers = NUTHeaders()
  private var frames: FrameBlocks?
  /// Whether the signature was read.
  private var hasBegun = false
  /// The time that the next frame's is given by, in ticks.
  private var lastTime: Int64 = 0
  private var firstTime: Int64?
  /// The reported time of the last frame, in ticks since the first.
  private var reported: UInt64 = 0
  /// The number of frames whose time in the video is not after that of the frame before.
  public private(set) var untimedCount = 0

  private static let longestPacket = 1 << 20

  public init(_ reader: ByteReader, _ allocate: @escaping FrameAllocator) {
    self.reader = reader
    self.allocate = allocate
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    do throws(Stop) {
      var bytes = StreamBytes(reader: reader, interruption: interruption)
      if !hasBegun { try readSignature(&bytes) }
      while true {
        guard let code = try bytes.first() else { return .ended }
        if code == UInt8(ascii: "N") {
          try readPacket(&bytes)
        } else if let frame = try readFrame(code, &bytes) {
          return frame
        }
      }
    } catch {
      switch error {
      case .interrupted: return .ended
      case .ended: throw FrameBlocks.truncated("inside frame \((frames?.count ?? 0) + 1)")
      case .failed(let status): throw status
      }
    }
  }

  /// Why reading stops.
  enum Stop: Error {
    case interrupted, ended
    case failed(Status)
  }

  /// The bytes of the stream.
  private struct StreamBytes: NUTBytes {
    let reader: ByteReader
    let interruption: Interruption

    /// `nil` at the end of the stream.
    mutating func first() throws(Stop) -> UInt8? {
      let outcome: ByteReader.Outcome<UInt8>
      do throws(Status) { outcome = try reader.byte(or: interruption) } catch { throw .failed(error) }
      switch outcome {
      case .value(let byte): return byte
      case .ended: return nil
      case .interrupted: throw .interrupted
      }
    }

    mutating func byte() throws(Stop) -> UInt8 {
      guard let byte = try first() else { throw .ended }
      return byte
    }

    mutating func bytes(_ count: Int) throws(Stop) -> [UInt8] {
      var bytes: [UInt8] = []
      for _ in 0..<count { bytes.append(try byte()) }
      return bytes
    }
  }

  private func readSignature(_ bytes: inout StreamBytes) throws(Stop) {
    let count = NUTHeaders.signature.utf8CodeUnitCount
    let beginning = try bytes.bytes(count)
    guard NUTHeaders.signature.withUTF8Buffer({ beginning.elementsEqual($0) }) else {
      throw .failed(NUTHeaders.damaged("it does not begin as NUT does"))
    }
    hasBegun = true
  }

  /// Reads the packet after its first byte.
  private func readPacket(_ bytes: inout StreamBytes) throws(Stop) {
    let code = try bytes.bytes(7).reduce(UInt64(UInt8(ascii: "N"))) { $0 << 8 | UInt64($1) }
    let size = try bytes.number()
    guard 4...UInt64(NUTSource.longestPacket) ~= size else {
      throw .failed(NUTHeaders.damaged("a packet has \(size) bytes"))
    }
    if size > 4096 { _ = try bytes.bytes(4) }  // a checksum, as at the end
    var packet = NUTPacket(try bytes.bytes(Int(size) - 4))
    _ = try bytes.bytes(4)
    do throws(Status) {
      switch NUTHeaders.StartCode(rawValue: code) {
      // Headers are repeated for readers that join later.
      case .main where frames == nil: try headers.readMain(packet)
      case .stream where frames == nil: try headers.readStream(packet)
      case .info where frames == nil: try headers.readInfo(packet)
      case .syncPoint: lastTime = Int64(truncatingIfNeeded: try packet.number())
      default: break
      }
    } catch {
      throw .failed(error)
    }
  }

  /// Reads the frame after its first byte; `nil` if it is empty.
  private func readFrame(_ first: UInt8, _ bytes: inout StreamBytes) throws(Stop) -> SourceItem? {
    guard let layout = headers.layout, headers.frameCodes.count == 256 else {
      throw .failed(NUTHeaders.damaged("a frame comes before the headers"))
    }
    let code = headers.frameCodes[Int(first)]
    var flags = code.flags
    if flags.contains(.coded) {
      flags = NUTHeaders.FrameFlags(rawValue: flags.rawValue ^ (try bytes.number()))
    }
    guard !flags.contains(.invalid) else { throw .failed(NUTHeaders.damaged("a frame has no kind")) }
    if flags.contains(.streamID) { _ = try bytes.number() }
    lastTime = flags.contains(.codedPTS) ? time(coded: try bytes.number()) : lastTime &+ code.ptsDelta
    var size = code.size
    if flags.contains(.codedSize) { size = size &+ code.sizeFactor &* (try bytes.number()) }
    if flags.contains(.matchTime) { _ = try bytes.signed() }
    let prefix = flags.contains(.prefix) ? Int(clamping: try bytes.number()) : code.prefix
    let reserved = flags.contains(.reserved) ? try bytes.number() : code.reservedCount
    for _ in 0..<reserved { _ = try bytes.number() }
    if flags.contains(.checksum) { _ = try bytes.bytes(4) }
    if size == 0 { return nil }
    guard size == layout.byteCount, headers.prefixes.indices.contains(prefix) else {
      throw .failed(NUTHeaders.damaged("a frame has \(size) bytes instead of \(layout.byteCount)"))
    }
    // As NUT has it, frames of more than 4096 bytes are whole.
    return try pixels(layout, after: size > 4096 ? [] : headers.prefixes[prefix], bytes)
  }

  private func pixels(
    _ layout: PixelLayout, after prefix: [UInt8], _ bytes: StreamBytes
  ) throws(Stop) -> SourceItem {
    do throws(Status) {
      let blocks = frames ?? FrameBlocks(layout, headers.rate, headers.shape, allocate)
      frames = blocks
      guard let frame = try blocks.next(reader, at: reportedTime(), after: prefix, or: bytes.interruption)
      else {
        throw FrameBlocks.truncated("before the pixels of frame \(blocks.count + 1)")
      }
      return frame
    } catch {
      throw .failed(error)
    }
  }

  /// The time whose last bits are given, and which is near the last one; or a whole one.
  private func time(coded: UInt64) -> Int64 {
    let limit: UInt64 = 1 << headers.shortBits
    guard coded < limit else { return Int64(truncatingIfNeeded: coded &- limit) }
    let mask = Int64(limit - 1)
    let least = lastTime &- mask / 2
    return (Int64(coded) &- least) & mask &+ least
  }

  /// The time of the frame in nanoseconds since the first. Times that repeat or go back, which ffmpeg makes those of
  /// the next tick, count as untimed.
  private func reportedTime() -> UInt64 {
    guard let first = firstTime else {
      firstTime = lastTime
      return 0
    }
    let time = UInt64(max(0, lastTime.subtractingReportingOverflow(first).partialValue))
    if time <= reported + 1 { untimedCount += 1 }
    reported = max(time, reported + 1)
    return headers.ticks?.time(ofFrame: reported) ?? 0
  }
}
