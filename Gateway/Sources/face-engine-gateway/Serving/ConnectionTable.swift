import NIOCore

/// A connection that gives its place to another one.
protocol TabledConnection: AnyObject {
  var peer: PeerAddress { get }

  /// Closes the connection at once.
  func giveWay()
}

/// The places of a listener's connections. Used on the event loop.
///
/// When all are taken, or an address has its share, the connection that has been without a complete request for longest
/// gives way: silent connections and half-sent requests thus keep nobody out. A few places are kept for health checks.
final class ConnectionTable {
  /// A place in the table.
  final class Place {
    fileprivate let address: String
    fileprivate weak var connection: (any TabledConnection)?
    /// Whether it is one of those kept for health checks.
    fileprivate(set) var isReserved: Bool
    /// The time of its last complete request, or of its start.
    fileprivate var since = NIODeadline.now()
    fileprivate var hadRequest = false
    /// The requests that are being answered.
    private var begunCount = 0

    fileprivate init(_ connection: any TabledConnection, isReserved: Bool) {
      self.connection = connection
      address = connection.peer.host
      self.isReserved = isReserved
    }

    /// Whether it may give way.
    fileprivate var isIdle: Bool { begunCount == 0 }

    /// A complete request has come, and its answer begins.
    func requestBegan() {
      begunCount += 1
      hadRequest = true
      since = .now()
    }

    func requestEnded() {
      begunCount -= 1
      since = .now()
    }
  }

  /// The places for health checks beyond the others.
  private static let reservedCount = 16

  private let most: Int
  private var places: [ObjectIdentifier: Place] = [:]
  private var ordinaryCount = 0
  private var countsByAddress: [String: Int] = [:]

  /// - Parameter most: the places for any connection.
  init(most: Int) {
    self.most = most
  }

  var isEmpty: Bool { places.isEmpty }

  /// Gives a connection a place, if needed that of another one. Returns `nil` if every place is in use.
  func enter(_ connection: any TabledConnection) -> Place? {
    let address = connection.peer.host
    let own = countsByAddress[address] ?? 0
    // Half of what others leave, so that one address cannot take every place.
    let share = max(1, (most - (ordinaryCount - own)) / 2)
    if own >= share {
      makeRoom { $0.address == address }
    } else if ordinaryCount >= most {
      makeRoom { _ in true }
    }
    let isFull = ordinaryCount >= most || (countsByAddress[address] ?? 0) >= share
    if isFull, places.count - ordinaryCount >= Self.reservedCount { makeRoom(isReserved: true) { _ in true } }
    guard !isFull || places.count - ordinaryCount < Self.reservedCount else { return nil }
    let place = Place(connection, isReserved: isFull)
    places[ObjectIdentifier(place)] = place
    if !isFull {
      ordinaryCount += 1
      countsByAddress[address, default: 0] += 1
    }
    return place
  }

  /// Frees a place. Does nothing for one that is free.
  func leave(_ place: Place) {
    guard places.removeValue(forKey: ObjectIdentifier(place)) != nil, !place.isReserved else { return }
    ordinaryCount -= 1
    let left = (countsByAddress[place.address] ?? 1) - 1
    countsByAddress[place.address] = left > 0 ? left : nil
  }

  /// Takes the place of the connection that has been idle for longest among those; one that never had a request comes first.
  private func makeRoom(isReserved: Bool = false, among isCandidate: (Place) -> Bool) {
    let idle = places.values.filter { $0.isIdle && $0.isReserved == isReserved && isCandidate($0) }
    guard
      let place = idle.min(by: {
        !$0.hadRequest && $1.hadRequest || ($0.hadRequest == $1.hadRequest && $0.since < $1.since)
      })
    else { return }
    leave(place)
    place.connection?.giveWay()
  }
}
