import FaceCore
import Posix
import Testing

@Suite struct TimeTests {
  @Test func neverIsLaterThanEverything() {
    #expect(MonotonicTime.now() < .never)
    #expect(MonotonicTime.never.advanced(byNanoseconds: 1) == .never)
    #expect(MonotonicTime.never.pollTimeout == -1)
    #expect(MonotonicTime(nanoseconds: 0).pollTimeout == 0)
  }

  @Test func pollTimeoutIsRoundedUpAndBounded() {
    #expect(MonotonicTime.now().advanced(byNanoseconds: 900_000_000_000).pollTimeout > 0)
    #expect(MonotonicTime.now().advanced(byNanoseconds: .max / 2).pollTimeout == .max)
  }
}
