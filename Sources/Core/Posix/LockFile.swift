import CPosixShims
public import FaceCore
import Glibc

/// A file that exists and is locked while this value lives, and in no other process at that time. flock(2)
///
/// The lock is the kernel's: it is free as soon as its process ends, however that ends.
public struct LockFile: ~Copyable, Sendable {
  private let path: String
  private let descriptor: Descriptor
  /// The file is removed with this value.
  private var isOwned = true

  /// - Parameter taken: what the thrown `alreadyExists` says when another process has the lock.
  public init(_ path: String, taken: String) throws(Status) {
    while true {
      do {
        let descriptor = Descriptor(
          owning: try system("open") {
            face_posix_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
          })
        _ = try system("flock") { [raw = descriptor.raw] in flock(raw, LOCK_EX | LOCK_NB) }
        // The previous owner may have removed the file after we opened it: then the path has another file. Once more.
        var opened = stat()
        _ = try system("fstat") { [raw = descriptor.raw] in fstat(raw, &opened) }
        guard FileIdentity(path) == FileIdentity(opened) else { continue }
        self.path = path
        self.descriptor = descriptor
        return
      } catch {
        if error.code == EWOULDBLOCK { throw Status(.alreadyExists, taken) }
        throw error.status("cannot lock \(path)")
      }
    }
  }

  /// A lock that another process has sent, which owns the file.
  init(_ path: String, received descriptor: consuming Descriptor) {
    self.path = path
    self.descriptor = descriptor
    isOwned = false
  }

  /// Says whether the file is this process's to remove, or another's that has the lock as well.
  mutating func setOwned(_ isOwned: Bool) { self.isOwned = isOwned }

  /// For another process. A value that holds it must live meanwhile.
  var raw: Int32 { descriptor.raw }

  deinit {
    guard isOwned else { return }
    // While the lock is still held, so that no newer file is removed.
    unlink(path)
  }
}

/// Identifies the file at a path, to tell it apart from a later one of the same name. lstat(2)
struct FileIdentity: Equatable {
  let device: UInt
  let inode: UInt
  let isSocket: Bool

  init?(_ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return nil }
    self.init(information)
  }

  init(_ information: stat) {
    device = information.st_dev
    inode = information.st_ino
    isSocket = information.st_mode & S_IFMT == S_IFSOCK
  }
}
