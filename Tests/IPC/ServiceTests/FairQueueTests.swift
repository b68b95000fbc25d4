import FaceCore
import Service
import TestSupport
import Testing

@Suite struct FairQueueTests {
  private typealias Users = FairQueue<Fifo<Int>>

  private static func time(_ span: TimeSpan) -> MonotonicTime { MonotonicTime(nanoseconds: 0) + span }

  /// One worker gives turns until `end`; each element is its user, and a turn of a user takes its cost in
  /// `costs`.
  /// - Returns: the nanoseconds that each user had.
  private func serve(
    _ queue: inout Users, from start: TimeSpan = .zero, until end: TimeSpan, costs: [UInt32: TimeSpan]
  ) -> [UInt32: TimeSpan] {
    var now = start
    var had: [UInt32: TimeSpan] = [:]
    while now < end, let user = queue.start(at: Self.time(now), limit: 1)?.user {
      let cost = costs[user] ?? 1
      queue.finish(user, began: Self.time(now), at: Self.time(now + cost))
      had[user, default: 0] += cost
      now += cost
    }
    return had
  }

  private func fill(_ queue: inout Users, _ user: UInt32, _ count: Int) {
    for _ in 0..<count { queue.change(user, at: Self.time(0)) { $0.append(Int(user)) } }
  }

  @Test func usersOfEqualCallsTakeTurns() {
    var queue = Users()
    for user in 1...3 as ClosedRange<UInt32> { fill(&queue, user, 3) }
    var order: [Int] = []
    var now: TimeSpan = .zero
    while let element = queue.start(at: Self.time(now), limit: 1)?.element {
      order.append(element)
      queue.finish(UInt32(element), began: Self.time(now), at: Self.time(now + 5))
      now += 5
    }
    #expect(order == [1, 2, 3, 1, 2, 3, 1, 2, 3])
    #expect(queue.isEmpty)
  }

  /// Users get equal time rather than equal turns.
  @Test func longCallsGetFewerTurns() {
    var queue = Users()
    fill(&queue, 1, 1000)
    fill(&queue, 2, 100_000)
    let had = serve(&queue, until: 100_000, costs: [1: 1000, 2: 10])
    #expect(abs(((had[1] ?? 0) - (had[2] ?? 0)).nanoseconds) <= 1000)
  }

  @Test func userWhoWasAwayGetsNoCredit() {
    var queue = Users()
    fill(&queue, 1, 1000)
    #expect(serve(&queue, until: 50_000, costs: [1: 100]) == [1: 50_000])
    fill(&queue, 2, 1000)
    let had = serve(&queue, from: 50_000, until: 60_000, costs: [1: 100, 2: 100])
    #expect(abs(((had[1] ?? 0) - (had[2] ?? 0)).nanoseconds) <= 100)
  }

  @Test func userWhoWasAloneIsNotDelayedLater() {
    var queue = Users()
    fill(&queue, 1, 10_000)
    _ = serve(&queue, until: 500_000, costs: [1: 100])
    fill(&queue, 2, 1)
    _ = serve(&queue, from: 500_000, until: 500_100, costs: [2: 100])
    fill(&queue, 2, 1000)
    let had = serve(&queue, from: 500_100, until: 510_100, costs: [1: 100, 2: 100])
    #expect(abs(((had[1] ?? 0) - (had[2] ?? 0)).nanoseconds) <= 100)
  }

  /// A call that has not ended counts by how long it has run.
  @Test func runningCallsCountTowardsAUsersTime() {
    var queue = Users()
    fill(&queue, 1, 2)
    #expect(queue.start(at: Self.time(0), limit: 2)?.element == 1)
    fill(&queue, 2, 2)
    let order = (0..<3).map { _ in queue.start(at: Self.time(1000), limit: 2)?.element }
    #expect(order == [2, 2, 1])
    #expect(queue.start(at: Self.time(1000), limit: 2)?.element == nil && queue.isEmpty)
  }

  /// The largest number of workers, on a machine that has run for a century.
  @Test func timesFarFromTheOriginDoNotOverflow() {
    var queue = Users()
    let start: TimeSpan = .seconds(3) * 1_000_000_000
    fill(&queue, 1, 257)
    for _ in 0..<256 { #expect(queue.start(at: Self.time(start), limit: 256)?.element == 1) }
    fill(&queue, 2, 1)
    #expect(queue.start(at: Self.time(start + 10), limit: 257)?.element == 2)
    for _ in 0..<256 { queue.finish(1, began: Self.time(start), at: Self.time(start + 20)) }
    #expect(queue.start(at: Self.time(start + 20), limit: 1)?.element == 1)
  }

  /// A running call is not charged twice when its user comes again.
  @Test func runningCallIsChargedOnceWhenItsUserQueuesAgain() {
    var queue = Users()
    fill(&queue, 1, 1)
    #expect(queue.start(at: Self.time(0), limit: 2)?.element == 1)
    fill(&queue, 2, 10)
    var now: TimeSpan = .zero
    for _ in 0..<3 {
      #expect(queue.start(at: Self.time(now), limit: 1)?.element == 2)
      queue.finish(2, began: Self.time(now), at: Self.time(now + 1000))
      now += 1000
    }
    // Both users have had 3000, and the other one has had a turn since.
    queue.change(1, at: Self.time(now)) { $0.append(1) }
    #expect(queue.start(at: Self.time(now), limit: 2)?.element == 1)
  }

  @Test func noUserHasMoreThanItsLimit() {
    var queue = Users()
    fill(&queue, 1, 5)
    #expect(queue.start(at: Self.time(0), limit: 2)?.element == 1)
    #expect(queue.start(at: Self.time(0), limit: 2)?.element == 1)
    #expect(queue.start(at: Self.time(9), limit: 2)?.element == nil && !queue.isEmpty)
    fill(&queue, 2, 1)
    #expect(queue.start(at: Self.time(9), limit: 2)?.element == 2)
    queue.finish(1, began: Self.time(0), at: Self.time(10))
    #expect(queue.start(at: Self.time(10), limit: 2)?.element == 1)
    #expect(queue.start(at: Self.time(10), limit: 2)?.element == nil)
  }

  @Test func removedElementsLeaveTheOthers() {
    var queue = FairQueue<RoundRobinQueue<Int, Fifo<Int>>>()
    for value in 0..<100 {
      queue.change(UInt32(value % 3), at: Self.time(0)) { user in user.change(value % 5) { $0.append(value) }
      }
    }
    let removed = queue.removeAll(at: Self.time(0)) { $0 % 2 == 0 }
    #expect(removed.sorted() == Array(stride(from: 0, to: 100, by: 2)))
    var rest: [Int] = []
    while let element = queue.start(at: Self.time(0), limit: .max)?.element { rest.append(element) }
    #expect(rest.sorted() == Array(stride(from: 1, to: 100, by: 2)))
    #expect(queue.isEmpty && queue.removeAll(at: Self.time(0)) { _ in true }.isEmpty)
  }

  /// Under random calls no element is lost or given twice, and of two users that always wait neither falls
  /// behind.
  @Test func randomCallsOfManyUsers() {
    var generator = Pseudorandom(state: 11)
    var queue = Users()
    var (waiting, running): ([UInt32: Int], [(user: UInt32, began: TimeSpan)]) = ([:], [])
    var had: [UInt32: TimeSpan] = [:]
    var now: TimeSpan = .zero
    for _ in 0..<50_000 {
      now += .nanoseconds(Int64(generator.next() % 50))
      for user in [0, 1] as [UInt32] where waiting[user, default: 0] < 5 {
        queue.change(user, at: Self.time(now)) { $0.append(Int(user)) }
        waiting[user, default: 0] += 1
      }
      let user = UInt32(2 + generator.next() % 300)
      switch generator.next() % 4 {
      case 0:
        queue.change(user, at: Self.time(now)) { $0.append(Int(user)) }
        waiting[user, default: 0] += 1
      case 1:
        queue.change(user, at: Self.time(now)) { $0 = Fifo() }
        waiting[user] = 0
      case 2 where !running.isEmpty:
        let ended = running.remove(at: Int(generator.next()) % running.count)
        queue.finish(ended.user, began: Self.time(ended.began), at: Self.time(now))
        had[ended.user, default: 0] += now - ended.began
      default:
        guard running.count < 4, let user = queue.start(at: Self.time(now), limit: 3)?.user else {
          break
        }
        waiting[user, default: 0] -= 1
        running.append((user, now))
        #expect(waiting[user, default: 0] >= 0 && running.count { $0.user == user } <= 3)
      }
      #expect(queue.isEmpty == waiting.values.allSatisfy { $0 == 0 })
    }
    let (first, second) = (had[0, default: 0], had[1, default: 0])
    #expect(min(first, second) * 10 >= max(first, second) * 9, "\(first) and \(second)")
  }
}
