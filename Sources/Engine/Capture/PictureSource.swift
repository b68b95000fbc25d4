public import FaceCore
import Imaging
public import Posix

/// Reads picture files as frames, at a given rate or as fast as they are requested.
public final class PictureSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let paths: [String]
  private let pace: FrameRate?
  private let allocate: FrameAllocator
  private var index = 0
  private var start: MonotonicTime?

  /// The rate of the timestamps if no pace is given.
  private static let usualRate = FrameRate(30)
  /// Far more than the file of the largest image needs.
  private static let maxBytes = 256 << 20

  /// - Parameter pace: the rate at which pictures are delivered; `nil` for as fast as they are requested.
  public init(_ paths: [String], pace: FrameRate?, _ allocate: @escaping FrameAllocator) {
    self.paths = paths
    self.pace = pace
    self.allocate = allocate
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    guard index < paths.count else { return .ended }
    let rate = pace ?? PictureSource.usualRate
    let time = rate?.time(ofFrame: UInt64(index)) ?? 0
    if pace != nil {
      let start = start ?? .now()
      self.start = start
      let due = start + TimeSpan(clamping: time)
      guard due <= .now() || interruption.pause(until: due) else { return .ended }
    }
    defer { index += 1 }
    let origin = FrameOrigin(timestamp: time, path: paths[index])
    do throws(Status) {
      let file = try File.read(
        paths[index], limit: PictureSource.maxBytes, calledInErrors: "the file")
      guard !file.withUnsafeBytes(MotionJPEG.isVideo) else {
        throw Status(.invalidArgument, "the file is a video of JPEG pictures; give it as the only input")
      }
      // An empty file needs memory too: the engine reports it.
      let memory = try allocate(max(1, file.count))
      memory.bytes.copyBytes(from: file)
      let bytes = UnsafeRawBufferPointer(rebasing: memory.bytes.prefix(file.count))
      return .frame(CapturedFrame(.encoded(bytes), origin, rate: rate, owner: memory))
    } catch {
      return .broken(error, origin)
    }
  }
}
