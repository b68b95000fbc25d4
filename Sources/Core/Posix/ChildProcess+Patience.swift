import FaceCore
import Glibc

extension ChildProcess {
  /// The exit code of a program that may succeed at another time. sysexits(3), EX_TEMPFAIL
  public static let temporaryFailure: Int32 = 75

  /// Waits for the end of a program that leaves a copy of itself behind. waitpid(2)
  ///
  /// Throws `unavailable` for a program that does not end in time, which is killed, `resourceExhausted` for a program
  /// that lacks memory or processes, and `failedPrecondition` for any other that fails.
  static func awaitEnd(of id: pid_t, _ path: String, _ patience: TimeSpan) throws(Status) {
    let pause: TimeSpan = .milliseconds(2)
    // Pauses are counted, so that time in which the machine or this process is stopped does not count.
    for _ in 0...patience / pause {
      var status: Int32 = 0
      let found = waitpid(id, &status, WNOHANG)
      if found == id { return try check(ProcessEnd(status: status), of: path) }
      // The host may have collected it, or ignore its children.
      if found == -1, errno != EINTR { return }
      CurrentProcess.sleep(for: pause)
    }
    _ = collect(id)
    throw Status(
      .unavailable,
      "\(path) was started and did nothing for \(patience / .milliseconds(1)) ms; try again later, or install face-engine again"
    )
  }

  private static func check(_ end: ProcessEnd, of path: String) throws(Status) {
    switch end.cause {
    case .done: return
    case .memory,
      .failed where end.code == temporaryFailure:
      throw Status(
        .resourceExhausted,
        "no process, or no memory, to run \(path) (\(end)); free memory or end processes, and try again later")
    case .signalled, .processorTime:
      throw Status(.unavailable, "\(path) was ended before it had started (\(end)); try again later")
    case .failed, .crashed:
      throw Status(
        .failedPrecondition,
        "\(path) failed at its start (\(end)); install face-engine in the version of this library")
    }
  }
}
