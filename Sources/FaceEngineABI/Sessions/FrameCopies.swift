import FaceCore
import Posix

/// Memory for copies of a caller's frames, used again and again.
final class FrameCopies: ImageCopier {
  /// Memory for one frame. Whoever reads the frame has a reference; with none but that in the list it is free.
  private final class Copy: @unchecked Sendable {
    // Written by who took it, read while the frame is searched; one after the other.
    let memory: HeapMemory

    init(byteCount: Int) throws(Status) { memory = try HeapMemory(byteCount: byteCount) }
  }

  private let copies = Monitor<[Copy]>([])

  func copy(_ image: ImageInput) throws(Status) -> HeldImage {
    let copy = try take(image.packedByteCount)
    return HeldImage(try image.copied(into: copy.memory.bytes), keptBy: copy)
  }

  private func take(_ byteCount: Int) throws(Status) -> Copy {
    let free = copies.withLock { copies -> Copy? in
      for index in copies.indices where isKnownUniquelyReferenced(&copies[index]) {
        if copies[index].memory.bytes.count >= byteCount { return copies[index] }
        // Too small for what comes now: not kept.
        copies.remove(at: index)
        return nil
      }
      return nil
    }
    if let free { return free }
    let fresh = try Copy(byteCount: byteCount)
    copies.withLock { $0.append(fresh) }
    return fresh
  }
}
