import func Glibc.aligned_alloc
import func Glibc.free
import func Glibc.malloc

/// Memory for pixels and tensors, not initialised. Lack of it is a status instead of the end of the process.
public struct HeapMemory: ~Copyable {
  /// Begins at a multiple of 64 bytes.
  public let bytes: UnsafeMutableRawBufferPointer

  /// Throws `resourceExhausted`.
  public init(byteCount: Int) throws(Status) {
    let alignment = 64
    let rounded = (byteCount + alignment - 1) & ~(alignment - 1)
    guard let start = aligned_alloc(alignment, max(rounded, alignment)) else {
      throw Status(.resourceExhausted, "no memory for \(byteCount) bytes; use a smaller image or max side")
    }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit { free(bytes.baseAddress) }

  /// Throws `resourceExhausted` unless there are `byteCount` bytes now. To be called before large arrays are made: an array
  /// that finds no memory ends the process.
  /// - Parameter work: as in "load the model", for the message.
  public static func require(_ byteCount: Int, to work: @autoclosure () -> String) throws(Status) {
    // Some more for what is small.
    let (all, overflow) = byteCount.addingReportingOverflow(1 << 20)
    guard !overflow, let memory = allocate(all) else {
      throw Status(
        .resourceExhausted,
        "no memory to \(work()), which takes \(byteCount >> 20) MiB; try again when some is free")
    }
    free(memory)
  }

  // By itself: an optimiser that sees memory taken and given back at once leaves out both.
  @inline(never)
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? { malloc(byteCount) }
}
