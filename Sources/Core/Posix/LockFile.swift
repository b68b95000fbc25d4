import CPosixShims
public import FaceCore
import Glibc

/// A file that exists and is locked while this value lives, and by no other process at that time. flock(2)
///
/// The kernel releases the lock when its process ends, however it ends.
public struct LockFile: ~Copyable, Sendable {
  private let path: String
  private let descriptor: Descriptor
  /// Whether the file is removed with this value.
  private var isOwned = true

  /// - Parameter taken: the message of `alreadyExists`, thrown when another process has the lock.
  public init(_ path: String, taken: String) throws(Status) {
    while true {
      do {
        let descriptor = Descriptor(
          owning: try system("open") {
            face_posix_open(path.cPath, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
          })
        _ = try system("flock") { [raw = descriptor.raw] in flock(raw, LOCK_EX | LOCK_NB) }
        // The previous owner may have removed the file after it was opened here; the path then leads to
        // another file. Try again.
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

  /// A lock that another process has sent, which still owns the file.
  init(_ path: String, received descriptor: consuming Descriptor) {
    self.path = path
    self.descriptor = descriptor
    isOwned = false
  }

  /// Sets whether this process removes the file, or another one that shares the lock.
  mutating func setOwned(_ isOwned: Bool) { self.isOwned = isOwned }

  /// The number, to be sent to another process while this value lives.
  var raw: Int32 { descriptor.raw }

  deinit {
    guard isOwned else { return }
    // While the lock is still held, so that no newer file is removed.
    unlink(path.cPath)
  }
}

/// Identifies the file at a path, to tell it apart from a later one of the same name. lstat(2)
struct FileIdentity: Equatable {
  let device: UInt
  let inode: UInt
  let isSocket: Bool

  init?(_ path: String) {
    var information = stat()
    guard lstat(path.cPath, &information) == 0 else { return nil }
    self.init(information)
  }

  init(_ information: stat) {
    device = information.st_dev
    inode = information.st_ino
    isSocket = information.st_mode & S_IFMT == S_IFSOCK
  }
}
