import CPosixShims
public import FaceCore
import Glibc

/// Wakes a thread that waits in a `Poller`. eventfd(2)
public struct Wakeup: ~Copyable, Sendable, Pollable {
  package let descriptor: Descriptor
  public var pollableDescriptor: Int32 { descriptor.raw }

  public init() throws(Status) {
    descriptor = Descriptor(
      owning: try system("eventfd", "cannot make a wake-up") { face_posix_event() }
    )
  }

  /// Makes the descriptor readable until `clear`. May be called from any thread, and from signal handlers.
  /// write(2)
  public func signal() {
    var one: UInt64 = 1
    // Fails only when the counter is full, that is, when the other side is about to be woken anyway.
    _ = write(descriptor.raw, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes the descriptor unreadable again. read(2)
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
  }

  /// Waits for a signal, which is cleared, or until one of `others` has something to read or has lost its peer, or
  /// until `deadline`. Returns early when it cannot wait, or a signal handler ran. poll(2)
  public func wait(or others: [Int32], until deadline: MonotonicTime) {
    var requests = ([descriptor.raw] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if poll(&requests, nfds_t(requests.count), deadline.pollTimeout) > 0, requests[0].revents != 0 { clear() }
  }
}

/// Ends all waits, present and future. May be used from any thread.
public final class Interruption: Sendable {
  private let wakeup: Wakeup

  public init() throws(Status) {
    wakeup = try Wakeup()
  }

  /// Makes every wait return, now and later.
  public func signal() { wakeup.signal() }

  package enum Waited: Equatable, Sendable {
    /// There is something to read, or the descriptor broke, which a read reports.
    case readable
    case interrupted
    /// The deadline was reached first.
    case late
  }

  /// Waits until `deadline`.
  /// - Returns: whether it was reached.
  public func pause(until deadline: MonotonicTime) -> Bool {
    (try? wait(toRead: -1, until: deadline)) == .late
  }

  /// Waits until `descriptor`, -1 for none, has something to read. poll(2)
  package func wait(toRead descriptor: Int32, until deadline: MonotonicTime) throws(SystemError) -> Waited {
    while true {
      var requests = (
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeup.descriptor.raw, events: Int16(POLLIN), revents: 0)
      )
      // Not through `system`: after a signal the time left must be computed anew.
      let count = withUnsafeMutableBytes(of: &requests) { bytes in
        poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, deadline.pollTimeout)
      }
      if count > 0 { return requests.1.revents == 0 ? .readable : .interrupted }
      if count == 0 { return .late }
      let code = errno
      if code != EINTR { throw SystemError(call: "poll", code: code) }
    }
  }
}
