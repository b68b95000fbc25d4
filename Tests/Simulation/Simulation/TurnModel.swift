import FaceCore
import Service

/// Whose turn it is, by PROTOCOL.md ("Limits"): the calls that wait and run, and the time of each user. It decides
/// nothing; the simulation compares with it what `WorkerSchedule` decides.
struct TurnModel {
  struct User {
    /// The time that its calls have had, and what its last one took.
    var used: TimeSpan
    var cost = TimeSpan.zero
    /// The waiting calls by connection, in the order of their turns.
    var lines: [UInt64: [Int]] = [:]
    /// For each connection with waiting calls, the others that had a turn since its last one.
    var passed: [UInt64: Set<UInt64>] = [:]
    var running = 0
    var stalled = 0

    var isIdle: Bool { lines.isEmpty && running + stalled == 0 }
  }

  struct Turn {
    let worker: Int
    let user: UInt32
    var had = TimeSpan.zero
    var isPaused = false
    var isStalled = false
    var lastSign: MonotonicTime
    var abandoned = MonotonicTime.never
  }

  static let slice: TimeSpan = .milliseconds(50)
  static let silence: TimeSpan = .milliseconds(200)

  let capacity: Int
  let extra: Int
  private(set) var users: [UInt32: User] = [:]
  private(set) var turns: [Turn] = []
  /// Where a user begins that was away: it has saved up nothing.
  private var floor = TimeSpan.zero
  private var present = MonotonicTime(nanoseconds: 0)
  private var doubt: (due: MonotonicTime, seen: MonotonicTime)?

  init(capacity: Int, extra: Int) { (self.capacity, self.extra) = (capacity, extra) }

  // MARK: Waiting calls

  mutating func add(_ call: Int, of id: RequestID) {
    change(id.user) { $0.lines[id.connection, default: []].append(call) }
  }

  mutating func replace(_ old: Int, with new: Int, of id: RequestID) {
    change(id.user) { user in
      if let place = user.lines[id.connection]?.firstIndex(of: old) {
        user.lines[id.connection]?[place] = new
      }
    }
  }

  /// Removes a call if it waits.
  mutating func remove(_ call: Int, of id: RequestID) {
    change(id.user) { user in
      user.lines[id.connection]?.removeAll { $0 == call }
      if user.lines[id.connection]?.isEmpty == true { user.lines[id.connection] = nil }
      if user.lines[id.connection] == nil { user.passed[id.connection] = nil }
    }
  }

  /// All users are looked at.
  mutating func visit() { for user in users.keys { change(user) { _ in } } }

  private mutating func change(_ user: UInt32, _ body: (inout User) -> Void) {
    var entry = users[user] ?? User(used: floor)
    let wasWaiting = !entry.lines.isEmpty
    body(&entry)
    if !wasWaiting, !entry.lines.isEmpty { entry.used = max(entry.used, floor) }
    users[user] = entry
    forget(user)
  }

  /// A user without calls is forgotten, unless it has had more than others.
  private mutating func forget(_ user: UInt32) {
    if turns.isEmpty, users.values.allSatisfy(\.lines.isEmpty) { return users = [:] }
    guard let entry = users[user], entry.isIdle else { return }
    if entry.used <= floor { users[user] = nil }
    if users.count > 64 { users = users.filter { !$0.value.isIdle || $0.value.used > floor } }
  }

  // MARK: Turns

  private var active: [Turn] { turns.filter { !$0.isStalled } }
  var activeCount: Int { turns.count { !$0.isStalled } }
  private func used(_ user: UInt32) -> TimeSpan { users[user]?.used ?? floor }

  /// What the user may have had that starts a long call: beyond the capacity no more than one that would make way.
  private var mostUsed: TimeSpan {
    let active = active
    return active.count < capacity ? .max : active.map { used($0.user) }.sorted()[capacity - 1]
  }

  /// The users that may have the next turn: those that have had least.
  private var candidates: [UInt32] {
    let (limit, most) = (activeCount < capacity ? capacity : 1, mostUsed)
    let able = users.filter { _, user in
      !user.lines.isEmpty && user.running < limit
        && (user.cost < Self.slice || user.used + user.cost < most)
    }
    guard let least = able.values.map({ ($0.used, $0.running) }).min(by: <) else { return [] }
    return able.filter { ($0.value.used, $0.value.running) == least }.map(\.key)
  }

  var mayStart: Bool { activeCount < capacity + extra && !candidates.isEmpty }

  mutating func advance(to now: MonotonicTime) {
    for index in turns.indices where !turns[index].isPaused && !turns[index].isStalled {
      turns[index].had += now - present
      users[turns[index].user]?.used += now - present
    }
    present = now
  }

  /// - Returns: why `call` may not start; `nil` if it may.
  mutating func start(_ call: Int, of id: RequestID, on worker: Int, at now: MonotonicTime) -> String? {
    guard mayStart, candidates.contains(id.user), var user = users[id.user] else {
      return "call \(call) of user \(id.user) starts, and it is the turn of \(candidates)"
    }
    guard user.lines[id.connection]?.first == call else {
      return "call \(call) starts before others of its connection"
    }
    for other in user.lines.keys where other != id.connection {
      guard user.passed[other, default: []].insert(id.connection).inserted else {
        return "connection \(id.connection) has two turns, and \(other) waits"
      }
    }
    user.passed[id.connection] = nil
    user.lines[id.connection]?.removeFirst()
    if user.lines[id.connection]?.isEmpty == true { user.lines[id.connection] = nil }
    user.running += 1
    floor = max(floor, min(user.used, mostUsed))
    users[id.user] = user
    turns.append(Turn(worker: worker, user: id.user, lastSign: now))
    return nil
  }

  mutating func finish(_ worker: Int, at now: MonotonicTime) {
    advance(to: now)
    guard let index = turns.firstIndex(where: { $0.worker == worker }) else { return }
    let ended = turns.remove(at: index)
    users[ended.user]?.running -= 1
    users[ended.user]?.cost = ended.had
    forget(ended.user)
  }

  mutating func stall(_ worker: Int, _ isStalled: Bool, at now: MonotonicTime) {
    advance(to: now)
    guard let index = turns.firstIndex(where: { $0.worker == worker }) else { return }
    (turns[index].isStalled, turns[index].lastSign) = (isStalled, now)
    users[turns[index].user]?.running += isStalled ? -1 : 1
    users[turns[index].user]?.stalled += isStalled ? 1 : -1
  }

  mutating func abandon(_ worker: Int, from time: MonotonicTime) {
    guard let index = turns.firstIndex(where: { $0.worker == worker }) else { return }
    turns[index].abandoned = min(turns[index].abandoned, time)
  }

  /// Whether the call of `worker` continues at this check.
  mutating func mayGoOn(_ worker: Int, at now: MonotonicTime) -> Bool {
    advance(to: now)
    guard let own = turns.firstIndex(where: { $0.worker == worker }) else { return true }
    turns[own].lastSign = now
    func place(_ turn: Turn) -> (TimeSpan, Int) {
      (turn.isPaused ? used(turn.user) : used(turn.user) - Self.slice, turn.worker)
    }
    let ahead = turns.count {
      !$0.isStalled && $0.lastSign + Self.silence > now && place($0) < place(turns[own])
    }
    turns[own].isPaused =
      !(turns[own].had < Self.slice || turns[own].abandoned <= now || ahead < capacity)
    return !turns[own].isPaused
  }

  /// Whether one more call may continue, without those that have given no sign for `silence`.
  func hasRoom(at now: MonotonicTime, after silence: TimeSpan = Self.silence) -> Bool {
    turns.count { !$0.isPaused && !$0.isStalled && $0.lastSign + silence > now } < capacity
  }

  /// The time from which a user's workers are stuck.
  func stuckTime(after silent: TimeSpan, abandoned: TimeSpan = .max) -> MonotonicTime {
    let times = active.map { min($0.lastSign + silent, $0.abandoned + abandoned) }.sorted()
    return times.count < capacity ? .never : times[capacity - 1]
  }

  /// The same, once it has been so for half a second.
  mutating func confirmedStuckTime(
    after silent: TimeSpan, abandoned: TimeSpan, at now: MonotonicTime
  ) -> MonotonicTime {
    let due = stuckTime(after: silent, abandoned: abandoned)
    doubt = due > now ? nil : (due, doubt?.due == due ? doubt?.seen ?? now : now)
    return doubt.map { $0.seen + .milliseconds(500) } ?? due
  }
}
