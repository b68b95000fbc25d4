import NIOCore
import Synchronization

/// Closes connections beyond a number at once.
final class ConnectionLimit: Sendable {
  private let most: Int
  private let count = Atomic(0)

  init(_ most: Int) {
    self.most = most
  }

  var open: Int { count.load(ordering: .relaxed) }

  /// Counts a connection until it is closed, or closes it.
  func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard count.add(1, ordering: .relaxed).newValue <= most else {
      count.subtract(1, ordering: .relaxed)
      return channel.close()
    }
    channel.closeFuture.whenComplete { _ in self.count.subtract(1, ordering: .relaxed) }
    return channel.eventLoop.makeSucceededVoidFuture()
  }
}
