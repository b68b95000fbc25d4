import FaceCore
import Service
import Testing

@Suite struct FairShareQuotaTests {
  /// Adds one by one as much of `user` as it may have.
  private func fill(_ backlog: inout FairShareQuota, _ user: UInt32) -> Int {
    var count = 0
    while (try? backlog.check(1, of: user)) != nil {
      backlog.add(1, of: user)
      count += 1
    }
    return count
  }

  @Test func eachUserTakesHalfOfWhatIsLeft() {
    var backlog = FairShareQuota("queued_calls", limit: 1000)
    #expect(fill(&backlog, 1) == 500)
    #expect(fill(&backlog, 2) == 250)
    #expect(fill(&backlog, 3) == 125)
    // What one gives back is for whoever comes first.
    backlog.subtract(500, of: 1)
    #expect(fill(&backlog, 4) == 313)
  }

  @Test func firstOneIsTakenWhateverItsSize() throws {
    var backlog = FairShareQuota("queued_bytes", limit: 100)
    try backlog.check(100, of: 1)
    let status = #expect(throws: Status.self) { try backlog.check(101, of: 1) }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.detail == .limit("queued_bytes"))
    backlog.add(90, of: 1)
    #expect(throws: Status.self) { try backlog.check(1, of: 1) }
    try backlog.check(10, of: 2)
    #expect(throws: Status.self) { try backlog.check(11, of: 2) }
    backlog.subtract(90, of: 1)
    try backlog.check(100, of: 2)
    #expect(throws: Never.self) { try FairShareQuota("queued_calls", limit: 1).check(1, of: 3) }
  }
}
