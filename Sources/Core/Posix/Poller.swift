import CPosixShims
public import FaceCore
import Glibc

/// Something that a `Poller` can wait for.
public protocol Pollable: ~Copyable {
  /// The number, for system calls made while this value lives; it must not be closed or kept.
  var pollableDescriptor: Int32 { get }
}

/// Registers file descriptors with epoll and waits for events. Each descriptor has a token of the caller's
/// choice. Level-triggered. epoll(7)
///
/// Used by one thread.
public struct Poller: ~Copyable {
  private let descriptor: Descriptor
  private let events: UnsafeMutableBufferPointer<epoll_event>

  /// The events that are awaited for a descriptor. A peer that is gone is always reported.
  public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let read = Interest(rawValue: 1)
    public static let write = Interest(rawValue: 4)
  }

  public struct Event: Sendable {
    public let token: UInt64
    public let readable: Bool
    public let writable: Bool
    /// The peer is gone, or the descriptor broke. What the peer sent before may still be read.
    public let ended: Bool

    package init(token: UInt64, readable: Bool, writable: Bool, ended: Bool) {
      (self.token, self.readable, self.writable, self.ended) = (token, readable, writable, ended)
    }
  }

  /// - Parameter batch: the most events that one `wait` reports. epoll_create1(2)
  public init(batch: Int = 64) throws(Status) {
    descriptor = Descriptor(
      owning: try system("epoll_create1", "cannot wait for sockets") { face_posix_epoll() })
    events = .allocate(capacity: batch)
    events.initialize(repeating: epoll_event())
  }

  deinit {
    events.deallocate()
  }

  /// Adds a descriptor, which must be removed before it is closed. epoll_ctl(2)
  public func add(_ item: borrowing some Pollable & ~Copyable, token: UInt64, for interest: Interest)
    throws(Status)
  {
    try control(EPOLL_CTL_ADD, item.pollableDescriptor, token, interest)
  }

  /// Changes the events that are awaited. epoll_ctl(2)
  public func change(
    _ item: borrowing some Pollable & ~Copyable, token: UInt64, to interest: Interest
  ) throws(Status) {
    try control(EPOLL_CTL_MOD, item.pollableDescriptor, token, interest)
  }

  /// Removes a descriptor. epoll_ctl(2)
  public func remove(_ item: borrowing some Pollable & ~Copyable) {
    _ = epoll_ctl(descriptor.raw, EPOLL_CTL_DEL, item.pollableDescriptor, nil)
  }

  private func control(
    _ operation: Int32, _ raw: Int32, _ token: UInt64, _ interest: Interest
  ) throws(Status) {
    var event = epoll_event()
    event.events = interest.rawValue
    event.data.u64 = token
    _ = try system("epoll_ctl", "cannot wait for a socket") {
      epoll_ctl(descriptor.raw, operation, raw, &event)
    }
  }

  /// Calls `body`, which may add and remove descriptors, once for each that is ready; returns without a call
  /// when `deadline` is reached first. epoll_wait(2)
  public func wait(until deadline: MonotonicTime, _ body: (Event) -> Void) throws(Status) {
    guard let room = events.baseAddress else { return }
    let timeout = deadline.pollTimeout
    let count = Int(
      try system("epoll_wait", "cannot wait for sockets") {
        epoll_wait(descriptor.raw, room, Int32(events.count), timeout)
      })
    for event in events.prefix(count) {
      body(
        Event(
          token: event.data.u64,
          readable: event.events & EPOLLIN.rawValue != 0,
          writable: event.events & EPOLLOUT.rawValue != 0,
          ended: event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0))
    }
  }
}
