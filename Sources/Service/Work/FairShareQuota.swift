package import FaceCore

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
