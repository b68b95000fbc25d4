package import FaceCore
import Posix

/// How much of something waits, calls or bytes, of each user and in all.
package struct FairShareQuota: Sendable {
  /// What it is called on the wire, and how much of it may wait in all.
  private let name: StaticString
  private let limit: Int
  private(set) var total = 0
  private var users: [UInt32: Int] = [:]

  package init(_ name: StaticString, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// Throws `resourceExhausted` where `amount` more of `user` would leave too little for others: a user may have half of
  /// what others have left, and one whose first it is, all of that.
  package func check(_ amount: Int, of user: UInt32) throws(Status) {
    let own = users[user, default: 0]
    let left = limit - (total - own)
    let share = own == 0 ? left : left - left / 2
    guard own <= share, amount <= share - own else {
      throw Status(
        .resourceExhausted,
        "the engine is busy: of uid \(user) there wait \(own), of all users \(total) of \(limit) \(name); try again later",
        .limit("\(name)"))
    }
  }

  package mutating func add(_ amount: Int, of user: UInt32) {
    total += amount
    users[user, default: 0] += amount
  }

  package mutating func subtract(_ amount: Int, of user: UInt32) {
    total -= amount
    let left = users[user, default: 0] - amount
    users[user] = left > 0 ? left : nil
  }
}

/// Who may connect, by how many connections there are. A user's share is its own; the total protects the process.
struct Admission {
  enum Verdict: Equatable {
    case welcome
    /// May say what it wants, and is told why it does not get it.
    case refuse(Status)
    /// So many have been told already that this one is closed without a word.
    case close
  }

  private let perUser: Int
  private let total: Int
  private var users: [UInt32: Int] = [:]
  private var count = 0

  init(_ limits: ServiceLimits) {
    perUser = limits.connectionsPerUser
    total = limits.connections
  }

  /// Counts a new connection of `user`, unless it is to be closed.
  mutating func enter(user: UInt32) -> Verdict {
    let open = users[user, default: 0]
    guard count < total, open < perUser * 2 else { return .close }
    users[user] = open + 1
    count += 1
    if open < perUser { return .welcome }
    return .refuse(
      Status(
        .resourceExhausted,
        "uid \(user) has \(perUser) connections open, as many as one user may; close one, or share it",
        .limit("connections_per_user")))
  }

  /// A connection that was counted is gone.
  mutating func leave(user: UInt32) {
    guard let open = users[user] else { return }
    users[user] = open > 1 ? open - 1 : nil
    count -= 1
  }
}
