import FaceCore
import Posix

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
