import CPosixShims
public import FaceCore
import Glibc

/// Memory of another process, mapped for reading. mmap(2)
///
/// The other process may change the bytes at any moment; a second read may give other values. It cannot make
/// them vanish: only memory whose size is sealed is accepted.
public struct SharedMemory: ~Copyable, @unchecked Sendable {
  // The pages stay mapped, and may be read by any thread, for as long as this value lives.
  public let bytes: UnsafeRawBufferPointer

  /// Maps a whole memfd with the seals F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL; the descriptor is closed.
  ///
  /// Throws `invalidArgument` for anything else, or when `size` is 0 or not its size, and `resourceExhausted`
  /// when the process can map no more. fstat(2), fcntl(2) F_GET_SEALS, fstatfs(2), mmap(2)
  public init(mapping descriptor: consuming Descriptor, size: Int) throws(Status) {
    let raw = descriptor.raw
    // The seals are checked first: with them, the size is final.
    guard face_posix_is_sealed_memory(raw) == 1 else {
      throw Status(
        .invalidArgument,
        "the descriptor is not a memfd of a fixed size; make one with memfd_create, without huge pages, and add "
          + "F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL")
    }
    var information = stat()
    _ = try system("fstat", "cannot read the size of the memfd") { fstat(raw, &information) }
    guard size > 0, information.st_size == size else {
      throw Status(
        .invalidArgument,
        "the memfd has \(information.st_size) bytes, but \(size) were offered; offer all of it")
    }
    let start = mmap(nil, size, PROT_READ, MAP_SHARED, raw, 0)
    guard let start, start != MAP_FAILED else {
      throw SystemError(call: "mmap", code: errno).status("cannot map the memfd")
    }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
    _ = consume descriptor
  }

  deinit {
    MappingReleaser.shared.release(bytes)
  }

  /// Starts the thread that unmaps large memory. Without it, the thread that releases the memory unmaps it,
  /// which may take tens of milliseconds.
  public static func startReleaser() throws(Status) { try MappingReleaser.shared.start() }
}

/// Memory to be shared with another process, mapped for writing. memfd_create(2)
public struct MemoryFile: ~Copyable, @unchecked Sendable {
  // The pages stay mapped for as long as this value lives; the owner decides which thread writes when.
  public let bytes: UnsafeMutableRawBufferPointer
  /// The descriptor, for `UnixSocket.write(_:passing:)`.
  public let descriptor: Descriptor

  /// The most bytes; `nil` without a limit. The limit of file sizes counts for memory, too. getrlimit(2), RLIMIT_FSIZE
  public static var mostBytes: Int? {
    let limit = face_posix_file_limit()
    return limit < 0 ? nil : Int(limit)
  }

  /// Creates `size` bytes of zeros, at least one. Throws `resourceExhausted` when there is no room, or above the limit
  /// of file sizes.
  /// - Parameter isSealed: whether the size is final, which a process that maps it must insist on.
  /// memfd_create(2), ftruncate(2), fcntl(2) F_ADD_SEALS, mmap(2)
  public init(size: Int, isSealed: Bool = true) throws(Status) {
    do throws(SystemError) {
      let descriptor = Descriptor(
        owning: try system("memfd_create") { face_posix_memory_file("face-engine") })
      let raw = descriptor.raw
      _ = try system("ftruncate") { face_posix_resize(raw, Int64(size)) }
      if isSealed { _ = try system("fcntl") { face_posix_seal_size(raw) } }
      let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
      guard let start, start != MAP_FAILED else { throw SystemError(call: "mmap", code: errno) }
      bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
      self.descriptor = descriptor
    } catch {
      throw error.status("cannot make shared memory of \(size) bytes")
    }
  }

  /// Takes over a mapping of the whole file.
  init(bytes: UnsafeMutableRawBufferPointer, descriptor: consuming Descriptor) {
    self.bytes = bytes
    self.descriptor = descriptor
  }

  deinit {
    MappingReleaser.shared.release(UnsafeRawBufferPointer(bytes))
  }
}

/// Memory of the process that made this one, mapped. Its size is not checked: that process is trusted.
public final class ParentMemory: PixelMemory {
  public let bytes: UnsafeMutableRawBufferPointer

  /// Maps a memfd of `size` bytes, at least one, for reading and writing; the descriptor is closed. mmap(2)
  public init(mapping descriptor: consuming Descriptor, size: Int) throws(Status) {
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.raw, 0)
    guard let start, start != MAP_FAILED else {
      throw SystemError(call: "mmap", code: errno).status("cannot map the parent's memory")
    }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  deinit {
    munmap(bytes.baseAddress, bytes.count)
  }
}

extension MemoryFile {
  /// Takes memory that another process or library made. `raw` stays the caller's and may be closed at once.
  ///
  /// Mapped for writing if the descriptor allows it, else for reading.
  ///
  /// Throws `permissionDenied` unless it is a memfd with the seals F_SEAL_SHRINK, F_SEAL_GROW and
  /// F_SEAL_SEAL, because a process that can shrink it can crash this one; `invalidArgument` for a number
  /// that is not an open descriptor, and for an empty file. fcntl(2) F_DUPFD_CLOEXEC and F_GET_SEALS,
  /// fstat(2), mmap(2)
  public init(importing raw: Int32) throws(Status) {
    let descriptor: Descriptor
    do throws(SystemError) {
      descriptor = Descriptor(owning: try system("fcntl") { face_posix_duplicate(raw) })
    } catch {
      guard error.code != EBADF else {
        throw Status(.invalidArgument, "\(raw) is not an open descriptor; give the descriptor of a memfd")
      }
      throw error.status("cannot use the memfd")
    }
    guard face_posix_is_sealed_memory(descriptor.raw) == 1 else {
      throw Status(
        .permissionDenied,
        "the descriptor is not a memfd of a fixed size; make one with memfd_create, without huge pages, and add "
          + "F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL")
    }
    var information = stat()
    _ = try system("fstat", "cannot read the size of the memfd") { [raw = descriptor.raw] in
      fstat(raw, &information)
    }
    guard information.st_size > 0 else {
      throw Status(.invalidArgument, "the memfd is empty; set its size before it is sealed")
    }
    let size = Int(information.st_size)
    var start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.raw, 0)
    if start == MAP_FAILED, errno == EPERM || errno == EACCES {
      start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.raw, 0)
    }
    guard let start, start != MAP_FAILED else {
      throw SystemError(call: "mmap", code: errno).status("cannot map the memfd")
    }
    self.init(bytes: UnsafeMutableRawBufferPointer(start: start, count: size), descriptor: descriptor)
  }
}
