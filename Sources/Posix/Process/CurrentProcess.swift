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

  /// Ends it as it is, whatever other threads do. _exit(2)
  public static func exitAtOnce(_ code: Int32) -> Never {
    _exit(code)
  }

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

  /// A write to a pipe or socket that nobody reads fails instead of ending the process. signal(2)
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Tells a process from its forks. getpid(2)
  public static var id: Int32 { getpid() }

  /// Keeps the numbers of closed standard streams from being given to sockets and files. fcntl(2), open(2)
  public static func occupyStandardStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where isClosed(descriptor) {
      // Not to be written to: what is meant for a closed stream must fail. The lowest free number is the one wanted.
      _ = face_posix_open("/dev/null", O_RDONLY, 0)
    }
  }

  private static func isClosed(_ descriptor: Int32) -> Bool {
    var information = stat()
    return fstat(descriptor, &information) == -1 && errno == EBADF
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

  /// Writes all of `text` at once, so that who reads a pipe sees it. Throws `dataLoss` when it cannot be written; when
  /// nobody reads the pipe any more, SIGPIPE ends the process as usual. write(2)
  public static func write(_ text: String) throws(Status) {
    do throws(SystemError) {
      try writeAll(text, to: STDOUT_FILENO)
    } catch {
      throw unwritable(error)
    }
  }

  /// Writes all of `bytes`, waiting for the reader if need be. Where a broken pipe does not end the process, that nobody
  /// reads any more is told. write(2)
  /// - Returns: whether somebody reads.
  public static func write(_ bytes: UnsafeRawBufferPointer) throws(Status) -> Bool {
    do throws(SystemError) {
      var rest = bytes
      while !rest.isEmpty {
        let count = try system("write") { Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count) }
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

/// Where a program's messages to people go.
public enum StandardError {
  /// Whether a person may be watching. isatty(3)
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes all of `text`, or as much as the reader takes. write(2)
  public static func write(_ text: String) {
    // There is nobody left to tell of a failure.
    try? writeAll(text, to: STDERR_FILENO)
  }
}

/// Waits for room also where the stream is one that does not wait, as a terminal shared with another program may be.
private func writeAll(_ text: String, to descriptor: Int32) throws(SystemError) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let rest = bytes
    do throws(SystemError) {
      let count = try system("write") {
        rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
      bytes = bytes.dropFirst(count)
    } catch {
      guard error.isTryAgain else { throw error }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, -1)
    }
  }
}
