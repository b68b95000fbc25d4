import NIOCore
import Synchronization

/// Closes connections beyond a number at once, and those that bring no call in time.
final class ConnectionLimit: Sendable {
  private let most: Int
  private let timeout: TimeAmount
  /// Connections that are open, and whether each has brought a call.
  private let open = Mutex<[ObjectIdentifier: Bool]>([:])

  init(_ most: Int, timeout: TimeAmount) {
    self.most = most
    self.timeout = timeout
  }

  /// Counts a connection until it is closed, or closes it.
  func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
    let id = ObjectIdentifier(channel)
    let isAdmitted = open.withLock { open in
      guard open.count < most else { return false }
      open[id] = false
      return true
    }
    guard isAdmitted else { return channel.close() }
    let timer = channel.eventLoop.scheduleTask(in: timeout) {
      if self.open.withLock({ $0[id] }) == false { channel.close(promise: nil) }
    }
    channel.closeFuture.whenComplete { _ in
      timer.cancel()
      self.open.withLock { $0[id] = nil }
    }
    return channel.eventLoop.makeSucceededVoidFuture()
  }

  /// A connection has brought a call.
  func callCame(on channel: (any Channel)?) {
    guard let channel else { return }
    open.withLock { open in
      let id = ObjectIdentifier(channel)
      if open[id] == false { open[id] = true }
    }
  }
}
