import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing

@Suite struct LogRateLimiterTests {
  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  @Test func linesBeyondTheAllowanceAreCountedAndToldOnce() {
    var allowance = LogRateLimiter(linesPerSecond: 3)
    var written = 0
    for _ in 0..<10 where allowance.take(7, start) { written += 1 }
    #expect(written == 3)
    #expect(allowance.nextEnd == start.advanced(byNanoseconds: 1_000_000_000))
    let early = allowance.ended(start)
    #expect(early.isEmpty)
    let later = start.advanced(byNanoseconds: 1_000_000_000)
    // None is written before the count is told.
    let tooEarly = allowance.take(7, later)
    #expect(!tooEarly)
    let told = allowance.ended(later)
    #expect(told.map(\.user) == [7])
    #expect(told.map(\.leftOut) == [8])
    let again = allowance.ended(later)
    #expect(again.isEmpty)
    let next = allowance.take(7, later)
    #expect(next)
    #expect(allowance.nextEnd == .never)
  }

  @Test func usersHaveAllowancesOfTheirOwn() {
    var allowance = LogRateLimiter(linesPerSecond: 1)
    let taken = [allowance.take(1, start), allowance.take(1, start), allowance.take(2, start)]
    #expect(taken == [true, false, true])
  }

  @Test func quietSecondBeginsAnew() {
    var allowance = LogRateLimiter(linesPerSecond: 1)
    for second in 0..<5 as Range<Int64> {
      let taken = allowance.take(1, start.advanced(byNanoseconds: second * 1_000_000_000))
      #expect(taken)
    }
    #expect(allowance.nextEnd == .never)
  }

  @Test func countIsToldThoughNothingFollows() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    // A request on an even stream, refused and no more.
    for _ in 0..<200 { try peer.send(Frames.header(0, 2)) }
    for _ in 0..<200 { #expect(try peer.receiveStatus().failure?.code == .invalidArgument) }
    let end = MonotonicTime.now().advanced(byNanoseconds: 20_000_000_000)
    while !engine.log.lines.contains(where: { $0.contains("lines left out") }), MonotonicTime.now() < end {
      try peer.send(try Frames.health(1))
      _ = try peer.receiveStatus()
    }
    let refused = engine.log.lines.count { $0.contains("call refused") }
    let told = try #require(engine.log.lines.first { $0.contains("lines left out") })
    #expect(refused >= 20 && refused < 200)
    #expect(told.contains("count=\(200 - refused)"))
  }
}
