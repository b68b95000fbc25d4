import CPosixShims
public import FaceCore
import Glibc

/// A file of lines that one process appends to. A process that is killed while it writes leaves a cut last line, which
/// `cutUnfinishedLine` removes.
public final class AppendedFile: Sendable {
  public let path: String
  private let descriptor: Descriptor

  /// Opens the file; makes an empty one if there is none. Throws `alreadyExists` while another process appends to it,
  /// and `invalidArgument` for a pipe, folder or device. open(2), flock(2)
  public init(_ path: String) throws(Status) {
    self.path = path
    descriptor = Descriptor(
      owning: try system("open", "cannot open \(path)") {
        face_posix_open(path.cPath, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, 0o644)
      })
    guard FileSystem.kind(of: path) == .file else {
      throw Status(.invalidArgument, "\(path) is not a regular file; give the path of a file")
    }
    do throws(SystemError) {
      _ = try system("flock") { [raw = descriptor.raw] in flock(raw, LOCK_EX | LOCK_NB) }
    } catch {
      guard error.code != EWOULDBLOCK else {
        throw Status(.alreadyExists, "another process writes to \(path); wait for it, or name another file")
      }
      throw error.status("cannot lock \(path)")
    }
  }

  /// The size in bytes. fstat(2)
  public func size() throws(Status) -> Int {
    var information = stat()
    _ = try system("fstat", "cannot read \(path)") { fstat(descriptor.raw, &information) }
    return Int(information.st_size)
  }

  /// Calls `body` with each whole line, without its line feed. What follows the last line feed is left out. pread(2)
  /// - Parameters:
  ///   - limit: the length to which `body` gets a line; the rest of a longer one is not kept in memory.
  ///   - body: its second argument is the last byte of the whole line; `nil` for an empty line.
  public func readLines(
    limit: Int, _ body: (_ beginning: [UInt8], _ last: UInt8?) throws(Status) -> Void
  ) throws(Status) {
    let room = 1 << 20
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { chunk.deallocate() }
    var line: [UInt8] = []
    var last: UInt8?
    func add(_ bytes: UnsafeRawBufferPointer) {
      line += bytes.prefix(limit - line.count)
      last = bytes.last ?? last
    }
    var position = 0
    while true {
      let count = try system("pread", "cannot read \(path)") {
        pread(descriptor.raw, chunk.baseAddress, room, off_t(position))
      }
      if count == 0 { return }
      position += count
      var rest = UnsafeRawBufferPointer(rebasing: chunk[..<count])
      while let start = rest.baseAddress, let feed = memchr(start, Self.lineFeed, rest.count) {
        let length = UnsafeRawPointer(feed) - start
        add(UnsafeRawBufferPointer(rebasing: rest[..<length]))
        try body(line, last)
        line.removeAll(keepingCapacity: true)
        last = nil
        rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
      }
      add(rest)
    }
  }

  private static let lineFeed: Int32 = 0x0A

  /// Removes what follows the last line feed. pread(2), ftruncate(2)
  public func cutUnfinishedLine() throws(Status) {
    let whole = try size()
    var end = whole
    var byte: UInt8 = 0
    while end > 0 {
      let count = try system("pread", "cannot read \(path)") { pread(descriptor.raw, &byte, 1, off_t(end - 1)) }
      if count == 1, byte == UInt8(Self.lineFeed) { break }
      end -= 1
    }
    if end < whole { try resize(to: end) }
  }

  /// Removes everything. ftruncate(2)
  public func clear() throws(Status) { try resize(to: 0) }

  private func resize(to size: Int) throws(Status) {
    _ = try system("ftruncate", "cannot shorten \(path)") { face_posix_resize(descriptor.raw, Int64(size)) }
  }

  /// Appends all of `text`, which ends with a line feed. After a failure a part of it may be there. write(2)
  public func append(_ text: String) throws(Status) {
    do throws(SystemError) {
      try writeAll(Array(text.utf8), to: descriptor.raw)
    } catch {
      throw error.status("cannot write \(path)")
    }
  }

  /// Returns when what was appended is on the disk. fsync(2)
  public func save() throws(Status) {
    _ = try system("fsync", "cannot save \(path)") { fsync(descriptor.raw) }
  }
}
