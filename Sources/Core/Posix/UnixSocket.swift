import CPosixShims
public import FaceCore
import Glibc

/// The result of a non-blocking transfer.
public enum Transfer: Equatable, Sendable {
  /// The number of bytes, at least one.
  case bytes(Int)
  /// No bytes can be transferred now; wait for readiness.
  case notNow
  /// The peer is gone: nothing more will come, or nothing more is taken.
  case ended
}

/// One end of a connected Unix stream socket; blocks only where stated, and never raises SIGPIPE. unix(7)
///
/// One thread may read while another writes.
public struct UnixSocket: ~Copyable, Sendable, Pollable {
  package let descriptor: Descriptor
  public var pollableDescriptor: Int32 { descriptor.raw }

  package init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Connects to the process that listens at `path`, waiting for a place in its queue if necessary.
  ///
  /// Throws `notFound` when there is no such file, `unavailable` when no process listens there any more, and
  /// `deadlineExceeded`. connect(2)
  public init(connectingTo path: SocketPath, until deadline: MonotonicTime = .never) throws(Status) {
    do {
      self.init(try Self.connect(path, until: deadline))
    } catch {
      if error.code == EAGAIN {
        throw Status(
          .deadlineExceeded, "the engine at \(path) accepted no connection in time; try again later")
      }
      let failure = error.status("cannot connect to \(path)")
      guard error.code == EACCES, let group = FileSystem.groupThatMayWrite(path.description) else {
        throw failure
      }
      throw Status(
        failure.code,
        "\(failure.message); members of its group may: `usermod -aG \(group) USER` as root, then log in again"
      )
    }
  }

  package static func connect(
    _ path: SocketPath, until deadline: MonotonicTime
  ) throws(SystemError) -> Descriptor {
    let descriptor = try open()
    if deadline != .never {
      // The send timeout limits a blocking connect of a Unix socket.
      let left = max(.microseconds(1), deadline - .now())
      var time = timeval(
        tv_sec: Int(left / .seconds(1)), tv_usec: Int(left.nanoseconds % 1_000_000_000 / 1000))
      _ = try system("setsockopt") {
        setsockopt(descriptor.raw, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      }
    }
    _ = try path.withAddress { (address, size) throws(SystemError) in
      try system("connect") { [raw = descriptor.raw] in Glibc.connect(raw, address, size) }
    }
    _ = try system("fcntl") { [raw = descriptor.raw] in face_posix_set_nonblocking(raw) }
    return descriptor
  }

  /// Opens a blocking socket that is not connected. socket(2)
  static func open() throws(SystemError) -> Descriptor {
    Descriptor(owning: try system("socket") { face_posix_socket(Int32(SOCK_STREAM.rawValue)) })
  }

  /// Returns two connected sockets. socketpair(2)
  public static func pair() throws(Status) -> SocketPair { try pair(SOCK_STREAM) }

  /// Returns two connected sockets that keep the bounds of messages: each write is one message, and a read
  /// returns one; the part that does not fit into its buffer is lost. socketpair(2), SOCK_SEQPACKET
  public static func packetPair() throws(Status) -> SocketPair { try pair(SOCK_SEQPACKET) }

  private static func pair(_ type: __socket_type) throws(Status) -> SocketPair {
    var raw: [Int32] = [-1, -1]
    _ = try system("socketpair", "cannot make a pair of sockets") {
      face_posix_socket_pair(Int32(type.rawValue), &raw)
    }
    return SocketPair(
      first: UnixSocket(Descriptor(owning: raw[0])), second: UnixSocket(Descriptor(owning: raw[1])))
  }

  /// Reads available bytes into `buffer`, which must not be empty. recv(2)
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Status) -> Transfer {
    do {
      let flags = Int32(MSG_DONTWAIT)
      let count = try system("recv") { recv(descriptor.raw, buffer.baseAddress, buffer.count, flags) }
      return count == 0 ? .ended : .bytes(count)
    } catch {
      return try Self.transfer(error, "cannot read from the peer")
    }
  }

  /// The result of reading bytes together with descriptors.
  public struct Received: Sendable {
    public let transfer: Transfer
    /// Whether descriptors were lost: too many came at once, or this process has no room for them. The kernel
    /// has closed those; the ones that were received must still be closed.
    public let lostDescriptors: Bool

    package init(transfer: Transfer, lostDescriptors: Bool) {
      (self.transfer, self.lostDescriptors) = (transfer, lostDescriptors)
    }
  }

  /// Reads available bytes into `buffer`, which must not be empty, and the descriptors that came with them,
  /// at most two. The kernel returns no more in one call than were sent in one. recvmsg(2), SCM_RIGHTS
  public func receive(
    into buffer: UnsafeMutableRawBufferPointer, _ take: (consuming Descriptor) -> Void
  ) throws(Status) -> Received {
    var raw: (Int32, Int32) = (-1, -1)
    var count: Int32 = 0
    var lost: Int32 = 0
    do {
      let received = try system("recvmsg") {
        withUnsafeMutableBytes(of: &raw) { descriptors in
          face_posix_receive(
            descriptor.raw, buffer.baseAddress, buffer.count,
            descriptors.assumingMemoryBound(to: Int32.self).baseAddress, &count, &lost)
        }
      }
      if count > 0 { take(Descriptor(owning: raw.0)) }
      if count > 1 { take(Descriptor(owning: raw.1)) }
      return Received(transfer: received == 0 ? .ended : .bytes(received), lostDescriptors: lost != 0)
    } catch {
      return Received(transfer: try Self.transfer(error, "cannot read from the peer"), lostDescriptors: false)
    }
  }

  /// Writes `bytes`, which must not be empty, and a copy of `passed`, which the peer receives with the first
  /// of them. If not all bytes fit, the rest is written without it. sendmsg(2), SCM_RIGHTS
  public func write(
    _ bytes: UnsafeRawBufferPointer, passing passed: borrowing Descriptor
  ) throws(Status) -> Transfer {
    try write(bytes, passing: passed.raw)
  }

  /// The same for the number of a descriptor, which must stay open until this returns.
  package func write(_ bytes: UnsafeRawBufferPointer, passing passed: Int32) throws(Status) -> Transfer {
    try Self.write(bytes, passing: passed, to: descriptor.raw)
  }

  /// The same to a socket that has another owner, such as an event loop, and stays open until this returns.
  public static func write(
    _ bytes: UnsafeRawBufferPointer, passing passed: borrowing Descriptor, to socket: Int32
  ) throws(Status) -> Transfer {
    try write(bytes, passing: passed.raw, to: socket)
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, passing passed: Int32, to socket: Int32
  ) throws(Status) -> Transfer {
    do {
      return .bytes(
        try system("sendmsg") { face_posix_send(socket, bytes.baseAddress, bytes.count, passed, -1) })
    } catch {
      return try transfer(error, "cannot write to the peer")
    }
  }

  /// Writes as much of `bytes`, which must not be empty, as fits now. send(2)
  public func write(_ bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer {
    let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    do {
      return .bytes(try system("send") { send(descriptor.raw, bytes.baseAddress, bytes.count, flags) })
    } catch {
      return try Self.transfer(error, "cannot write to the peer")
    }
  }

  private static func transfer(_ error: SystemError, _ subject: String) throws(Status) -> Transfer {
    switch error.code {
    case EAGAIN, EWOULDBLOCK: return .notNow
    case EPIPE, ECONNRESET, ENOTCONN: return .ended
    default: throw error.status(subject)
    }
  }

  /// Whether the peer has closed its end, whatever it sent before. poll(2)
  public var isAbandoned: Bool {
    var item = pollfd(fd: descriptor.raw, events: 0, revents: 0)
    return poll(&item, 1, 0) == 1 && item.revents & Int16(POLLHUP | POLLERR) != 0
  }

  /// Waits until the socket is ready for one of `interest`, or the peer is gone. Returns false when
  /// `deadline` is reached first. poll(2)
  public func wait(for interest: Poller.Interest, until deadline: MonotonicTime) throws(Status) -> Bool {
    let events = Int16(truncatingIfNeeded: interest.rawValue)
    while true {
      var request = pollfd(fd: descriptor.raw, events: events, revents: 0)
      // Not through `system`: after a signal the remaining time must be computed again.
      let count = poll(&request, 1, deadline.pollTimeout)
      if count > 0 { return true }
      if count == 0 { return false }
      let code = errno
      if code != EINTR { throw SystemError(call: "poll", code: code).status("cannot wait for the peer") }
    }
  }

  /// Returns the process at the other end. getsockopt(2), SO_PEERCRED
  public func peer() throws(Status) -> Peer {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    _ = try system("getsockopt", "cannot tell who the peer is") {
      face_posix_peer(descriptor.raw, &process, &user, &group)
    }
    return Peer(process: process, user: user, group: group)
  }

  /// Returns all groups of the peer, including its primary one. getsockopt(2), SO_PEERGROUPS
  public func peerGroups() throws(Status) -> [UInt32] {
    var groups = [UInt32](repeating: 0, count: 64)
    while true {
      let room = Int32(groups.count)
      let count = Int(
        try system("getsockopt", "cannot tell the peer's groups") {
          face_posix_peer_groups(descriptor.raw, &groups, room)
        })
      if count <= groups.count { return try [peer().group] + groups.prefix(count) }
      groups = [UInt32](repeating: 0, count: count)
    }
  }

  /// Signals the end of the stream to the peer; this side can still read. shutdown(2)
  public func finishWriting() {
    _ = shutdown(descriptor.raw, Int32(SHUT_WR))
  }
}

/// The process at the other end of a Unix socket, as the kernel knows it from the moment of connecting.
public struct Peer: Equatable, Hashable, Sendable, CustomStringConvertible {
  public let process: Int32
  public let user: UInt32
  public let group: UInt32

  package init(process: Int32, user: UInt32, group: UInt32) {
    self.process = process
    self.user = user
    self.group = group
  }

  public var description: String { "pid \(process) uid \(user)" }
}

/// Two connected sockets; a tuple cannot hold noncopyable values.
public struct SocketPair: ~Copyable, Sendable {
  public var first: UnixSocket
  public var second: UnixSocket

  /// Closes the first socket and returns the second one.
  public consuming func takeSecond() -> UnixSocket { second }
}

extension UnixSocket {
  /// The result of a wait that can be interrupted.
  public enum Readiness: Sendable {
    /// There is something to read, or the peer is gone.
    case readable
    /// The wake-up was signalled, and has been cleared.
    case woken
    /// The deadline was reached first.
    case nothing
  }

  /// Waits until there is something to read, or until `wakeup` is signalled. poll(2)
  public func waitToRead(or wakeup: borrowing Wakeup, until deadline: MonotonicTime) throws(Status)
    -> Readiness
  {
    let events = Int16(POLLIN)
    while true {
      var requests = (
        pollfd(fd: descriptor.raw, events: events, revents: 0),
        pollfd(fd: wakeup.descriptor.raw, events: events, revents: 0)
      )
      // Not through `system`: after a signal the remaining time must be computed again.
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

  /// Ends the connection in both directions while the socket stays open: threads that wait or read see the
  /// end of the stream. shutdown(2)
  public func shutDown() {
    _ = shutdown(descriptor.raw, Int32(SHUT_RDWR))
  }
}
