package import NIOCore

/// A connection whose protocol is known.
package protocol ServedConnection: AnyObject {
  /// Ends what takes too long. Called every second.
  func sweep(_ now: NIODeadline)

  /// The gateway is going to stop: requests continue, and new ones may begin.
  func announceStop()

  /// The gateway is stopping: requests are finished, and no new ones begin.
  func drain()
}

/// The places of a listener's connections. Used on the event loop.
///
/// When all are taken, or an address has its share, the connection that has been without a complete request for
/// longest gives way: silent connections and half-sent requests thus keep nobody out. A few places are kept for
/// health checks.
package final class ConnectionTable {
  /// A place in the table.
  package final class Place {
    package let peer: PeerAddress
    /// Whether it is one of those kept for health checks.
    package let isReserved: Bool
    /// The connection; `nil` while a TLS handshake decides on its protocol.
    package weak var connection: (any ServedConnection)?
    fileprivate let channel: any Channel
    /// The time of its last complete request, or of its start.
    fileprivate var since = NIODeadline.now()
    fileprivate var hadRequest = false
    /// The requests that are being answered.
    private var begunCount = 0

    fileprivate init(_ channel: any Channel, _ peer: PeerAddress, isReserved: Bool) {
      self.channel = channel
      self.peer = peer
      self.isReserved = isReserved
    }

    /// Whether it may give way.
    fileprivate var isIdle: Bool { begunCount == 0 }

    /// A complete request has come, and its answer begins.
    package func requestBegan() {
      begunCount += 1
      hadRequest = true
      since = .now()
    }

    package func requestEnded() {
      begunCount -= 1
      since = .now()
    }
  }

  /// The longest time in which a TLS handshake is done, and a request's head arrives.
  private static let maxHeadTimeout = TimeAmount.seconds(10)
  /// The places for health checks beyond the others.
  private static let reservedCount = 16
  private static let sweepInterval = TimeAmount.seconds(1)

  package let headTimeout: TimeAmount
  private let loop: any EventLoop
  private let most: Int
  private var places: [ObjectIdentifier: Place] = [:]
  private var ordinaryCount = 0
  private var countsByAddress: [String: Int] = [:]
  private var sweeps: Scheduled<Void>?
  private var stopped: EventLoopPromise<Void>?

  /// - Parameter most: the places for any connection.
  package init(_ loop: any EventLoop, most: Int, requestTimeout: TimeAmount) {
    self.loop = loop
    self.most = most
    headTimeout = min(Self.maxHeadTimeout, requestTimeout)
  }

  /// Whether connections are closed after their current answers.
  package var isStopping: Bool { stopped != nil }

  /// Gives a connection a place, if needed that of another one, until it is closed. Throws if every place is in
  /// use.
  package func enter(_ channel: any Channel) throws(ChannelError) -> Place {
    let peer = PeerAddress(channel.remoteAddress)
    guard !isStopping, let place = place(for: channel, peer) else { throw .alreadyClosed }
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
      leave(place)
      if places.isEmpty { stopped?.succeed() }
    }
    if sweeps == nil { scheduleSweep() }
    return place
  }

  private func place(for channel: any Channel, _ peer: PeerAddress) -> Place? {
    let own = countsByAddress[peer.host] ?? 0
    // Half of what others leave, so that one address cannot take every place.
    let share = max(1, (most - (ordinaryCount - own)) / 2)
    if own >= share {
      makeRoom { $0.peer.host == peer.host }
    } else if ordinaryCount >= most {
      makeRoom { _ in true }
    }
    let isFull = ordinaryCount >= most || (countsByAddress[peer.host] ?? 0) >= share
    if isFull, places.count - ordinaryCount >= Self.reservedCount { makeRoom(isReserved: true) { _ in true } }
    guard !isFull || places.count - ordinaryCount < Self.reservedCount else { return nil }
    let place = Place(channel, peer, isReserved: isFull)
    places[ObjectIdentifier(place)] = place
    if !isFull {
      ordinaryCount += 1
      countsByAddress[peer.host, default: 0] += 1
    }
    return place
  }

  private func leave(_ place: Place) {
    guard places.removeValue(forKey: ObjectIdentifier(place)) != nil, !place.isReserved else { return }
    ordinaryCount -= 1
    let left = (countsByAddress[place.peer.host] ?? 1) - 1
    countsByAddress[place.peer.host] = left > 0 ? left : nil
  }

  /// Takes the place of the connection that has been idle for longest among those; one that never had a request
  /// comes first.
  private func makeRoom(isReserved: Bool = false, among isCandidate: (Place) -> Bool) {
    let idle = places.values.filter { $0.isIdle && $0.isReserved == isReserved && isCandidate($0) }
    let longest = idle.min { first, second in
      first.hadRequest == second.hadRequest ? first.since < second.since : second.hadRequest
    }
    guard let longest else { return }
    leave(longest)
    longest.channel.close(promise: nil)
  }

  // MARK: Time

  /// Schedules one timer for all connections, so that requests need none.
  private func scheduleSweep() {
    sweeps = loop.assumeIsolated().scheduleTask(in: Self.sweepInterval) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    sweeps = nil
    if !places.isEmpty { scheduleSweep() }
    let now = NIODeadline.now()
    for place in Array(places.values) {
      if let connection = place.connection {
        connection.sweep(now)
      } else if now - place.since > headTimeout {
        place.channel.close(promise: nil)
      }
    }
  }

  package func announceStop() {
    for place in Array(places.values) { place.connection?.announceStop() }
  }

  /// Finishes the requests that have begun. The future completes when no connection is left.
  package func stop() -> EventLoopFuture<Void> {
    if let stopped { return stopped.futureResult }
    let promise = loop.makePromise(of: Void.self)
    stopped = promise
    if places.isEmpty { promise.succeed() }
    for place in Array(places.values) {
      if let connection = place.connection { connection.drain() } else { place.channel.close(promise: nil) }
    }
    return promise.futureResult
  }
}
