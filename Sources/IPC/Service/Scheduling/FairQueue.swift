package import FaceCore

/// A queue with the elements of several users. The next element comes from the user whose work has taken the
/// least time, so that long calls get fewer turns and not more of the workers.
///
/// A user's time counts from its arrival: a user that was away has not saved up turns, and one that was alone
/// does not pay for what it used then. Source: Goyal, Vin, Cheng, "Start-time Fair Queueing", 1996.
package struct FairQueue<Line: WaitingLine>: Sendable {
  private struct User {
    var line = Line()
    var used: TimeSpan
    /// What its last element took.
    var cost = TimeSpan.zero
    /// The number of running elements, paused ones included.
    var running = 0
    /// The number of those that do not count as running, since they wait for others.
    var stalled = 0

    var isIdle: Bool { line.isEmpty && running + stalled == 0 }
  }

  /// Users with waiting or running elements, and users that have used more than `floor`.
  private var users: [UInt32: User] = [:]
  /// Where new users begin: at the time that the last user to get a turn had used, but not ahead of those that run.
  private var floor: TimeSpan = .zero
  /// The number of users with waiting elements, and of running elements.
  private var (waiting, running) = (0, 0)

  package init() {}

  package var isEmpty: Bool { waiting == 0 }
  package var userCount: Int { users.count }

  /// Lets `body` change the elements of `user`.
  package mutating func change<Value>(_ user: UInt32, _ body: (inout Line) -> Value) -> Value {
    var entry = users.removeValue(forKey: user) ?? User(used: floor)
    let wasEmpty = entry.line.isEmpty
    let value = body(&entry.line)
    if wasEmpty, !entry.line.isEmpty { entry.used = max(entry.used, floor) }
    waiting += (wasEmpty ? 0 : -1) + (entry.line.isEmpty ? 0 : 1)
    users[user] = entry
    forget(user)
    return value
  }

  /// What a short element takes at most. It makes no way for others.
  package static var slice: TimeSpan { .milliseconds(50) }

  private func next(limit: Int, beside others: TimeSpan) -> UInt32? {
    // Of users with the same time, the one with fewer running elements.
    var next: (used: TimeSpan, running: Int, user: UInt32)?
    for (user, entry) in users where !entry.line.isEmpty && entry.running < limit {
      let candidate = (entry.used, entry.running, user)
      if let next, next < candidate { continue }
      if entry.cost < Self.slice || entry.used + entry.cost < others { next = candidate }
    }
    return next?.user
  }

  /// Whether `start` would return an element.
  package func canStart(limit: Int, beside others: TimeSpan) -> Bool {
    next(limit: limit, beside: others) != nil
  }

  /// Takes the first element of the user that has used the least time. It runs until `finish`.
  /// - Parameters:
  ///   - limit: how many elements of one user may run at a time.
  ///   - others: the time that a user may have used when an element ends that takes as long as its last one, unless
  ///     that was short.
  /// - Returns: `nil` if there is no element, or no user with elements may have a turn.
  package mutating func start(
    limit: Int, beside others: TimeSpan = .max
  ) -> (user: UInt32, element: Line.Element)? {
    guard let user = next(limit: limit, beside: others), let element = users[user]?.line.popFirst() else {
      return nil
    }
    users[user]?.running += 1
    running += 1
    floor = max(floor, min(used(by: user), others))
    if users[user]?.line.isEmpty == true { waiting -= 1 }
    return (user, element)
  }

  /// Counts time that an element of `user` has taken.
  package mutating func charge(_ user: UInt32, _ time: TimeSpan) { users[user]?.used += time }

  /// Ends an element of `user` that took `cost`, all of it charged.
  package mutating func finish(_ user: UInt32, cost: TimeSpan) {
    users[user]?.running -= 1
    users[user]?.cost = cost
    running -= 1
    assert(running >= 0 && users[user].map { $0.running >= 0 } == true, "an element ends once")
    forget(user)
  }

  /// Lets further elements of `user` run in place of one that waits for others, or ends that.
  package mutating func stall(_ user: UInt32, _ isStalled: Bool) {
    users[user]?.running += isStalled ? -1 : 1
    users[user]?.stalled += isStalled ? 1 : -1
  }

  package func used(by user: UInt32) -> TimeSpan { users[user]?.used ?? floor }

  /// Removes the elements of all users for which `isMeant` is true.
  package mutating func removeAll(where isMeant: (Line.Element) -> Bool) -> [Line.Element] {
    Array(users.keys).flatMap { user in change(user) { $0.removeAll(where: isMeant) } }
  }

  /// Forgets a user without elements that has used no more than `floor`; if there is no element at all, forgets
  /// every user.
  private mutating func forget(_ user: UInt32) {
    if waiting + running == 0 { return users.removeAll(keepingCapacity: users.count < 64) }
    guard let entry = users[user], entry.isIdle else { return }
    if entry.used <= floor { users[user] = nil }
    // The others are looked at rarely enough to cost nothing.
    if users.count > 64 { users = users.filter { !$0.value.isIdle || $0.value.used > floor } }
  }
}
