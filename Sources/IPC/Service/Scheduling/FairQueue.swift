package import FaceCore

/// A queue with the elements of several users. The next element comes from the user whose work has taken the
/// least time, so that long calls get fewer turns and not more of the workers.
///
/// A user's time counts from its arrival: a user that was away has not saved up turns, and one that was alone
/// does not pay for what it used then. Source: Goyal, Vin, Cheng, "Start-time Fair Queueing", 1996.
package struct FairQueue<Line: WaitingLine>: Sendable {
  private struct User {
    var line = Line()
    /// Time that the user's finished work has taken.
    var used: TimeSpan
    /// The number of its last turn. Among users with equal time, the one with the oldest turn comes first.
    var turn: UInt64
    /// The number of running elements, paused ones included.
    var running = 0
    /// The number of those that are not paused, and the sum of the times at which they began or were resumed.
    /// The sum may wrap around: only its difference to `active` times the present counts.
    var active = 0
    var began: Int64 = 0

    func used(by now: MonotonicTime) -> TimeSpan {
      TimeSpan(nanoseconds: used.nanoseconds &+ (Int64(active) &* now.nanoseconds &- began))
    }

    /// Takes out an element, which runs from `now` on.
    mutating func start(at now: MonotonicTime, turn: UInt64) -> Line.Element? {
      guard let element = line.popFirst() else { return nil }
      self.turn = turn
      running += 1
      resume(at: now)
      return element
    }

    mutating func pause(began start: MonotonicTime, at now: MonotonicTime) {
      used += now - start
      active -= 1
      began &-= start.nanoseconds
      assert(active >= 0 && active <= running, "a turn is paused or ended once")
    }

    mutating func resume(at now: MonotonicTime) {
      active += 1
      began &+= now.nanoseconds
      assert(active <= running, "what is resumed was paused")
    }
  }

  /// Users with waiting or running elements, and users that have used more than `floor`.
  private var users: [UInt32: User] = [:]
  /// The time used by the last user when it got its turn: new users begin there.
  private var floor: TimeSpan = .zero
  private var lastTurn: UInt64 = 0
  /// The number of users with waiting elements.
  private var waiting = 0

  package init() {}

  package var isEmpty: Bool { waiting == 0 }

  /// Lets `body` change the elements of `user`.
  /// - Parameter now: the time up to which the user's running elements count.
  package mutating func change<Value>(
    _ user: UInt32, at now: MonotonicTime, _ body: (inout Line) -> Value
  ) -> Value {
    let wasEmpty = users[user]?.line.isEmpty ?? true
    let turn = nextTurn()
    let value = body(&users[user, default: User(used: floor, turn: turn)].line)
    switch (wasEmpty, users[user]?.line.isEmpty ?? true) {
    case (true, false):
      waiting += 1
      let used = users[user]?.used(by: now) ?? floor
      if used < floor { users[user]?.used += floor - used }
    case (false, true):
      waiting -= 1
      forget(user)
    case (true, true): forget(user)
    case (false, false): break
    }
    assert(waiting >= 0 && waiting <= users.count, "each user with elements counts once")
    return value
  }

  /// Takes the first element of the user that has used the least time. It runs until `finish`.
  /// - Parameters:
  ///   - limit: how many elements of one user may run at a time.
  ///   - mayStart: whether a user that has used so much time may have a turn.
  /// - Returns: `nil` if there is no element, or no user with elements may have a turn.
  package mutating func start(
    at now: MonotonicTime, limit: Int, where mayStart: (UInt32, TimeSpan) -> Bool = { _, _ in true }
  ) -> (user: UInt32, element: Line.Element)? {
    var next: (user: UInt32, used: TimeSpan, turn: UInt64)?
    for (user, entry) in users where !entry.line.isEmpty && entry.running < limit {
      let used = entry.used(by: now)
      guard mayStart(user, used) else { continue }
      if let best = next, (best.used, best.turn) < (used, entry.turn) { continue }
      next = (user, used, entry.turn)
    }
    let turn = nextTurn()
    guard let next, let element = users[next.user]?.start(at: now, turn: turn) else { return nil }
    floor = max(floor, next.used)
    if users[next.user]?.line.isEmpty == true { waiting -= 1 }
    return (next.user, element)
  }

  /// Ends an element of `user`, or its turn, that began or was resumed at `start`.
  package mutating func finish(_ user: UInt32, began start: MonotonicTime, at now: MonotonicTime) {
    pause(user, began: start, at: now)
    finishPaused(user)
  }

  /// Ends a paused element of `user`.
  package mutating func finishPaused(_ user: UInt32) {
    users[user]?.running -= 1
    if let entry = users[user] {
      assert(entry.running >= entry.active && entry.active >= 0, "a turn ends once")
    }
    forget(user)
  }

  /// Stops counting the time of an element of `user` that began or was resumed at `start`.
  package mutating func pause(_ user: UInt32, began start: MonotonicTime, at now: MonotonicTime) {
    users[user]?.pause(began: start, at: now)
  }

  /// Counts the time of a paused element of `user` again.
  package mutating func resume(_ user: UInt32, at now: MonotonicTime) { users[user]?.resume(at: now) }

  /// The time that `user`, who has an element, has used.
  package func used(by user: UInt32, at now: MonotonicTime) -> TimeSpan {
    users[user]?.used(by: now) ?? floor
  }

  /// Removes the elements of all users for which `isMeant` is true.
  package mutating func removeAll(
    at now: MonotonicTime, where isMeant: (Line.Element) -> Bool
  ) -> [Line.Element] {
    Array(users.keys).flatMap { user in change(user, at: now) { $0.removeAll(where: isMeant) } }
  }

  /// Whether `start` would return an element.
  package func canStart(
    at now: MonotonicTime, limit: Int, where mayStart: (UInt32, TimeSpan) -> Bool
  ) -> Bool {
    users.contains { (user, entry) in
      !entry.line.isEmpty && entry.running < limit && mayStart(user, entry.used(by: now))
    }
  }

  /// Forgets a user without elements that has used no more than `floor`; if no element waits at all, forgets
  /// every idle user.
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
