import func Glibc.aligned_alloc
import func Glibc.free

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
}
