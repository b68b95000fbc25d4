import CPosixShims
public import FaceCore
import Glibc

/// A pipe, file or terminal that is read from its front to its end. One thread reads it.
public final class InputStream: Sendable {
  private let descriptor: Descriptor
  private let name: String

  /// open(2)
  public init(_ path: String) throws(Status) {
    name = path
    descriptor = Descriptor(
      owning: try system("open", "cannot open \(path)") { face_posix_open(path, O_RDONLY | O_CLOEXEC, 0) })
  }

  /// What is piped into this process. fcntl(2), F_DUPFD_CLOEXEC
  public static func standard() throws(Status) -> InputStream {
    InputStream(
      Descriptor(
        owning: try system("fcntl", "cannot read standard input") { face_posix_duplicate(STDIN_FILENO) }),
      "standard input")
  }

  private init(_ descriptor: consuming Descriptor, _ name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Waits for bytes and puts what there is into `buffer`, which must not be empty. read(2)
  /// - Returns: how many; 0 at the end, `nil` after an interruption.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, or interruption: Interruption
  ) throws(Status) -> Int? {
    do throws(SystemError) {
      while true {
        guard try interruption.wait(toRead: descriptor.raw, until: .never) == .readable else { return nil }
        do throws(SystemError) {
          return try system("read") { Glibc.read(descriptor.raw, buffer.baseAddress, buffer.count) }
        } catch {
          // Its other end may have made it one that does not wait, and somebody else have read first.
          guard error.isTryAgain else { throw error }
        }
      }
    } catch {
      throw error.status("cannot read \(name)")
    }
  }
}
