public import FaceCore
public import Posix

/// Reads the frames of a Y4M stream. Source: mjpegtools, yuv4mpeg(5).
public final class Y4MSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let reader: ByteReader
  private let allocate: FrameAllocator
  private var frames: FrameBlocks?

  /// The rate assumed for a stream that does not give one.
  private static let usualRate = FrameRate(30)
  private static let longestHeader = 2048
  private static let longestFrameHeader = 256

  public init(_ reader: ByteReader, _ allocate: @escaping FrameAllocator) {
    self.reader = reader
    self.allocate = allocate
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    let frames: FrameBlocks
    if let started = self.frames {
      frames = started
    } else {
      guard let started = try start(or: interruption) else { return .ended }
      self.frames = started
      frames = started
    }
    switch try reader.line(limit: Y4MSource.longestFrameHeader, "a frame's header", or: interruption) {
    case .interrupted, .ended(after: 0): return .ended
    case .ended: throw FrameBlocks.truncated("inside the header of frame \(frames.count + 1)")
    case .value(let line):
      // The frame's parameters describe its interlacing, and are ignored.
      guard line.starts(with: "FRAME".utf8), line.count == 5 || line[5] == UInt8(ascii: " ") else {
        throw Status(
          .invalidArgument,
          "frame \(frames.count + 1) of the Y4M stream does not begin with FRAME; the stream is damaged, or its header's "
            + "size is wrong")
      }
      guard let frame = try frames.next(reader, or: interruption) else {
        throw FrameBlocks.truncated("before the pixels of frame \(frames.count + 1)")
      }
      return frame
    }
  }

  /// Reads the stream's header; `nil` after an interruption.
  private func start(or interruption: Interruption) throws(Status) -> FrameBlocks? {
    switch try reader.line(limit: Y4MSource.longestHeader, "the header", or: interruption) {
    case .interrupted: return nil
    case .ended(let count):
      throw Status(
        .invalidArgument,
        count == 0
          ? "the stream is empty; the program that should write it has failed"
          : "the stream ends inside its header, after \(count) bytes; is this a Y4M stream?")
    case .value(let line):
      let header = try Y4MHeader(line)
      return FrameBlocks(header.layout, header.rate ?? Y4MSource.usualRate, header.shape, allocate)
    }
  }
}
