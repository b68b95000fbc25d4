import FaceCore
import Posix
import TestSupport
import Testing

@Suite struct MemoryBudgetTests {
  /// 80 bytes in all: shares of at most 70, small ones of at most 2.
  private func budget(mostWaiting: Int = .max) -> MemoryBudget {
    MemoryBudget(byteCount: 80, mostWaiting: mostWaiting)
  }

  /// Calls that wait on threads of their own, and in which order they got their shares.
  private final class Calls: Sendable {
    private let budget: MemoryBudget
    private let outcomes = Monitor<[(user: UInt32, Result<any PictureShare, Status>)]>([])
    private let changed = Condition()

    init(_ budget: MemoryBudget) { self.budget = budget }

    /// Begins a call; returns when it waits.
    func begin(_ user: UInt32, _ byteCount: Int, _ token: CancellationToken? = nil) throws -> Thread {
      let waiting = budget.use.waiting
      let thread = try Thread(name: "call") { [self] in
        let share = Result { () throws(Status) in try budget.account(of: user).take(byteCount, token) }
        outcomes.withLock { $0.append((user, share)) }
        changed.wakeAll()
      }
      while budget.use.waiting == waiting { CurrentProcess.sleep(for: .milliseconds(1)) }
      return thread
    }

    /// Waits for the next outcome, and releases its share.
    func next() -> (user: UInt32, failure: StatusCode?) {
      let outcome = outcomes.wait(for: changed) { $0.isEmpty ? nil : $0.removeFirst() }
      guard let outcome else { return (.max, nil) }
      if case .failure(let status) = outcome.1 { return (outcome.user, status.code) }
      return (outcome.user, nil)
    }
  }

  @Test func callWaitsForItsShareAndSmallPicturesPass() throws {
    let budget = budget()
    var first: (any PictureShare)? = try budget.account(of: 1).take(60, nil)
    let calls = Calls(budget)
    let thread = try calls.begin(2, 50)
    // Behind the one that waits; in the part of small ones.
    let small = try budget.account(of: 3).take(2, nil)
    #expect(small.byteCount == 2 && budget.use == (62, 1))
    first = nil
    #expect(calls.next() == (2, nil))
    thread.join()
    #expect(first == nil && budget.use.waiting == 0)
    #expect(budget.use.byteCount <= 2)
  }

  @Test func aLaterCallDoesNotOvertakeAndUsersTakeTurns() throws {
    let budget = budget()
    var first: (any PictureShare)? = try budget.account(of: 1).take(40, nil)
    let calls = Calls(budget)
    // The one of 20 would fit now, but is not next.
    let threads = try [(1, 70), (1, 70), (1, 70), (2, 70), (3, 20)].map { try calls.begin($0, $1) }
    #expect(budget.use == (40, 5))
    first = nil
    #expect((0..<5).map { _ in calls.next().user } == [1, 2, 3, 1, 1])
    threads.forEach { $0.join() }
    #expect(first == nil && budget.use == (0, 0))
  }

  @Test func whatNeverFitsIsRefusedAndNamesTheLimit() {
    let failure = #expect(throws: Status.self) { try budget().account(of: 1).take(71, nil) }
    #expect(failure?.code == .resourceExhausted && failure?.detail == .limit("decoded_bytes"))
  }

  @Test func waitEndsWithItsCallAndLetsTheNextOneOn() throws {
    let budget = budget()
    let held = try budget.account(of: 1).take(60, nil)
    let calls = Calls(budget)
    let canceller = Canceller()
    let stalls = Monitor<[Bool]>([])
    var token = CancellationToken(canceller: canceller)
    token.stalls = { isStalled in stalls.withLock { $0.append(isStalled) } }
    let large = try calls.begin(2, 70, token)
    let fitting = try calls.begin(3, 10)
    #expect(stalls.withLock { $0 } == [true])
    canceller.cancel()
    #expect(Set([calls.next().failure, calls.next().failure]) == [.cancelled, nil])
    let late = CancellationToken(deadline: .now())
    expectFailure(.deadlineExceeded) { try budget.account(of: 4).take(70, late) }
    #expect(stalls.withLock { $0 } == [true, false])
    [large, fitting].forEach { $0.join() }
    #expect(held.byteCount == 60 && budget.use == (60, 0))
  }

  @Test func oneUserMayHaveHalfOfTheWaitingCallsThatOthersLeave() throws {
    let budget = budget(mostWaiting: 4)
    var held: (any PictureShare)? = try budget.account(of: 1).take(70, nil)
    let calls = Calls(budget)
    var threads = [try calls.begin(1, 70), try calls.begin(1, 70)]
    let failure = #expect(throws: Status.self) { try budget.account(of: 1).take(70, nil) }
    #expect(failure?.code == .resourceExhausted && failure?.detail == .limit("decoded_bytes"))
    threads.append(try calls.begin(2, 70))
    held = nil
    #expect((0..<3).allSatisfy { _ in calls.next().failure == nil })
    threads.forEach { $0.join() }
    #expect(held == nil && budget.use == (0, 0))
  }

  @Test func shareGrowsOnlyWhereThereIsRoomAndNobodyWaits() throws {
    let budget = budget()
    let account = budget.account(of: 1)
    let share = try account.take(2, nil)
    #expect(share.resize(to: 30) && budget.use.byteCount == 30)
    let other = try account.take(40, nil)
    #expect(!share.resize(to: 31) && share.byteCount == 30 && budget.use.byteCount == 70)
    let calls = Calls(budget)
    let thread = try calls.begin(2, 20)
    #expect(other.resize(to: 20) && !share.resize(to: 31))
    #expect(calls.next() == (2, nil))
    thread.join()
    #expect(share.resize(to: 50) && other.byteCount == 20)
  }
}
