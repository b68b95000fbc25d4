import CPosixShims
public import FaceCore
import Glibc

/// The running program.
public enum CurrentProcess {
  /// Ends it without a trace of Swift. exit(3)
  public static func exit(_ code: Int32) -> Never {
    Glibc.exit(code)
  }

  /// The user whose rights it has. geteuid(2)
  public static var user: UInt32 { geteuid() }

  /// Processors that it may run on, at least 1. sched_getaffinity(2)
  public static var processorCount: Int {
    max(1, Int(face_posix_processor_count()))
  }

  /// Lets the calling thread rest. nanosleep(2)
  public static func sleep(nanoseconds: Int64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    nanosleep(&time, nil)
  }

  /// Becomes another program, found by PATH; returns only by throwing. execvp(3)
  public static func become(_ arguments: [String]) throws(Status) -> Never {
    guard let program = arguments.first else { throw Status(.invalidArgument, "no program was named") }
    fflush(nil)
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    execvp(program, &pointers)
    let code = errno
    pointers.forEach { free($0) }
    throw SystemError(call: "execvp", code: code).status("cannot run \(program)")
  }
}

/// Where a program's results go.
public enum StandardOutput {
  /// Whether a person may be watching. isatty(3)
  public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes all of `text` at once, or as much as the reader takes. write(2)
  public static func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }
}

/// Where a program's messages to people go.
public enum StandardError {
  /// Whether a person may be watching. isatty(3)
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes all of `text`, or as much as the reader takes. write(2)
  public static func write(_ text: String) { writeAll(text, to: STDERR_FILENO) }
}

private func writeAll(_ text: String, to descriptor: Int32) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 || errno == EINTR else { return }
    bytes = bytes.dropFirst(max(count, 0))
  }
}
