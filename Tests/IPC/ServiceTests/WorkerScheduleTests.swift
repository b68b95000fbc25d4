import FaceCore
import Service
import TestSupport
import Testing

@Suite struct WorkerScheduleTests {
  private typealias Schedule = WorkerSchedule<Fifo<Int>>

  private static func time(_ seconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: seconds * 1_000_000_000)
  }

  /// A schedule with threads that do what it says. An element is the number of its user.
  private struct Threads {
    var schedule: Schedule
    /// The workers with a thread that neither runs an element nor waits for the connections.
    var free: [Int]
    var polling: Int?
    var running: [Int: Int] = [:]
    var mayGrow = true
    var now = WorkerScheduleTests.time(0)

    init(capacity: Int, extra: Int) {
      schedule = Schedule(capacity: capacity, extra: extra)
      free = Array(schedule.permanentWorkers)
      advance()
    }

    /// The users of the running elements, with repetitions.
    var users: [Int] { running.values.sorted() }

    /// Queues elements of `user`; the thread that has waited for the connections asks for its next step.
    mutating func submit(_ user: Int, _ count: Int = 1) {
      for _ in 0..<count { schedule.queue.change(UInt32(user)) { $0.append(user) } }
      if let worker = polling { free.append(worker) }
      polling = nil
      advance()
    }

    private var stalled: Set<Int> = []

    /// An element of `user` begins to wait for what others hold, or continues. The thread that has waited for the connections
    /// asks for its next step.
    mutating func stall(_ user: Int, _ isStalled: Bool) {
      let worker = running.first { $0.value == user && stalled.contains($0.key) != isStalled }?.key
      guard let worker else { return }
      if isStalled { stalled.insert(worker) } else { stalled.remove(worker) }
      schedule.stall(worker, isStalled, at: now)
      if let polling { free.append(polling) }
      polling = nil
      advance()
    }

    /// Ends an element of `user`.
    mutating func finish(_ user: Int) {
      guard let worker = running.first(where: { $0.value == user })?.key else { return }
      running[worker] = nil
      schedule.finish(worker, at: now)
      free.append(worker)
      advance()
    }

    /// Gives steps to free threads as long as there are any.
    private mutating func advance() {
      var asked = 0
      while asked < free.count {
        let worker = free.removeLast()
        switch schedule.nextStep(of: worker, at: now, mayGrow: mayGrow) {
        case .run(let user, _): running[worker] = user
        case .poll: polling = worker
        case .start(let further): free += [worker, further]
        case nil:
          free.insert(worker, at: 0)
          asked += 1
          continue
        }
        asked = 0
      }
    }
  }

  @Test func oneUserHasAsManyWorkersAsTheCapacity() {
    var threads = Threads(capacity: 2, extra: 16)
    threads.submit(1, 10)
    #expect(threads.users == [1, 1] && threads.polling != nil)
    #expect(threads.schedule.workerCount == 4)
    threads.finish(1)
    #expect(threads.users == [1, 1] && threads.schedule.workerCount == 4)
  }

  /// However many others call, and however long.
  @Test func userOfWhomNothingRunsStartsAtOnce() {
    var threads = Threads(capacity: 2, extra: 16)
    for user in 1...8 {
      threads.submit(user, 8)
      #expect(threads.running.values.contains(user))
      #expect(threads.polling != nil)
    }
    threads.submit(99)
    #expect(threads.users == [1, 1, 2, 3, 4, 5, 6, 7, 8, 99])
    // One beside that for the connections waits for what may start later.
    #expect(threads.schedule.workerCount == 12)
    // A second one of the same user waits as those of the others do.
    threads.submit(99)
    #expect(threads.users == [1, 1, 2, 3, 4, 5, 6, 7, 8, 99])
    // What ends is followed by another one only where its user runs nothing more.
    threads.finish(1)
    #expect(threads.users == [1, 2, 3, 4, 5, 6, 7, 8, 99])
    threads.finish(1)
    #expect(threads.users == [1, 2, 3, 4, 5, 6, 7, 8, 99])
    threads.finish(99)
    #expect(threads.users == [1, 2, 3, 4, 5, 6, 7, 8, 99])
  }

  @Test func usersBeyondTheBoundTakeTurns() {
    var threads = Threads(capacity: 1, extra: 2)
    for user in 1...5 { threads.submit(user, 2) }
    #expect(threads.users == [1, 2, 3] && threads.polling != nil)
    #expect(threads.schedule.workerCount == 4)
    threads.now = Self.time(1)
    threads.finish(2)
    #expect(threads.users == [1, 3, 4])
    threads.finish(1)
    #expect(threads.users == [3, 4, 5])
    // Those of the others were long.
    for user in [3, 4, 5] { threads.finish(user) }
    #expect(threads.users == [4, 5])
  }

  /// Memory for elements that would only be paused is not taken.
  @Test func usersOfLongElementsShareTheCapacity() {
    var threads = Threads(capacity: 2, extra: 16)
    for user in 1...8 { threads.submit(user, 10) }
    #expect(threads.users == [1, 1, 2, 3, 4, 5, 6, 7, 8])
    threads.now = Self.time(1)
    for user in [1, 1, 2, 3, 4, 5, 6, 7, 8] { threads.finish(user) }
    #expect(threads.users.count == 2)
    threads.submit(99)
    #expect(threads.users.count == 3 && threads.users.contains(99))
    threads.now = Self.time(2)
    threads.finish(99)
    // Its element was long, too, and it has had as much time as the others.
    threads.submit(99)
    #expect(threads.users.count == 2 && !threads.users.contains(99))
    // By now the users with running elements are ahead by more than a second, so that others start beside them.
    threads.now = Self.time(20)
    threads.submit(98)
    #expect(threads.users.count > 3 && threads.users.contains(98))
  }

  /// Each of its calls waits for memory, and so its next one runs: also beyond all workers that there were.
  @Test func othersRunInPlaceOfWhatWaits() {
    var threads = Threads(capacity: 1, extra: 1)
    threads.submit(1, 5)
    for stalled in 1...4 {
      #expect(threads.users.count == stalled)
      threads.stall(1, true)
    }
    threads.submit(2)
    threads.submit(3)
    #expect(threads.users == [1, 1, 1, 1, 1, 2] && threads.polling != nil)
    // What waits is neither charged nor stuck.
    threads.now = Self.time(60)
    threads.finish(2)
    #expect(threads.users == [1, 1, 1, 1, 1, 3])
    #expect(threads.schedule.queue.used(by: 1) == .seconds(60))
    threads.stall(1, true)
    #expect(threads.schedule.stuckTime(after: .seconds(30)) == Self.time(90))
    // Then more run than may at a time, until some end.
    for _ in 1...5 { threads.stall(1, false) }
    threads.submit(4)
    #expect(threads.users == [1, 1, 1, 1, 1, 3])
    for _ in 1...5 { threads.finish(1) }
    threads.finish(3)
    threads.finish(4)
    #expect(threads.users.isEmpty && threads.schedule.runningCount == 0)
  }

  /// One worker is left for the connections, so the element waits until another one ends.
  @Test func withoutAThreadAnElementWaits() {
    var threads = Threads(capacity: 1, extra: 16)
    threads.mayGrow = false
    for user in 1...3 { threads.submit(user) }
    #expect(threads.users == [1, 2] && threads.polling != nil)
    threads.finish(1)
    #expect(threads.users == [2, 3])
    threads.mayGrow = true
    threads.submit(4)
    #expect(threads.users == [2, 3, 4] && threads.schedule.workerCount == 4)
  }

  @Test func discardedWorkerIsNotCounted() {
    var schedule = Schedule(capacity: 1, extra: 16)
    for user in 1...3 as ClosedRange<UInt32> {
      schedule.queue.change(user) { $0.append(Int(user)) }
    }
    for worker in 0...1 {
      guard case .run = schedule.nextStep(of: worker, at: Self.time(0)) else {
        Issue.record("worker \(worker) has nothing to run")
        return
      }
    }
    guard case .start(let further) = schedule.nextStep(of: 2, at: Self.time(0)) else {
      Issue.record("no worker is started")
      return
    }
    #expect(schedule.workerCount == 4)
    schedule.discard(further)
    #expect(schedule.workerCount == 3)
    guard case .poll = schedule.nextStep(of: 2, at: Self.time(0), mayGrow: false) else {
      Issue.record("no worker waits for the connections")
      return
    }
  }

  @Test func furtherWorkersEndWhenTheyWereNotNeededForAWhile() {
    var threads = Threads(capacity: 1, extra: 16)
    #expect(threads.schedule.patience(at: threads.now) == .never)
    threads.now = Self.time(100)
    for user in 1...5 { threads.submit(user) }
    #expect(threads.schedule.workerCount == 6)
    threads.now = Self.time(101)
    for user in 1...5 { threads.finish(user) }
    let waiting = threads.free
    #expect(waiting.count == 5 && threads.polling != nil)
    let end = threads.schedule.patience(at: Self.time(100))
    #expect(end == Self.time(110))
    let ended = waiting.map { threads.schedule.retire($0) }
    #expect(ended == [true, true, true, false, false])
    #expect(threads.schedule.workerCount == 3)
    #expect(threads.schedule.patience(at: end) == .never)
  }

  @Test func workerIsStuckAfterATimeAtOneElement() {
    var threads = Threads(capacity: 2, extra: 16)
    threads.submit(1)
    #expect(threads.schedule.stuckTime(after: 30) == .never)
    threads.now = Self.time(5)
    threads.submit(2)
    threads.now = Self.time(9)
    threads.submit(3)
    let second = Self.time(5) + .nanoseconds(30)
    #expect(threads.schedule.stuckTime(after: 30, abandoned: 10) == second)
    threads.finish(1)
    #expect(threads.schedule.stuckTime(after: 30) == Self.time(9) + .nanoseconds(30))
    threads.finish(2)
    #expect(threads.schedule.stuckTime(after: 30) == .never)
  }

  @Test func workerIsStuckSoonerWhereNoCallerWaits() {
    var threads = Threads(capacity: 2, extra: 16)
    for user in 1...3 { threads.submit(user) }
    let busy = threads.running.keys.sorted()
    let long = TimeSpan.seconds(100)
    threads.schedule.abandon(busy[0], from: Self.time(7))
    threads.schedule.abandon(busy[0], from: .never)
    #expect(threads.schedule.stuckTime(after: long, abandoned: 2) == Self.time(100))
    threads.schedule.abandon(busy[1], from: Self.time(8))
    #expect(
      threads.schedule.stuckTime(after: long, abandoned: 2) == Self.time(8) + .nanoseconds(2))
    #expect(threads.schedule.stuckTime(after: long) == Self.time(100))
  }

  /// After a stop of the process all workers seem stuck until they have run.
  @Test func workersThatRunAgainAfterAStopAreNotStuck() {
    var threads = Threads(capacity: 1, extra: 16)
    threads.submit(1)
    let worker = threads.running.keys.first ?? -1
    let (long, doubt) = (TimeSpan.seconds(1), Schedule.doubtTime)
    func confirmed(_ now: MonotonicTime) -> MonotonicTime {
      threads.schedule.confirmedStuckTime(after: long, abandoned: long, at: now)
    }
    var now = MonotonicTime(nanoseconds: 0)
    for _ in 0..<3 {
      _ = threads.schedule.mayGoOn(worker, at: now)
      #expect(confirmed(now) == now + long)
      // A stop of a minute, then the first look.
      now = now + long * 60
      #expect(confirmed(now) == now + doubt)
    }
    // It does not run again.
    let due = confirmed(now)
    #expect(due > now)
    #expect(confirmed(due) == due)
  }

  // MARK: Pauses

  /// Those that ask and are to wait are paused; returns the others' users.
  private func active(_ threads: inout Threads) -> [Int] {
    // Two rounds: one that asked early may go on by now.
    for _ in 0..<2 {
      for worker in threads.running.keys.sorted() { _ = threads.schedule.mayGoOn(worker, at: threads.now) }
    }
    var going: [Int] = []
    for worker in threads.running.keys.sorted() where threads.schedule.mayGoOn(worker, at: threads.now) {
      going.append(threads.running[worker] ?? 0)
    }
    return going.sorted()
  }

  private func mayGoOn(_ threads: inout Threads, _ worker: Int, at now: MonotonicTime) -> Bool {
    threads.schedule.mayGoOn(worker, at: now)
  }

  @Test func elementsOfOneUserAreNeverPaused() {
    var threads = Threads(capacity: 2, extra: 16)
    threads.submit(1, 5)
    for second in 1...5 as ClosedRange<Int64> {
      threads.now = Self.time(second)
      #expect(active(&threads) == [1, 1])
    }
  }

  @Test func longElementsMakeWayForThatOfAnotherUser() {
    var threads = Threads(capacity: 2, extra: 16)
    threads.submit(1, 5)
    threads.now = Self.time(4)
    threads.submit(2)
    #expect(active(&threads) == [1, 2])
    threads.submit(3)
    #expect(active(&threads) == [2, 3])
    threads.finish(3)
    #expect(active(&threads) == [1, 2])
    threads.finish(2)
    #expect(active(&threads) == [1, 1])
  }

  @Test func usersWhoAreMoreThanTheCapacityTakeSlices() {
    var threads = Threads(capacity: 2, extra: 16)
    for user in 1...8 { threads.submit(user) }
    var had: [Int: Int] = [:]
    for step in 1...4000 as ClosedRange<Int64> {
      threads.now = MonotonicTime(nanoseconds: step * 2_000_000)
      let going = active(&threads)
      // None is paused at its begin.
      guard step > 100 else { continue }
      #expect(going.count == 2)
      for user in going { had[user, default: 0] += 1 }
    }
    for user in 1...8 {
      #expect(abs(had[user, default: 0] - 975) <= 40, "\(had)")
    }
  }

  @Test func newElementIsAheadOfLongOnes() {
    var threads = Threads(capacity: 2, extra: 16)
    for user in 1...8 { threads.submit(user, 2) }
    for step in 1...500 as ClosedRange<Int64> {
      threads.now = MonotonicTime(nanoseconds: step * 2_000_000)
      _ = active(&threads)
    }
    for _ in 0..<20 {
      threads.submit(99)
      #expect(active(&threads).contains(99))
      threads.now = threads.now + .milliseconds(5)
      #expect(active(&threads).contains(99))
      threads.finish(99)
      threads.now = threads.now + .milliseconds(20)
      #expect(active(&threads).count == 2)
    }
  }

  /// An element that gives no sign may be one that cannot be interrupted, or wait for what a paused one holds.
  @Test func pausedElementsDoNotWaitForOneThatGivesNoSign() throws {
    var threads = Threads(capacity: 1, extra: 16)
    threads.submit(1)
    threads.now = Self.time(100)
    threads.submit(2)
    let long = try #require(threads.running.first { $0.value == 1 }?.key)
    #expect(!mayGoOn(&threads, long, at: Self.time(100)))
    let end = Self.time(100) + Schedule.silence
    #expect(!mayGoOn(&threads, long, at: MonotonicTime(nanoseconds: end.nanoseconds - 1)))
    #expect(mayGoOn(&threads, long, at: end))
  }

  /// It ends at that check of its token, which a pause would only delay.
  @Test func elementWithoutACallerIsNotPaused() throws {
    var threads = Threads(capacity: 1, extra: 16)
    threads.submit(1)
    threads.now = Self.time(100)
    threads.submit(2)
    let long = try #require(threads.running.first { $0.value == 1 }?.key)
    threads.schedule.abandon(long, from: threads.now)
    #expect(mayGoOn(&threads, long, at: threads.now))
  }

  @Test func pausedElementWithoutACallerGoesOn() throws {
    var threads = Threads(capacity: 1, extra: 16)
    threads.submit(1)
    threads.now = Self.time(100)
    threads.submit(2)
    let long = try #require(threads.running.first { $0.value == 1 }?.key)
    #expect(!mayGoOn(&threads, long, at: threads.now))
    threads.schedule.abandon(long, from: threads.now)
    #expect(mayGoOn(&threads, long, at: threads.now))
    threads.finish(1)
    threads.finish(2)
    #expect(threads.users.isEmpty)
  }

  /// Under random calls of many users no element is lost, no user has more than its share, and there is always a
  /// worker for the connections.
  @Test func randomCallsOfManyUsers() {
    var generator = Pseudorandom(state: 7)
    var threads = Threads(capacity: 3, extra: 5)
    var waiting: [Int: Int] = [:]
    for step in 0..<20_000 {
      threads.now = MonotonicTime(nanoseconds: Int64(step) * 1_000_000)
      threads.mayGrow = generator.next() % 8 != 0
      for worker in threads.running.keys.sorted() where generator.next() % 4 == 0 {
        _ = threads.schedule.mayGoOn(worker, at: threads.now)
      }
      let before = threads.users
      if generator.next() % 2 == 0 {
        let user = Int(generator.next() % 12)
        waiting[user, default: 0] += 1
        threads.submit(user)
        for user in threads.users { waiting[user, default: 0] -= 1 }
        for user in before { waiting[user, default: 0] += 1 }
      } else if !before.isEmpty {
        var rest = before
        threads.finish(rest.remove(at: Int(generator.next()) % rest.count))
        for user in threads.users { waiting[user, default: 0] -= 1 }
        for user in rest { waiting[user, default: 0] += 1 }
      }
      #expect(threads.polling != nil && threads.running.count <= 8)
      #expect(waiting.values.allSatisfy { $0 >= 0 })
      for user in 0..<12 { #expect(threads.users.count { $0 == user } <= 3) }
      #expect(threads.schedule.queue.isEmpty == waiting.values.allSatisfy { $0 == 0 })
    }
  }
}
