import Capture
import FaceCore
import Posix
import Synchronization

/// A stream of Y4M, or of NUT if it begins so, gives the same frames however it is cut into pieces, each with pixels of
/// the size that its header says, and ends with a status or its last byte.
///
/// The input: a byte for the size of the pieces, then the stream.
enum Y4MFuzz {
  /// Larger frames are only slow.
  private static let mostBytes = 1 << 16
  private static let mostFrames = 64

  static func run(_ input: Span<UInt8>) {
    guard input.count >= 1 else { return }
    let stream = input.extracting(1...).withUnsafeBufferPointer { Array($0) }
    let whole = read(stream, pieceSize: max(1, stream.count))
    precondition(read(stream, pieceSize: Int(input[0]) + 1) == whole)
    // Frames of NUT may leave out their first bytes, up to 255 of at least 384.
    precondition(whole.pixels.reduce(0, +) <= 4 * stream.count)
  }

  /// The outcome of a stream.
  private struct Outcome: Equatable {
    /// Bytes of each frame.
    var pixels: [Int] = []
    var sums: [UInt32] = []
    var failure: Status?
  }

  private static func read(_ stream: [UInt8], pieceSize: Int) -> Outcome {
    let reader = ByteReader(Pieces(stream, pieceSize))
    let allocate: FrameAllocator = { (count) throws(Status) in
      guard count <= mostBytes else { throw Status(.resourceExhausted, "a frame of \(count) bytes") }
      return try HeapFrameMemory(byteCount: count)
    }
    let source: any FrameSource =
      stream.starts(with: "nut/".utf8) ? NUTSource(reader, allocate) : Y4MSource(reader, allocate)
    var outcome = Outcome()
    do throws(Status) {
      let interruption = try Interruption()
      while outcome.pixels.count < mostFrames {
        guard case .frame(let frame) = try source.next(or: interruption) else { return outcome }
        guard case .pixels(let view) = frame.content else { preconditionFailure("a frame is no file") }
        outcome.pixels.append(view.bytes.count)
        outcome.sums.append(view.bytes.reduce(1) { $0 &* 31 &+ UInt32($1) })
      }
    } catch {
      precondition(error.code != .ok && error.code != .internal && !error.message.isEmpty)
      outcome.failure = error
    }
    return outcome
  }

  private final class Pieces: ByteSource {
    private let bytes: [UInt8]
    private let size: Int
    private let start = Mutex(0)

    init(_ bytes: [UInt8], _ size: Int) { (self.bytes, self.size) = (bytes, size) }

    func read(
      into buffer: UnsafeMutableRawBufferPointer, or interruption: Interruption
    ) throws(Status) -> Int? {
      start.withLock { start in
        let count = min(size, buffer.count, bytes.count - start)
        buffer.copyBytes(from: bytes[start..<start + count])
        start += count
        return count
      }
    }
  }
}
