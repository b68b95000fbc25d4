public import FaceCore

/// The memory that a process has for pictures. Calls get shares of it, and wait while others hold it. Safe to use from
/// any thread.
///
/// Small pictures have a part of their own, so they never wait for large ones. In each part, waiting users take turns,
/// and no call overtakes the one whose turn it is. So a share that fits in the empty part is granted at some time.
public final class MemoryBudget: Sendable {
  private enum Kind { case small, large }

  private struct Waiter {
    let ticket: UInt64
    let user: UInt32
    let byteCount: Int
  }

  private struct Part {
    let limit: Int
    var used = 0
    var line: [Waiter] = []
    /// When each user was granted a share last, while some wait.
    private var turns: [UInt32: UInt64] = [:]

    init(limit: Int) { self.limit = limit }

    func hasRoom(_ byteCount: Int) -> Bool { byteCount <= limit - used }

    /// Grants a share to the call whose turn it is, if there is room.
    /// - Parameter time: larger each time.
    mutating func grant(at time: UInt64) -> Waiter? {
      let next = line.indices.min { (turns[line[$0].user] ?? 0, $0) < (turns[line[$1].user] ?? 0, $1) }
      guard let next, hasRoom(line[next].byteCount) else { return nil }
      let waiter = line.remove(at: next)
      used += waiter.byteCount
      turns[waiter.user] = time
      if line.isEmpty { turns = [:] }
      return waiter
    }
  }

  private struct State {
    /// The process whose calls hold the shares; in a fork of it, nobody does.
    let process = CurrentProcess.id
    private var (small, large): (Part, Part)
    private var lastTicket: UInt64 = 0
    /// The tickets whose shares were granted, and not fetched yet.
    var granted: Set<UInt64> = []

    init(small: Int, large: Int) { (self.small, self.large) = (Part(limit: small), Part(limit: large)) }

    subscript(kind: Kind) -> Part {
      get { kind == .small ? small : large }
      set { if kind == .small { small = newValue } else { large = newValue } }
    }

    var waiting: [Waiter] { small.line + large.line }

    mutating func makeTicket() -> UInt64 {
      lastTicket += 1
      return lastTicket
    }
  }

  /// How many calls of an engine may wait: each has a thread, and a message of up to 4 MiB.
  public static let mostWaiting = max(8, min(64, ControlGroups.memoryLimit >> 24))

  /// The time between two checks of a waiting call's token.
  private static let step: TimeSpan = .milliseconds(5)
  private static let mostSmallBytes = 32 << 20

  /// The bytes of the two parts, and the most of a small picture.
  private let (small, large, smallPicture): (Int, Int, Int)
  private let mostWaiting: Int
  private let state: Monitor<State>
  private let changed = Condition()

  /// The budget for all calls of this process that have no other one.
  public static let ofProcess: MemoryBudget = {
    let budget = MemoryBudget(byteCount: standardBytes)
    Fork.handlers(
      prepare: { MemoryBudget.ofProcess.state.lock() }, after: { MemoryBudget.ofProcess.state.unlock() })
    return budget
  }()

  /// The budget for the files that a command holds while their pictures are decoded. Whoever takes of it takes of
  /// `ofProcess` later, and never the other way round.
  public static let ofFiles = MemoryBudget(byteCount: ControlGroups.memoryLimit / 8)

  /// The bytes for pictures: five eighths of what the process may use. The rest is for models, messages and results.
  public static var standardBytes: Int { ControlGroups.memoryLimit / 8 * 5 }

  /// - Parameters:
  ///   - byteCount: the bytes of all shares together. A share has seven eighths at most.
  ///   - mostWaiting: how many calls may wait. One user has half of what the others leave.
  public init(byteCount: Int, mostWaiting: Int = .max) {
    let small = byteCount / 8
    (self.small, large, smallPicture) = (small, byteCount - small, min(small / 4, Self.mostSmallBytes))
    self.mostWaiting = mostWaiting
    state = Monitor(State(small: small, large: byteCount - small))
  }

  /// The memory for the calls of a user.
  public func account(of user: UInt32) -> any PictureMemory { Account(budget: self, user: user) }

  /// Waits for as much of `byteCount` as one call may have.
  public func takeMost(of byteCount: Int) throws(Status) -> any PictureShare {
    try take(min(byteCount, large), 0, nil)
  }

  /// The bytes of all shares, and the number of calls that wait.
  package var use: (byteCount: Int, waiting: Int) {
    withState { ($0[.small].used + $0[.large].used, $0.waiting.count) }
  }

  private struct Account: PictureMemory {
    let budget: MemoryBudget
    let user: UInt32

    func take(_ byteCount: Int, _ token: CancellationToken?) throws(Status) -> any PictureShare {
      try budget.take(byteCount, user, token)
    }
  }

  private final class Share: PictureShare {
    let budget: MemoryBudget
    let process = CurrentProcess.id
    /// Changed under the lock of `budget`.
    fileprivate(set) var kind: Kind
    fileprivate(set) var byteCount: Int

    init(_ byteCount: Int, _ kind: Kind, of budget: MemoryBudget) {
      (self.budget, self.kind, self.byteCount) = (budget, kind, byteCount)
    }

    deinit { budget.release(self) }

    func resize(to byteCount: Int) -> Bool { budget.resize(self, to: byteCount) }
  }

  private func take(_ byteCount: Int, _ user: UInt32, _ token: CancellationToken?) throws(Status) -> Share {
    guard byteCount <= large else {
      throw Status(
        .resourceExhausted,
        "the picture takes \(byteCount.mebibytes) MiB while it is decoded, more than the \(large.mebibytes) MiB for one "
          + "picture; scale it down, or allow more memory: the container's or service's, or the engine's --limit decoded-bytes",
        .limit("decoded_bytes"))
    }
    let (kind, ticket) = try withState { (state) throws(Status) -> (Kind, UInt64?) in
      if let kind = kindWithRoom(for: byteCount, state) {
        state[kind].used += byteCount
        return (kind, nil)
      }
      return try queue(byteCount, user, &state)
    }
    if let ticket { try wait(ticket, kind, token) }
    return Share(byteCount, kind, of: self)
  }

  private func queue(
    _ byteCount: Int, _ user: UInt32, _ state: inout State
  ) throws(Status) -> (Kind, UInt64?) {
    let waiting = state.waiting
    let own = waiting.count { $0.user == user }
    let left = mostWaiting - (waiting.count - own)
    guard own < (own == 0 ? left : left - left / 2) else {
      throw Status(
        .resourceExhausted,
        "the engine is busy: \(waiting.count) calls wait for memory for their pictures; try again later",
        .limit("decoded_bytes"))
    }
    let kind = byteCount <= smallPicture ? Kind.small : .large
    let ticket = state.makeTicket()
    state[kind].line.append(Waiter(ticket: ticket, user: user, byteCount: byteCount))
    return (kind, ticket)
  }

  private func wait(_ ticket: UInt64, _ kind: Kind, _ token: CancellationToken?) throws(Status) {
    token?.stalls?(true)
    defer { token?.stalls?(false) }
    while true {
      let soon = token == nil ? .never : MonotonicTime.now() + Self.step
      if state.wait(for: changed, until: soon, { $0.granted.remove(ticket) }) != nil { return }
      do throws(Status) {
        try token?.checkWhileWaiting()
      } catch {
        let isGranted = withState { state in
          if state.granted.remove(ticket) != nil { return true }
          state[kind].line.removeAll { $0.ticket == ticket }
          // The call behind it may fit.
          grant(kind, &state)
          return false
        }
        if isGranted { return }
        throw error
      }
    }
  }

  /// The part where a share can be had at once. A small picture may have one of the large ones' part, too.
  private func kindWithRoom(for byteCount: Int, _ state: State) -> Kind? {
    if byteCount <= smallPicture, state[.small].hasRoom(byteCount) { return .small }
    return state[.large].line.isEmpty && state[.large].hasRoom(byteCount) ? .large : nil
  }

  private func grant(_ kind: Kind, _ state: inout State) {
    while let waiter = state[kind].grant(at: state.makeTicket()) {
      state.granted.insert(waiter.ticket)
      changed.wakeAll()
    }
  }

  private func resize(_ share: Share, to byteCount: Int) -> Bool {
    withState { state in
      guard share.process == state.process else { return true }
      let (old, oldBytes) = (share.kind, share.byteCount)
      state[old].used -= oldBytes
      guard let kind = byteCount <= oldBytes ? old : kindWithRoom(for: byteCount, state) else {
        state[old].used += oldBytes
        return false
      }
      state[kind].used += byteCount
      (share.kind, share.byteCount) = (kind, byteCount)
      grant(old, &state)
      return true
    }
  }

  private func release(_ share: Share) {
    withState { state in
      guard share.process == state.process else { return }
      state[share.kind].used -= share.byteCount
      grant(share.kind, &state)
    }
  }

  private func withState<Value, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try state.withLock { (state) throws(Failure) in
      if state.process != CurrentProcess.id { state = State(small: small, large: large) }
      return try body(&state)
    }
  }
}

extension Int {
  /// Rounded up.
  fileprivate var mebibytes: Int { (self + (1 << 20) - 1) >> 20 }
}
