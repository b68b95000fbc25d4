import CPosixShims
public import FaceCore
import Glibc

/// Lets other threads wake one that waits in a `Poller`. eventfd(2)
public struct Wakeup: ~Copyable, Sendable, Pollable {
  package let descriptor: Descriptor
  public var pollableDescriptor: Int32 { descriptor.raw }

  public init() throws(Status) {
    descriptor = Descriptor(
      owning: try system("eventfd", "cannot make a wake-up") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
    )
  }

  /// Makes the descriptor readable until `clear`. From any thread, and from signal handlers. write(2)
  public func signal() {
    var one: UInt64 = 1
    // Fails only when the counter is full, that is, when the other side is being woken anyway.
    _ = write(descriptor.raw, &one, MemoryLayout<UInt64>.size)
  }

  /// read(2)
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
  }
}
