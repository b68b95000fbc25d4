public import FaceCore
public import Posix

/// Reads frames of raw pixels that follow each other without headers.
public final class RawSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let reader: ByteReader
  private let frames: FrameBlocks

  /// - Parameters:
  ///   - layout: the layout of each frame, already validated.
  ///   - rate: the rate for the frames' timestamps; it does not slow the source down.
  public init(
    _ reader: ByteReader, _ layout: PixelLayout, rate: FrameRate?, _ allocate: @escaping FrameAllocator
  ) {
    self.reader = reader
    frames = FrameBlocks(layout, rate, nil, allocate)
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    try frames.next(reader, or: interruption) ?? .ended
  }
}

/// Reads the pixels of a stream's frames, which are blocks of equal size.
final class FrameBlocks: @unchecked Sendable {
  // Used by the source's thread.
  private let layout: PixelLayout
  private let rate: FrameRate?
  private let shape: PixelShape?
  private let buffers: FrameBufferPool
  /// The number of frames read so far.
  private(set) var count: UInt64 = 0

  init(
    _ layout: PixelLayout, _ rate: FrameRate?, _ shape: PixelShape?, _ allocate: @escaping FrameAllocator
  ) {
    self.layout = layout
    self.rate = rate
    self.shape = shape
    buffers = FrameBufferPool(byteCount: layout.byteCount, allocate)
  }

  /// The next frame; `nil` at the end of the stream. Throws `dataLoss` if the stream ends inside the frame.
  /// - Parameters:
  ///   - timestamp: the frame's; `nil` for that of the rate.
  ///   - prefix: the frame's first bytes, which the reader does not have.
  func next(
    _ reader: ByteReader, at timestamp: UInt64? = nil, after prefix: [UInt8] = [],
    or interruption: Interruption
  ) throws(Status) -> SourceItem? {
    let buffer = try buffers.buffer()
    let prefix = prefix.prefix(buffer.bytes.count)
    buffer.bytes.copyBytes(from: prefix)
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[prefix.count...])
    switch try reader.read(into: rest, or: interruption) {
    case .interrupted: return .ended
    case .ended(after: 0): return nil
    case .ended(let read):
      throw FrameBlocks.truncated("after \(read) of the \(layout.byteCount) bytes of frame \(count + 1)")
    case .value:
      let origin = FrameOrigin(timestamp: timestamp ?? rate?.time(ofFrame: count) ?? 0)
      count += 1
      let view = try layout.view(of: UnsafeRawBufferPointer(buffer.bytes))
      return .frame(CapturedFrame(.pixels(view), origin, rate: rate, shape: shape, owner: buffer))
    }
  }

  static func truncated(_ place: String) -> Status {
    Status(.dataLoss, "the stream ends \(place); the program that writes it stopped too early")
  }
}
