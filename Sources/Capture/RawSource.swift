public import FaceCore
public import Posix

/// Frames of raw pixels, one after the other without anything in between.
public final class RawSource: FrameSource, @unchecked Sendable {
  // One thread at a time, as the protocol says.
  private let reader: ByteReader
  private let frames: FrameBlocks

  /// - Parameter rate: only tells the frames' timestamps.
  public init(
    _ reader: ByteReader, _ layout: FrameLayout, rate: FrameRate?, _ allocate: @escaping FrameAllocator
  ) {
    self.reader = reader
    frames = FrameBlocks(layout, rate, allocate)
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    try frames.next(reader, or: interruption) ?? .ended
  }
}

/// The pixels of a stream's frames: blocks of one size.
final class FrameBlocks: @unchecked Sendable {
  // Touched by the thread that uses the source.
  private let layout: FrameLayout
  private let rate: FrameRate?
  private let buffers: FrameBuffers
  /// Frames that were read.
  private(set) var count: UInt64 = 0

  init(_ layout: FrameLayout, _ rate: FrameRate?, _ allocate: @escaping FrameAllocator) {
    self.layout = layout
    self.rate = rate
    buffers = FrameBuffers(byteCount: layout.byteCount, allocate)
  }

  /// The next frame; `nil` where the stream ends before it. Throws `dataLoss` where it ends inside.
  func next(_ reader: ByteReader, or interruption: Interruption) throws(Status) -> SourceItem? {
    let buffer = try buffers.take()
    switch try reader.read(into: buffer.bytes, or: interruption) {
    case .interrupted: return .ended
    case .ended(after: 0): return nil
    case .ended(let read):
      throw FrameBlocks.cut("after \(read) of the \(layout.byteCount) bytes of frame \(count + 1)")
    case .value:
      let origin = FrameOrigin(timestamp: rate?.time(ofFrame: count) ?? 0)
      count += 1
      let view = try layout.view(UnsafeRawBufferPointer(buffer.bytes))
      return .frame(CapturedFrame(.pixels(view), origin, rate: rate, owner: buffer))
    }
  }

  static func cut(_ place: String) -> Status {
    Status(.dataLoss, "the stream ends \(place); what writes it has stopped too early")
  }
}
