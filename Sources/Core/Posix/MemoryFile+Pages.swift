import Glibc

extension MemoryFile {
  /// Frees the pages behind the first `byteCount` bytes, in every process that has them mapped; they become zeros
  /// again. madvise(2) MADV_REMOVE
  public func removePages(from byteCount: Int) {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let first = (byteCount + page - 1) / page * page
    guard first < bytes.count, let start = bytes.baseAddress else { return }
    // Only memory would be saved.
    _ = madvise(start + first, bytes.count - first, MADV_REMOVE)
  }
}
