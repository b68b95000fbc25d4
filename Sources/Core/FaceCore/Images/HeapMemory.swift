import Synchronization

import var Glibc.MADV_HUGEPAGE
import func Glibc.aligned_alloc
import func Glibc.explicit_bzero
import func Glibc.free
import func Glibc.madvise
import func Glibc.malloc

/// Uninitialised memory for pixels and tensors. If there is not enough, it throws a status instead of ending
/// the process.
public struct HeapMemory: ~Copyable {
  /// The bytes, aligned to 64.
  public let bytes: UnsafeMutableRawBufferPointer

  /// The size of a huge page on x86-64 and most other machines.
  private static let hugePage = 2 << 20

  /// Allocates memory, in huge pages if it is large and the system has them: a hundred megabytes of them are
  /// freed in less than a millisecond instead of tens of milliseconds, during which a call that was ended
  /// would hold its worker. Throws `resourceExhausted`.
  public init(byteCount: Int) throws(Status) {
    let isLarge = byteCount >= 4 * HeapMemory.hugePage
    let alignment = isLarge ? HeapMemory.hugePage : 64
    let rounded = (byteCount + alignment - 1) & ~(alignment - 1)
    guard let start = aligned_alloc(alignment, max(rounded, alignment)) else {
      throw Status(.resourceExhausted, "no memory for \(byteCount) bytes; use a smaller image or a lower max_side")
    }
    // Whole pages only, so that no more is resident than was asked for. Only a hint. madvise(2)
    if isLarge { madvise(start, byteCount & ~(alignment - 1), MADV_HUGEPAGE) }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  /// Returns a copy of `source`. Throws the token's error.
  public static func copy(
    of source: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> HeapMemory {
    let copy = try HeapMemory(byteCount: source.count)
    try copy.bytes.fill(from: source, token)
    return copy
  }

  deinit {
    if MemoryPrivacy.isOn, let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    free(bytes.baseAddress)
  }

  /// Throws `resourceExhausted` unless `byteCount` bytes are available now. To be called before large arrays
  /// are made: an array that finds no memory ends the process.
  /// - Parameter work: the purpose for the message, as in "load the model".
  public static func require(_ byteCount: Int, to work: @autoclosure () -> String) throws(Status) {
    // A margin for small allocations.
    let (all, overflow) = byteCount.addingReportingOverflow(1 << 20)
    guard !overflow, let memory = allocate(all) else {
      throw Status(
        .resourceExhausted,
        "no memory to \(work()), which takes \(max(byteCount >> 20, 1)) MiB; free some memory and try again")
    }
    free(memory)
  }

  // Not inlined: an optimiser that sees memory allocated and freed at once removes both.
  @inline(never)
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? { malloc(byteCount) }
}

extension UnsafeMutableRawBufferPointer {
  /// Copies `source`, which may be a hundred megabytes, to the beginning: the token is checked between pieces,
  /// and its error thrown.
  public func fill(from source: UnsafeRawBufferPointer, _ token: CancellationToken?) throws(Status) {
    let step = 16 * WorkPacer.step
    for start in stride(from: 0, to: source.count, by: step) {
      let part = UnsafeRawBufferPointer(rebasing: source[start..<Swift.min(source.count, start + step)])
      UnsafeMutableRawBufferPointer(rebasing: self[start...]).copyMemory(from: part)
      try token?.check()
    }
  }
}

/// While a value lives, memory of pixels is overwritten when it is freed: malloc keeps it, and it may show a person
/// whose guided check is over.
public final class MemoryPrivacy: Sendable {
  private static let count = Atomic(0)

  static var isOn: Bool { count.load(ordering: .relaxed) > 0 }

  public init() { _ = Self.count.add(1, ordering: .relaxed) }

  deinit { _ = Self.count.subtract(1, ordering: .relaxed) }
}
