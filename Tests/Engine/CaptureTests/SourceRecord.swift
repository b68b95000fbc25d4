import Capture
import FaceCore
import Posix
import Synchronization

/// Bytes that come in pieces of the given sizes, over and over.
final class ChunkedBytes: ByteSource {
  private let bytes: [UInt8]
  private let sizes: [Int]
  private let state = Mutex((start: 0, reads: 0))

  init(_ bytes: [UInt8], _ sizes: [Int]) {
    self.bytes = bytes
    self.sizes = sizes
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, or interruption: Interruption
  ) throws(Status) -> Int? {
    state.withLock { state in
      let size = min(sizes[state.reads % sizes.count], buffer.count, bytes.count - state.start)
      buffer.copyBytes(from: bytes[state.start..<state.start + size])
      state.start += size
      state.reads += 1
      return size
    }
  }
}

/// The items that a source gave until its end or failure.
struct SourceRecord {
  var frames: [[[UInt8]]] = []
  var origins: [FrameOrigin] = []
  var broken: [Status] = []
  var events: [CameraEvent] = []
  var failure: Status?

  /// - Parameter limit: the number of items after which no more are requested.
  init(_ source: any FrameSource, limit: Int = .max) throws {
    let interruption = try Interruption()
    do throws(Status) {
      for _ in 0..<limit {
        switch try source.next(or: interruption) {
        case .frame(let frame):
          frames.append(SourceRecord.bytes(frame))
          origins.append(frame.origin)
        case .broken(let status, let origin):
          broken.append(status)
          origins.append(origin)
        case .camera(let event): events.append(event)
        case .ended: return
        }
      }
    } catch {
      failure = error
    }
  }

  /// The bytes of each plane without gaps, or those of a file.
  static func bytes(_ frame: CapturedFrame) -> [[UInt8]] {
    switch frame.content {
    case .encoded(let bytes): return [Array(bytes)]
    case .pixels(let view):
      return (0..<view.planeCount).map { index in
        let plane = view.plane(index)
        let width = view.format.rowBytes(plane: index, width: view.size.width)
        return (0..<view.format.rows(plane: index, height: view.size.height)).flatMap { row in
          Array(plane.bytes[row * plane.stride..<row * plane.stride + width])
        }
      }
    }
  }

  static let heap: FrameAllocator = { (size) throws(Status) in try HeapFrameMemory(byteCount: size) }
}

extension SourceItem {
  var frame: CapturedFrame? { if case .frame(let frame) = self { frame } else { nil } }
  var event: CameraEvent? { if case .camera(let event) = self { event } else { nil } }
  var isEnd: Bool { if case .ended = self { true } else { false } }
}

/// Counts from several threads.
final class Tally: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
