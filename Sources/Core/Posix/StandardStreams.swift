import CPosixShims
public import FaceCore
import Glibc

/// A pipe, file or terminal that is read from start to end, by one thread.
public final class InputStream: Sendable {
  private let descriptor: Descriptor
  private let name: String

  /// Opens a file, pipe or device. open(2)
  public init(_ path: String) throws(Status) {
    name = path
    descriptor = Descriptor(
      owning: try system("open", "cannot open \(path)") {
        face_posix_open(path.cPath, O_RDONLY, 0)
      })
  }

  /// Returns the standard input of this process. fcntl(2), F_DUPFD_CLOEXEC
  public static func standard() throws(Status) -> InputStream {
    InputStream(
      Descriptor(
        owning: try system("fcntl", "cannot read standard input") { face_posix_duplicate(STDIN_FILENO) }),
      "standard input")
  }

  init(_ descriptor: consuming Descriptor, _ name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Waits for bytes and reads the available ones into `buffer`, which must not be empty. read(2)
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
          // The process at the other end may have made it non-blocking, and another process may have read
          // first.
          guard error.isTryAgain else { throw error }
        }
      }
    } catch {
      throw error.status("cannot read \(name)")
    }
  }
}

/// Reads the standard input of this process.
public enum StandardInput {
  /// Returns all bytes up to the end. Throws `outOfRange` for more than `limit`. read(2)
  public static func readAll(limit: Int) throws(Status) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var failure: SystemError?
      let before = bytes.count
      bytes.append(addingCapacity: max(65536, bytes.count / 2)) { output in
        output.withUnsafeMutableBufferPointer { buffer, count in
          do throws(SystemError) {
            count = try system("read") { Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count) }
          } catch {
            failure = error
          }
        }
      }
      if let failure {
        guard failure.isTryAgain else { throw failure.status("cannot read standard input") }
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, -1)
        continue
      }
      guard bytes.count <= limit else {
        throw Status(.outOfRange, "standard input has more than the limit of \(limit) bytes; give less")
      }
      if bytes.count == before { return bytes }
    }
  }
}

/// Writes a program's results.
public enum StandardOutput {
  public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes all of `text` at once, so that the reader of a pipe sees all of it. Throws `dataLoss` when it
  /// cannot be written; when the pipe has no reader any more, SIGPIPE ends the process as usual. write(2)
  /// - Parameter hasBytesOfPaths: whether paths in it are written as their bytes, for people, and not as UTF-8.
  public static func write(_ text: String, hasBytesOfPaths: Bool = false) throws(Status) {
    do throws(SystemError) {
      try writeAll(hasBytesOfPaths ? text.pathBytes : Array(text.utf8), to: STDOUT_FILENO)
    } catch {
      throw unwritable(error)
    }
  }

  /// Writes all of `bytes`, waiting for the reader if need be. For processes that ignore SIGPIPE. write(2)
  /// - Returns: `false` when the pipe has no reader any more.
  public static func write(_ bytes: UnsafeRawBufferPointer) throws(Status) -> Bool {
    do throws(SystemError) {
      var rest = bytes
      while !rest.isEmpty {
        let count = try system("write") { face_posix_write(STDOUT_FILENO, rest.baseAddress, rest.count) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
      return true
    } catch {
      guard error.code == EPIPE else { throw unwritable(error) }
      return false
    }
  }

  private static func unwritable(_ error: SystemError) -> Status {
    Status(.dataLoss, "the results cannot be written to standard output: \(error.reason)")
  }
}

/// Writes a program's messages to people.
public enum StandardError {
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes all of `text`, or as much as the reader takes; paths in it as their bytes. write(2)
  public static func write(_ text: String) {
    // A failure cannot be reported anywhere.
    try? writeAll(text.pathBytes, to: STDERR_FILENO)
  }
}

/// Writes all bytes. Also waits for room where the stream is non-blocking, as a terminal shared with another
/// program may be.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
  var bytes = bytes[...]
  while !bytes.isEmpty {
    let rest = bytes
    do throws(SystemError) {
      let count = try system("write") {
        rest.withUnsafeBytes { face_posix_write(descriptor, $0.baseAddress, $0.count) }
      }
      bytes = bytes.dropFirst(count)
    } catch {
      guard error.isTryAgain else { throw error }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, -1)
    }
  }
}
