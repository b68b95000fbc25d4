import CPosixShims
public import FaceCore
import Glibc

extension UnixSocket {
  /// What a wait that can be interrupted ended with.
  public enum Readiness: Sendable {
    /// There is something to read, or the peer is gone.
    case readable
    /// The wake-up was signalled; it is cleared.
    case woken
    /// The deadline came first.
    case nothing
  }

  /// Waits until there is something to read, or until somebody signals `wakeup`. poll(2)
  public func waitToRead(or wakeup: borrowing Wakeup, until deadline: MonotonicTime) throws(Status)
    -> Readiness
  {
    let events = Int16(POLLIN)
    while true {
      var requests = (
        pollfd(fd: descriptor.raw, events: events, revents: 0),
        pollfd(fd: wakeup.descriptor.raw, events: events, revents: 0)
      )
      // Not through the gate: after a signal the time left must be computed anew.
      let count = withUnsafeMutableBytes(of: &requests) { bytes in
        poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, deadline.pollTimeout)
      }
      if count > 0 {
        if requests.1.revents == 0 { return .readable }
        wakeup.clear()
        return .woken
      }
      if count == 0 { return .nothing }
      let code = errno
      if code != EINTR { throw SystemError(call: "poll", code: code).status("cannot wait for the peer") }
    }
  }

  /// Ends the connection both ways while the socket stays open: who waits or reads finds its end. shutdown(2)
  public func shutDown() {
    _ = shutdown(descriptor.raw, Int32(SHUT_RDWR))
  }
}
