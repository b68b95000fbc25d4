package import FaceCore
import Posix
import Synchronization

/// The resources in use by one user that the engine limits by user; also an amount to be added to them.
package struct UserAccount: Equatable, Sendable {
  /// Connections, including those that are refused with an answer.
  package var connections: Int
  /// Guided checks whose picture the engine keeps.
  package var checks: Int
  /// Calls and frames that wait for a worker.
  package var queuedCalls: Int
  /// Message bytes of the queued calls.
  package var queuedBytes: Int
  /// Bytes of frames that wait in their streams.
  package var frameBytes: Int
  /// Bytes of mapped shared memory.
  package var mappedBytes: Int
  /// Bytes of large messages that are still arriving.
  package var incomingBytes: Int

  package init(
    connections: Int = 0, checks: Int = 0, queuedCalls: Int = 0, queuedBytes: Int = 0, frameBytes: Int = 0,
    mappedBytes: Int = 0, incomingBytes: Int = 0
  ) {
    self.connections = connections
    self.checks = checks
    self.queuedCalls = queuedCalls
    self.queuedBytes = queuedBytes
    self.frameBytes = frameBytes
    self.mappedBytes = mappedBytes
    self.incomingBytes = incomingBytes
  }

  /// Adds `amounts` `times` times; -1 subtracts them.
  fileprivate mutating func add(_ amounts: UserAccount, times: Int = 1) {
    connections += times * amounts.connections
    checks += times * amounts.checks
    queuedCalls += times * amounts.queuedCalls
    queuedBytes += times * amounts.queuedBytes
    frameBytes += times * amounts.frameBytes
    mappedBytes += times * amounts.mappedBytes
    incomingBytes += times * amounts.incomingBytes
    assert(
      min(connections, checks, queuedCalls) >= 0
        && min(queuedBytes, frameBytes, mappedBytes, incomingBytes) >= 0, "an amount is released once")
  }
}

/// An amount in a user's account, subtracted on release or with the last reference to this object. Safe to
/// use from any thread.
package final class Reservation: Sendable {
  private let accounts: UserAccounts
  private let user: UInt32
  private let amounts: UserAccount
  private let isReleased = Atomic(false)

  fileprivate init(_ amounts: UserAccount, of user: UInt32, in accounts: UserAccounts) {
    self.accounts = accounts
    self.user = user
    self.amounts = amounts
  }

  deinit { release() }

  /// Subtracts the amount; the second call does nothing.
  func release() {
    if isReleased.exchange(true, ordering: .relaxed) { return }
    accounts.subtract(amounts, of: user)
  }
}

/// The accounts of all users and their limits. Safe to use from any thread.
package final class UserAccounts: Sendable {
  private struct State {
    /// The accounts that are not empty.
    var users: [UInt32: UserAccount] = [:]
    var total = UserAccount()

    mutating func add(_ amounts: UserAccount, of user: UInt32, times: Int = 1) {
      users[user, default: UserAccount()].add(amounts, times: times)
      if users[user] == UserAccount() { users[user] = nil }
      total.add(amounts, times: times)
      assert(!users.isEmpty || total == UserAccount(), "the total is the sum of all users")
    }
  }

  private let limits: EngineLimits
  private let state = Monitor(State())

  package init(_ limits: EngineLimits) {
    self.limits = limits
  }

  /// The sum over all users.
  package var total: UserAccount { state.withLock { $0.total } }

  /// The number of users that have anything.
  package var userCount: Int { state.withLock { $0.users.count } }

  /// Adds `amounts` to the account of `user`. Throws `resourceExhausted`, naming the limit, if it would be
  /// exceeded.
  package func reserve(_ amounts: UserAccount, for user: UInt32) throws(Status) -> Reservation {
    try state.withLock { (state) throws(Status) in
      let own = state.users[user] ?? UserAccount()
      let total = state.total
      guard amounts.checks == 0 || own.checks < limits.checksPerUser else {
        throw Status(
          .resourceExhausted,
          "uid \(user) has \(own.checks) guided checks open, which is the limit of a user; end a check first",
          .limit("checks_per_user"))
      }
      let mapped = own.mappedBytes
      guard amounts.mappedBytes <= limits.mappedBytesPerUser - mapped else {
        throw Status(
          .resourceExhausted,
          "uid \(user) shares \(mapped) bytes with the engine and may share \(limits.mappedBytesPerUser), "
            + "which leaves no room for \(amounts.mappedBytes) more; "
            + "release other images, or start the engine with a larger --limit mapped-bytes-per-user",
          .limit("mapped_bytes_per_user"))
      }
      let shares: [6 of (name: StaticString, limit: Int, amount: Int, own: Int, total: Int)] = [
        ("queued_calls", limits.queuedCalls, amounts.queuedCalls, own.queuedCalls, total.queuedCalls),
        ("queued_bytes", limits.queuedBytes, amounts.queuedBytes, own.queuedBytes, total.queuedBytes),
        ("queued_bytes", limits.queuedBytes, amounts.frameBytes, own.frameBytes, total.frameBytes),
        (
          "incoming_bytes", limits.incomingBytes, amounts.incomingBytes, own.incomingBytes,
          total.incomingBytes
        ),
        ("checks", limits.checks, amounts.checks, own.checks, total.checks),
        ("mapped_bytes", limits.mappedBytes, amounts.mappedBytes, own.mappedBytes, total.mappedBytes),
      ]
      for index in shares.indices where shares[index].amount > 0 {
        let (name, limit, amount, own, total) = shares[index]
        // A user may have half of what others have left, and one that has nothing yet, all of it.
        let left = limit - (total - own)
        let share = own == 0 ? left : left - left / 2
        guard own <= share, amount <= share - own else {
          throw Status(
            .resourceExhausted,
            "the engine is busy: of \(limit) \(name) in all, uid \(user) has \(own) and all users have \(total); "
              + "try again later",
            .limit("\(name)"))
        }
      }
      state.add(amounts, of: user)
    }
    return Reservation(amounts, of: user, in: self)
  }

  /// Adds `amounts` to the account of `user` without checking the limits.
  func reserveUnchecked(_ amounts: UserAccount, for user: UInt32) -> Reservation {
    state.withLock { state in state.add(amounts, of: user) }
    return Reservation(amounts, of: user, in: self)
  }

  /// The decision about a new connection.
  enum Admission {
    /// - Parameter refusal: the answer to each of its calls; `nil` for a connection that is served.
    case accepted(Reservation, refusal: Status?)
    /// Closed without an answer, since too many have been refused with one.
    case rejected
  }

  /// Admits a connection. Each user has a share of its own; the limit for all connections protects the
  /// process.
  func admitConnection(of user: UInt32) -> Admission {
    let perUser = limits.connectionsPerUser
    let open = state.withLock { state -> Int? in
      let open = state.users[user]?.connections ?? 0
      guard state.total.connections < limits.connections, open < perUser * 2 else { return nil }
      state.add(UserAccount(connections: 1), of: user)
      return open
    }
    guard let open else { return .rejected }
    let refusal = Status(
      .resourceExhausted,
      "uid \(user) has \(perUser) connections open, which is the limit of a user; close a connection, or share one",
      .limit("connections_per_user"))
    return .accepted(
      Reservation(UserAccount(connections: 1), of: user, in: self), refusal: open < perUser ? nil : refusal)
  }

  fileprivate func subtract(_ amounts: UserAccount, of user: UInt32) {
    state.withLock { state in state.add(amounts, of: user, times: -1) }
  }
}
