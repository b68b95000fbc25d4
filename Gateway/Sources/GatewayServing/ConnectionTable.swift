package import NIOCore

/// A connection whose protocol is known.
package protocol ServedConnection: AnyObject {
  /// Ends what takes too long. Called every second.
  func sweep(_ now: NIODeadline)

  /// The connection has lost its place, and is closed soon: tells the client if the protocol can.
  func placeLost()

  /// The gateway is going to stop: requests continue, and new ones may begin.
  func announceStop()

  /// The gateway is stopping: requests are finished, and no new ones begin.
  func drain()
}

/// The places of a listener's connections. Used on the event loop.
///
/// When all are taken, the connection that has been without a complete request for longest gives way: silent
/// connections and half-sent requests thus keep nobody out. An address takes places only from itself and from those
/// that have more. Beyond these there are spare places, which answer health checks alone: for newcomers when every
/// connection is busy, and for a moment for those that gave way, whose request may be on its way.
package final class ConnectionTable {
  package final class Place {
    package let peer: PeerAddress
    package fileprivate(set) var isSpare: Bool
    /// When it was taken from its connection; `nil` if it was not.
    fileprivate var lost: NIODeadline?
    /// The connection; `nil` while a TLS handshake decides on its protocol.
    package weak var connection: (any ServedConnection)?
    /// `CredentialStore.authoritiesVersion` by which its client's certificate was checked.
    package var authoritiesVersion = 0
    fileprivate let channel: any Channel
    /// The time of its last complete request, or of its start.
    fileprivate var since: NIODeadline
    fileprivate var hadRequest = false
    /// The requests that are being answered.
    fileprivate private(set) var begunCount = 0

    fileprivate init(_ channel: any Channel, _ peer: PeerAddress, isSpare: Bool) {
      self.channel = channel
      self.peer = peer
      self.isSpare = isSpare
      since = channel.eventLoop.now
    }

    /// Whether it may give way.
    fileprivate var isIdle: Bool { begunCount == 0 }

    /// A complete request has come, and its answer begins.
    package func requestBegan() {
      begunCount += 1
      hadRequest = true
      since = channel.eventLoop.now
    }

    package func requestEnded() {
      begunCount -= 1
      assert(begunCount >= 0, "a request ended that had not begun")
      since = channel.eventLoop.now
    }
  }

  /// The connections that wait in the system until they are accepted. A proxy may open many at once.
  package static let backlog: Int32 = 1024
  /// The longest time in which a TLS handshake is done, and a request's head arrives.
  private static let maxHeadTimeout = TimeAmount.seconds(10)
  /// How long a connection that gave way may still bring a request, which is refused with an answer.
  private static let farewell = TimeAmount.seconds(2)
  private static let sweepInterval = TimeAmount.seconds(1)

  package let headTimeout: TimeAmount
  private let loop: any EventLoop
  private let most: Int
  private var places: [ObjectIdentifier: Place] = [:]
  /// The connections that have a place which is not spare.
  package private(set) var ordinaryCount = 0
  package var spareCount: Int { places.count - ordinaryCount }
  /// The connections that gave way since the start.
  package private(set) var evictionCount = 0
  private var countsByAddress: [String: Int] = [:]
  private var sweeps: Scheduled<Void>?
  private var stopped: EventLoopPromise<Int>?

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
      if places.isEmpty { stopped?.succeed(0) }
    }
    if sweeps == nil { scheduleSweep() }
    return place
  }

  private func place(for channel: any Channel, _ peer: PeerAddress) -> Place? {
    if ordinaryCount >= most { makeRoom(for: peer) }
    let isSpare = ordinaryCount >= most
    if isSpare { makeSpareRoom() }
    guard !isSpare || hasSpareRoom else { return nil }
    let place = Place(channel, peer, isSpare: true)
    places[ObjectIdentifier(place)] = place
    assert(spareCount <= Self.spareCount(of: most) + (isSpare ? 0 : 1))
    if !isSpare { makeOrdinary(place) }
    return place
  }

  /// The spare places beside `most` others.
  static func spareCount(of most: Int) -> Int { max(16, most / 2) }

  private var hasSpareRoom: Bool { spareCount < Self.spareCount(of: most) }

  private func makeOrdinary(_ place: Place) {
    assert(place.isSpare && ordinaryCount < most, "there are no more places than `most`")
    place.isSpare = false
    place.lost = nil
    ordinaryCount += 1
    countsByAddress[place.peer.host, default: 0] += 1
  }

  private func makeSpare(_ place: Place) {
    assert(!place.isSpare && ordinaryCount > 0)
    place.isSpare = true
    ordinaryCount -= 1
    let left = (countsByAddress[place.peer.host] ?? 1) - 1
    countsByAddress[place.peer.host] = left > 0 ? left : nil
  }

  private func leave(_ place: Place) {
    guard places.removeValue(forKey: ObjectIdentifier(place)) != nil, !place.isSpare else { return }
    makeSpare(place)
    // The newest one, whose request is most likely on its way.
    guard spareCount > 0, let next = places.values.filter(\.isSpare).max(by: { $0.since < $1.since }) else {
      return
    }
    makeOrdinary(next)
  }

  /// Takes a place from a connection of this address, or of one that has more of them: that which has been idle for
  /// longest. One that never had a request comes first.
  private func makeRoom(for peer: PeerAddress) {
    let own = countsByAddress[peer.host] ?? 0
    let candidates = places.values.filter { place in
      !place.isSpare && place.isIdle
        && (place.peer.host == peer.host || countsByAddress[place.peer.host] ?? 0 > own)
    }
    let longest = candidates.min { first, second in
      first.hadRequest == second.hadRequest ? first.since < second.since : second.hadRequest
    }
    guard let longest else { return }
    evictionCount += 1
    makeSpareRoom()
    guard hasSpareRoom else { return close(longest) }
    makeSpare(longest)
    longest.lost = loop.now
    longest.connection?.placeLost()
  }

  private func makeSpareRoom() {
    if hasSpareRoom { return }
    let longest = places.values.filter { $0.isSpare && $0.isIdle }.min { $0.since < $1.since }
    if let longest { close(longest) }
  }

  private func close(_ place: Place) {
    leave(place)
    place.channel.close(promise: nil)
  }

  // MARK: Time

  /// Schedules one timer for all connections, so that requests need none.
  private func scheduleSweep() {
    sweeps = loop.assumeIsolated().scheduleTask(in: Self.sweepInterval) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    sweeps = nil
    if !places.isEmpty { scheduleSweep() }
    let now = loop.now
    for place in Array(places.values) {
      if let lost = place.lost, place.isIdle, now - lost > Self.farewell {
        place.channel.close(promise: nil)
      } else if let connection = place.connection {
        connection.sweep(now)
      } else if now - place.since > headTimeout {
        place.channel.close(promise: nil)
      }
    }
  }

  package func announceStop() {
    for place in Array(places.values) { place.connection?.announceStop() }
  }

  /// Finishes the requests that have begun. The future completes when no connection is left or the time is over, with
  /// the number of complete requests without an answer.
  package func stop(within time: TimeAmount) -> EventLoopFuture<Int> {
    if let stopped { return stopped.futureResult }
    let promise = loop.makePromise(of: Int.self)
    stopped = promise
    if places.isEmpty { promise.succeed(0) }
    loop.assumeIsolated().scheduleTask(in: time) { [self] in
      promise.succeed(places.values.reduce(0) { $0 + $1.begunCount })
    }
    for place in Array(places.values) {
      if let connection = place.connection { connection.drain() } else { place.channel.close(promise: nil) }
    }
    return promise.futureResult
  }
}
