import FaceCore
import Service

/// What users have of each limited amount, and who may have more: half of what the others leave, and whoever has
/// nothing all of it.
struct LimitModel {
  private let limits: EngineLimits
  private(set) var users: [UInt32: UserAccount] = [:]
  private(set) var total = UserAccount()

  init(_ limits: EngineLimits) { self.limits = limits }

  /// - Returns: the name of the limit that forbids it; `nil` if the user may have it.
  func limit(of amount: UserAccount, for user: UInt32) -> String? {
    let own = users[user] ?? UserAccount()
    if amount.checks > 0, own.checks + amount.checks > limits.checksPerUser { return "checks_per_user" }
    if own.mappedBytes + amount.mappedBytes > limits.mappedBytesPerUser { return "mapped_bytes_per_user" }
    let shares: [(String, Int, KeyPath<UserAccount, Int>)] = [
      ("queued_calls", limits.queuedCalls, \.queuedCalls),
      ("queued_bytes", limits.queuedBytes, \.queuedBytes),
      ("queued_bytes", limits.queuedBytes, \.frameBytes),
      ("incoming_bytes", limits.incomingBytes, \.incomingBytes),
      ("checks", limits.checks, \.checks), ("mapped_bytes", limits.mappedBytes, \.mappedBytes),
    ]
    return shares.first { _, limit, kind in
      let left = limit - (total[keyPath: kind] - own[keyPath: kind])
      let most = own[keyPath: kind] == 0 ? left : left - left / 2
      return amount[keyPath: kind] > 0 && own[keyPath: kind] + amount[keyPath: kind] > most
    }?.0
  }

  /// The most of one kind that the user may have in addition.
  func most(_ kind: WritableKeyPath<UserAccount, Int>, for user: UInt32) -> Int {
    var amount = UserAccount()
    var (low, high) = (0, 1 << 20)
    while low < high {
      amount[keyPath: kind] = (low + high + 1) / 2
      if limit(of: amount, for: user) == nil {
        low = amount[keyPath: kind]
      } else {
        high = amount[keyPath: kind] - 1
      }
    }
    return low
  }

  /// What is wrong with how a reservation went.
  func fault(_ failure: Status?, _ amount: UserAccount, for user: UInt32) -> String? {
    let expected = limit(of: amount, for: user).map { StatusDetail.limit($0) }
    if failure?.detail == expected, failure.map({ $0.code == .resourceExhausted }) ?? true { return nil }
    return
      "user \(user) gets \(failure?.description ?? "all") of \(amount), and \(expected.map { "\($0)" } ?? "no limit") is passed"
  }

  mutating func add(_ amount: UserAccount, of user: UInt32, times: Int = 1) {
    let kinds: [WritableKeyPath<UserAccount, Int>] = [
      \.connections, \.checks, \.queuedCalls, \.queuedBytes, \.frameBytes, \.mappedBytes, \.incomingBytes,
    ]
    for kind in kinds {
      users[user, default: UserAccount()][keyPath: kind] += times * amount[keyPath: kind]
      total[keyPath: kind] += times * amount[keyPath: kind]
    }
    if users[user] == UserAccount() { users[user] = nil }
  }
}
