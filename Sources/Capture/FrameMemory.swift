public import FaceCore
import Synchronization

/// Memory for a frame.
public protocol FrameMemory: AnyObject, Sendable {
  var bytes: UnsafeMutableRawBufferPointer { get }
}

/// Gives memory for frames: of this process, or shared with whoever is to search them.
public typealias FrameAllocator = @Sendable (_ byteCount: Int) throws(Status) -> any FrameMemory

/// Memory of this process only.
public final class HeapFrameMemory: FrameMemory, @unchecked Sendable {
  // One thread fills it before others read it.
  private let memory: HeapMemory
  public var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  /// Throws `resourceExhausted`.
  public init(byteCount: Int) throws(Status) {
    memory = try HeapMemory(byteCount: byteCount)
  }
}

/// Pieces of memory of one size, used again and again: as many as there are frames under way.
final class FrameBuffers: Sendable {
  private let byteCount: Int
  private let allocate: FrameAllocator
  private let idle = Mutex<[any FrameMemory]>([])

  init(byteCount: Int, _ allocate: @escaping FrameAllocator) {
    self.byteCount = byteCount
    self.allocate = allocate
  }

  func take() throws(Status) -> FrameBuffer {
    let used = idle.withLock { $0.popLast() }
    let memory: any FrameMemory
    if let used { memory = used } else { memory = try allocate(byteCount) }
    return FrameBuffer(memory, self)
  }

  fileprivate func giveBack(_ memory: any FrameMemory) {
    idle.withLock { $0.append(memory) }
  }
}

/// Memory that goes back to where it was taken from with its last user.
final class FrameBuffer: Sendable {
  private let memory: any FrameMemory
  private let home: FrameBuffers

  fileprivate init(_ memory: any FrameMemory, _ home: FrameBuffers) {
    self.memory = memory
    self.home = home
  }

  deinit { home.giveBack(memory) }

  var bytes: UnsafeMutableRawBufferPointer { memory.bytes }
}
