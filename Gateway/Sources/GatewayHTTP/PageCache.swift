import FaceCore
import GatewayServing
import Glibc
import NIOCore
import Posix
import Synchronization

/// The files of the page in memory, one copy for all answers. A file that has changed is read again.
final class PageCache: Sendable {
  /// What changes when a file is written or replaced.
  private struct Stamp: Equatable {
    private let node: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
      var found = stat()
      guard stat(path, &found) == 0 else { return nil }
      (node, size) = (UInt(found.st_ino), Int(found.st_size))
      (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
    }
  }

  private let files = Mutex<[String: (stamp: Stamp, bytes: ByteBuffer)]>([:])

  /// The bytes of a file; `nil` if there is none.
  func bytes(_ path: String) -> ByteBuffer? {
    // First, so that a file that changes while it is read is read once more.
    let stamp = Stamp(path)
    return files.withLock { files in
      if let file = files[path], file.stamp == stamp { return file.bytes }
      files[path] = nil
      guard let stamp, let bytes = try? File.read(path, limit: 4 << 20) else { return nil }
      let file = (stamp, ByteBuffer(bytes: bytes))
      files[path] = file
      return file.1
    }
  }
}
