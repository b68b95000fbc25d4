import FaceCore
import Service
import TestSupport
import Testing

@Suite struct FairQueueTests {
  private typealias Users = FairQueue<Fifo<Int>>

  /// One worker gives turns until `end`; each element is its user, and a turn of a user takes its cost in
  /// `costs`.
  /// - Returns: the nanoseconds that each user had.
  private func serve(
    _ queue: inout Users, for time: TimeSpan, costs: [UInt32: TimeSpan]
  ) -> [UInt32: TimeSpan] {
    var had: [UInt32: TimeSpan] = [:]
    while had.values.reduce(.zero, +) < time, let user = queue.start(limit: 1)?.user {
      let cost = costs[user] ?? 1
      end(&queue, user, cost)
      had[user, default: 0] += cost
    }
    return had
  }

  private func end(_ queue: inout Users, _ user: UInt32, _ cost: TimeSpan) {
    queue.charge(user, cost)
    queue.finish(user, cost: cost)
  }

  private func fill(_ queue: inout Users, _ user: UInt32, _ count: Int) {
    for _ in 0..<count { queue.change(user) { $0.append(Int(user)) } }
  }

  @Test func usersOfEqualCallsTakeTurns() {
    var queue = Users()
    for user in 1...3 as ClosedRange<UInt32> { fill(&queue, user, 3) }
    var order: [Int] = []
    while let element = queue.start(limit: 1)?.element {
      order.append(element)
      end(&queue, UInt32(element), 5)
    }
    #expect(order == [1, 2, 3, 1, 2, 3, 1, 2, 3])
    #expect(queue.isEmpty)
  }

  /// Users get equal time rather than equal turns.
  @Test func longCallsGetFewerTurns() {
    var queue = Users()
    fill(&queue, 1, 1000)
    fill(&queue, 2, 100_000)
    let had = serve(&queue, for: 100000, costs: [1: 1000, 2: 10])
    #expect(abs(((had[1] ?? 0) - (had[2] ?? 0)).nanoseconds) <= 1000)
  }

  @Test func userWhoWasAwayGetsNoCredit() {
    var queue = Users()
    fill(&queue, 1, 1000)
    #expect(serve(&queue, for: 50000, costs: [1: 100]) == [1: 50_000])
    fill(&queue, 2, 1000)
    let had = serve(&queue, for: 10000, costs: [1: 100, 2: 100])
    #expect(abs(((had[1] ?? 0) - (had[2] ?? 0)).nanoseconds) <= 100)
  }

  @Test func userWhoWasAloneIsNotDelayedLater() {
    var queue = Users()
    fill(&queue, 1, 10_000)
    _ = serve(&queue, for: 500000, costs: [1: 100])
    fill(&queue, 2, 1)
    _ = serve(&queue, for: 100, costs: [2: 100])
    fill(&queue, 2, 1000)
    let had = serve(&queue, for: 10000, costs: [1: 100, 2: 100])
    #expect(abs(((had[1] ?? 0) - (had[2] ?? 0)).nanoseconds) <= 100)
  }

  /// A call that has not ended counts by how long it has run.
  @Test func runningCallsCountTowardsAUsersTime() {
    var queue = Users()
    fill(&queue, 1, 2)
    #expect(queue.start(limit: 2)?.element == 1)
    fill(&queue, 2, 2)
    queue.charge(1, 1000)
    let order = (0..<3).map { _ in queue.start(limit: 2)?.element }
    #expect(order == [2, 2, 1])
    #expect(queue.start(limit: 2)?.element == nil && queue.isEmpty)
  }

  @Test func noUserHasMoreThanItsLimit() {
    var queue = Users()
    fill(&queue, 1, 5)
    #expect(queue.start(limit: 2)?.element == 1)
    #expect(queue.start(limit: 2)?.element == 1)
    #expect(queue.start(limit: 2)?.element == nil && !queue.isEmpty)
    fill(&queue, 2, 1)
    #expect(queue.start(limit: 2)?.element == 2)
    end(&queue, 1, 10)
    #expect(queue.start(limit: 2)?.element == 1)
    #expect(queue.start(limit: 2)?.element == nil)
  }

  /// Beside others, a user whose last element was long starts one that is as long only if they have had more.
  @Test func longElementsStartBesideUsersWhoHadMore() {
    let long = Users.slice * 4
    var queue = Users()
    fill(&queue, 1, 9)
    fill(&queue, 2, 9)
    #expect(queue.start(limit: 2)?.element == 1)
    #expect(queue.start(limit: 1, beside: .zero)?.element == 2)
    end(&queue, 2, long)
    #expect(!queue.canStart(limit: 1, beside: long * 2))
    #expect(queue.start(limit: 1, beside: long * 2 + 1)?.element == 2)
    end(&queue, 2, Users.slice - 1)
    #expect(queue.canStart(limit: 1, beside: .zero))
  }

  @Test func removedElementsLeaveTheOthers() {
    var queue = FairQueue<RoundRobinQueue<Int, Fifo<Int>>>()
    for value in 0..<100 {
      queue.change(UInt32(value % 3)) { user in user.change(value % 5) { $0.append(value) } }
    }
    let removed = queue.removeAll { $0 % 2 == 0 }
    #expect(removed.sorted() == Array(stride(from: 0, to: 100, by: 2)))
    var rest: [Int] = []
    while let element = queue.start(limit: .max)?.element { rest.append(element) }
    #expect(rest.sorted() == Array(stride(from: 1, to: 100, by: 2)))
    #expect(queue.isEmpty && queue.removeAll { _ in true }.isEmpty)
  }

  /// Under random calls no element is lost or given twice, and of two users that always wait neither falls
  /// behind.
  @Test func randomCallsOfManyUsers() {
    var generator = Pseudorandom(state: 11)
    var queue = Users()
    var (waiting, running): ([UInt32: Int], [(user: UInt32, cost: TimeSpan)]) = ([:], [])
    var had: [UInt32: TimeSpan] = [:]
    for _ in 0..<50_000 {
      let time = TimeSpan.nanoseconds(Int64(generator.next() % 50))
      for index in running.indices {
        running[index].cost += time
        queue.charge(running[index].user, time)
        had[running[index].user, default: 0] += time
      }
      for user in [0, 1] as [UInt32] where waiting[user, default: 0] < 5 {
        queue.change(user) { $0.append(Int(user)) }
        waiting[user, default: 0] += 1
      }
      let user = UInt32(2 + generator.next() % 300)
      switch generator.next() % 4 {
      case 0:
        queue.change(user) { $0.append(Int(user)) }
        waiting[user, default: 0] += 1
      case 1:
        queue.change(user) { $0 = Fifo() }
        waiting[user] = 0
      case 2 where !running.isEmpty:
        let ended = running.remove(at: Int(generator.next()) % running.count)
        queue.finish(ended.user, cost: ended.cost)
      default:
        guard running.count < 4, let user = queue.start(limit: 3)?.user else {
          break
        }
        waiting[user, default: 0] -= 1
        running.append((user, .zero))
        #expect(waiting[user, default: 0] >= 0 && running.count { $0.user == user } <= 3)
      }
      #expect(queue.isEmpty == waiting.values.allSatisfy { $0 == 0 })
    }
    let (first, second) = (had[0, default: 0], had[1, default: 0])
    #expect(min(first, second) * 10 >= max(first, second) * 9, "\(first) and \(second)")
  }
}
