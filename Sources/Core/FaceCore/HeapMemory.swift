import var Glibc.MADV_HUGEPAGE
import func Glibc.aligned_alloc
import func Glibc.free
import func Glibc.madvise
import func Glibc.malloc

/// Memory for pixels and tensors, not initialised. Lack of it is a status instead of the end of the process.
public struct HeapMemory: ~Copyable {
  /// Begins at a multiple of 64 bytes.
  public let bytes: UnsafeMutableRawBufferPointer

  /// On x86-64, and most others.
  private static let hugePage = 2 << 20

  /// In huge pages where it is large and the system has them: a picture's hundred megabytes are given back in less than a
  /// millisecond, and not in the tens of them that small pages take, for which a call that was ended would hold its worker.
  /// Throws `resourceExhausted`.
  public init(byteCount: Int) throws(Status) {
    let isLarge = byteCount >= 4 * HeapMemory.hugePage
    let alignment = isLarge ? HeapMemory.hugePage : 64
    let rounded = (byteCount + alignment - 1) & ~(alignment - 1)
    guard let start = aligned_alloc(alignment, max(rounded, alignment)) else {
      throw Status(.resourceExhausted, "no memory for \(byteCount) bytes; use a smaller image or max side")
    }
    // Of whole pages, so that no more is resident than was asked for. Only a hint. madvise(2)
    if isLarge { madvise(start, byteCount & ~(alignment - 1), MADV_HUGEPAGE) }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  /// A copy of `source`, which may be a hundred megabytes: throws also what the token throws, which is asked between pieces.
  public static func copy(
    of source: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> HeapMemory {
    let copy = try HeapMemory(byteCount: source.count)
    let step = 16 * WorkPacer.step
    for start in stride(from: 0, to: source.count, by: step) {
      let part = UnsafeRawBufferPointer(rebasing: source[start..<min(source.count, start + step)])
      UnsafeMutableRawBufferPointer(rebasing: copy.bytes[start...]).copyMemory(from: part)
      try token?.check()
    }
    return copy
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
        "no memory to \(work()), which takes \(max(byteCount >> 20, 1)) MiB; try again when some is free")
    }
    free(memory)
  }

  // By itself: an optimiser that sees memory taken and given back at once leaves out both.
  @inline(never)
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? { malloc(byteCount) }
}
