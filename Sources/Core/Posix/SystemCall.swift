import CPosixShims
package import FaceCore
import Glibc

/// A failed system call; the only place where `errno` is read.
package struct SystemError: Error, Equatable {
  package let call: StaticString
  package let code: Int32

  package init(call: StaticString, code: Int32) {
    self.call = call
    self.code = code
  }

  package static func == (a: SystemError, b: SystemError) -> Bool { a.code == b.code }

  /// The system's text for `code`, as in "Permission denied".
  package var reason: String { String(cString: face_posix_describe(code)) }

  /// Whether a later attempt may succeed because the call would have to wait.
  package var isTryAgain: Bool { code == EAGAIN }

  /// Returns a status for callers: `subject` says in a few words what failed, as in "cannot open /a/b".
  package func status(_ subject: String) -> Status {
    let hint =
      switch code {
      case EACCES where Sandbox.isActive: "; or this process's sandbox forbids it: see --sandbox"
      case EIO: "; the disk or the connection to it failed: check it, and try again"
      case EMFILE: "; close files that are not needed, or raise the limit of open files (ulimit -n)"
      case EFBIG where face_posix_file_limit() >= 0:
        "; raise the limit of file sizes, which is \(face_posix_file_limit()) bytes and applies to shared memory too "
          + "(ulimit -f, or LimitFSIZE= of a service)"
      default: ""
      }
    return Status(statusCode, "\(subject): \(call) failed: \(reason)\(hint)")
  }

  private var statusCode: StatusCode {
    switch code {
    case ENOENT, ENOTDIR: .notFound
    case EACCES, EPERM: .permissionDenied
    case EEXIST, EADDRINUSE: .alreadyExists
    case EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOSPC, EDQUOT, EFBIG, EAGAIN: .resourceExhausted
    case ECONNREFUSED, ECONNRESET, EPIPE, ENOTCONN, ENODEV, ENXIO, EBUSY, ETXTBSY: .unavailable
    // The failure of a disk, or of a network that has it.
    case EIO, ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EREMOTEIO:
      .unavailable
    // A program of another machine, or no program; a folder that is mounted for reading.
    case ENOEXEC, ELIBBAD, EROFS: .failedPrecondition
    case ENAMETOOLONG, EISDIR, ELOOP: .invalidArgument
    default: .internal
    }
  }
}

/// Calls a function of a library that reports a failed allocation like any other failure. malloc(3)
/// - Returns: its value, and whether an allocation has failed.
public func noticingLackOfMemory<Value>(_ call: () -> Value) -> (value: Value, isOutOfMemory: Bool) {
  errno = 0
  let value = call()
  return (value, errno == ENOMEM)
}

/// Makes a system call that reports failure as -1, and repeats it when a signal interrupts it.
@inline(__always)
func system<Value: SignedInteger>(_ name: StaticString, _ call: () -> Value) throws(SystemError) -> Value {
  while true {
    let value = call()
    if value != -1 { return value }
    let code = errno
    if code != EINTR { throw SystemError(call: name, code: code) }
  }
}

/// Makes a system call whose failure has a fixed `subject`.
@inline(__always)
func system<Value: SignedInteger>(
  _ name: StaticString, _ subject: @autoclosure () -> String, _ call: () -> Value
) throws(Status) -> Value {
  do {
    return try system(name, call)
  } catch {
    throw error.status(subject())
  }
}
