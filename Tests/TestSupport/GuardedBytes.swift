import Foundation

/// A copy of bytes that ends at the end of mapped memory: reading one byte more ends the test.
public final class GuardedBytes {
  public let bytes: UnsafeRawBufferPointer
  private let pages: UnsafeMutableRawPointer
  private let length: Int

  public init(_ contents: [UInt8]) {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let used = (contents.count + page - 1) / page * page
    length = used + page
    guard
      let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED, mprotect(start + used, page, PROT_NONE) == 0
    else { fatalError("no memory for \(contents.count) bytes of a test") }
    pages = start
    let first = start + used - contents.count
    first.copyMemory(from: contents, byteCount: contents.count)
    bytes = UnsafeRawBufferPointer(start: first, count: contents.count)
  }

  deinit { munmap(pages, length) }
}
