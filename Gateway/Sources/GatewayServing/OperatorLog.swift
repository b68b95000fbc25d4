import Glibc
import Synchronization

/// The messages that were lost because nobody reads standard error.
private let lostMessages = Atomic(0)

/// Prints a message for the operator. A message that would wait for its reader is lost, and counted in the next one.
package func tellOperator(_ text: String) {
  var error = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
  // A pipe that can be written to takes PIPE_BUF bytes at once. pipe(7)
  guard poll(&error, 1, 0) == 1, error.revents & Int16(POLLOUT) != 0 else {
    lostMessages.add(1, ordering: .relaxed)
    return
  }
  let lost = lostMessages.exchange(0, ordering: .relaxed)
  let end = lost > 0 ? " (\(lost) messages before this one were lost)\n" : "\n"
  let line = Array("face-engine-gateway: \(text)".utf8.prefix(Int(PIPE_BUF) - 128)) + Array(end.utf8)
  line.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
