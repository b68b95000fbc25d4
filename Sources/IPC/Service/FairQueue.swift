package import FaceCore

/// Elements of several users. The next one is of the user whose work has taken the least time, so that long calls get
/// fewer turns, not more of the workers.
///
/// A user's time counts from when it came: one that was away has not saved up turns, and one that was alone does not pay
/// for what it had then. Source: Goyal, Vin, Cheng, "Start-time Fair Queueing", 1996.
package struct FairQueue<Line: WaitingLine>: Sendable {
  private struct User {
    var line = Line()
    /// Nanoseconds that its work has taken, but for what runs.
    var used: Int64
    /// Of users that have used as much, the one whose turn is longest ago comes first.
    var turn: UInt64
    /// Elements that run, and the sum of the moments when they began, which may wrap around: what counts is the difference to as
    /// many times the present.
    var running = 0
    var began: Int64 = 0

    func used(by now: MonotonicTime) -> Int64 {
      used &+ (Int64(running) &* now.nanoseconds &- began)
    }

    /// One of the elements is taken out, and runs from `now` on.
    mutating func start(at now: MonotonicTime, turn: UInt64) -> Line.Element? {
      guard let element = line.popFirst() else { return nil }
      self.turn = turn
      running += 1
      began &+= now.nanoseconds
      return element
    }

    mutating func finish(began start: MonotonicTime, at now: MonotonicTime) {
      used += now.nanoseconds - start.nanoseconds
      running -= 1
      began &-= start.nanoseconds
    }
  }

  /// Those with elements that wait or run, and those that have used more than `floor`.
  private var users: [UInt32: User] = [:]
  /// What the last user to get a turn had used by then: where a user begins.
  private var floor: Int64 = 0
  private var lastTurn: UInt64 = 0
  /// Users with elements.
  private var waiting = 0

  package init() {}

  package var isEmpty: Bool { waiting == 0 }

  /// Lets `body` change the elements of `user`.
  /// - Parameter now: by which what runs of the user counts.
  package mutating func change<Value>(
    _ user: UInt32, at now: MonotonicTime = .now(), _ body: (inout Line) -> Value
  ) -> Value {
    let wasEmpty = users[user]?.line.isEmpty ?? true
    let turn = nextTurn()
    let value = body(&users[user, default: User(used: floor, turn: turn)].line)
    switch (wasEmpty, users[user]?.line.isEmpty ?? true) {
    case (true, false):
      waiting += 1
      let used = users[user]?.used(by: now) ?? floor
      if used < floor { users[user]?.used &+= floor - used }
    case (false, true):
      waiting -= 1
      forget(user)
    case (true, true): forget(user)
    case (false, false): break
    }
    return value
  }

  /// The first element of the user that has used the least. It runs until `finish`.
  /// - Parameter limit: how many of one user may run at a time.
  /// - Returns: `nil` where every user with elements has that many, and where there is none.
  package mutating func start(at now: MonotonicTime, limit: Int) -> Line.Element? {
    var next: (user: UInt32, used: Int64, turn: UInt64)?
    for (user, entry) in users where !entry.line.isEmpty && entry.running < limit {
      let used = entry.used(by: now)
      if let best = next, (best.used, best.turn) < (used, entry.turn) { continue }
      next = (user, used, entry.turn)
    }
    guard let next else { return nil }
    let turn = nextTurn()
    let element = users[next.user]?.start(at: now, turn: turn)
    floor = max(floor, next.used)
    if users[next.user]?.line.isEmpty == true { waiting -= 1 }
    return element
  }

  /// An element of `user` that began at `start` has ended, or its turn has.
  package mutating func finish(_ user: UInt32, began: MonotonicTime, at now: MonotonicTime) {
    users[user]?.finish(began: began, at: now)
    forget(user)
  }

  /// Removes the elements that `isMeant` names, of all users.
  package mutating func removeAll(where isMeant: (Line.Element) -> Bool) -> [Line.Element] {
    Array(users.keys).flatMap { user in change(user) { $0.removeAll(where: isMeant) } }
  }

  /// Whether `start` would return one.
  package func canStart(limit: Int) -> Bool {
    users.values.contains { !$0.line.isEmpty && $0.running < limit }
  }

  /// Forgets a user of whom nothing is left, and once nobody waits, all of whom nothing runs.
  private mutating func forget(_ user: UInt32) {
    guard let entry = users[user], entry.line.isEmpty, entry.running == 0 else { return }
    if entry.used <= floor || waiting == 0 { users[user] = nil }
    guard waiting == 0 ? !users.isEmpty : users.count > 64 else { return }
    users = users.filter {
      !$0.value.line.isEmpty || $0.value.running > 0 || waiting > 0 && $0.value.used > floor
    }
  }

  private mutating func nextTurn() -> UInt64 {
    lastTurn += 1
    return lastTurn
  }
}
