public import FaceCore
import Synchronization

public protocol FrameMemory: AnyObject, Sendable {
  var bytes: UnsafeMutableRawBufferPointer { get }
}

/// Allocates memory for frames: of this process, or shared with the engine.
public typealias FrameAllocator = @Sendable (_ byteCount: Int) throws(Status) -> any FrameMemory

/// Frame memory on the heap of this process.
public final class HeapFrameMemory: FrameMemory, @unchecked Sendable {
  // Filled by one thread before others read it.
  private let memory: HeapMemory
  public var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  /// Allocates the memory. Throws `resourceExhausted` if there is not enough.
  public init(byteCount: Int) throws(Status) {
    memory = try HeapMemory(byteCount: byteCount)
  }
}

/// A pool of buffers of one size. It grows to the number of frames that are in flight at once.
final class FrameBufferPool: Sendable {
  private let byteCount: Int
  private let allocate: FrameAllocator
  private let idle = Mutex<[any FrameMemory]>([])

  init(byteCount: Int, _ allocate: @escaping FrameAllocator) {
    self.byteCount = byteCount
    self.allocate = allocate
  }

  func buffer() throws(Status) -> FrameBuffer {
    let recycled = idle.withLock { $0.popLast() }
    let memory: any FrameMemory
    if let recycled { memory = recycled } else { memory = try allocate(byteCount) }
    return FrameBuffer(memory, self)
  }

  fileprivate func recycle(_ memory: any FrameMemory) {
    precondition(memory.bytes.count >= byteCount)
    idle.withLock { $0.append(memory) }
  }
}

/// A buffer of a pool, returned to it when this object ends.
final class FrameBuffer: Sendable {
  private let memory: any FrameMemory
  private let pool: FrameBufferPool

  fileprivate init(_ memory: any FrameMemory, _ pool: FrameBufferPool) {
    self.memory = memory
    self.pool = pool
  }

  deinit { pool.recycle(memory) }

  var bytes: UnsafeMutableRawBufferPointer { memory.bytes }
}
