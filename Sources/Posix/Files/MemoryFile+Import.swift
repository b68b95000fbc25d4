import CPosixShims
public import FaceCore
import Glibc

extension MemoryFile {
  /// Takes memory that another process or library made. `raw` stays the caller's and may be closed at once.
  ///
  /// Mapped to be written where the descriptor allows it, else to be read.
  ///
  /// Throws `permissionDenied` unless it is a memfd with the seals F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL, since who
  /// can shrink it can end this process; `invalidArgument` for a number that is no open descriptor, and for an empty file.
  /// fcntl(2) F_DUPFD_CLOEXEC and F_GET_SEALS, fstat(2), mmap(2)
  public init(importing raw: Int32) throws(Status) {
    let descriptor: Descriptor
    do throws(SystemError) {
      descriptor = Descriptor(owning: try system("fcntl") { face_posix_duplicate(raw) })
    } catch {
      guard error.code != EBADF else {
        throw Status(.invalidArgument, "\(raw) is no open descriptor; give that of a memfd")
      }
      throw error.status("cannot take the memfd")
    }
    guard face_posix_is_sealed_memory(descriptor.raw) == 1 else {
      throw Status(
        .permissionDenied,
        "the descriptor is no memfd of a fixed size; make one with memfd_create, without huge pages, and add "
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
