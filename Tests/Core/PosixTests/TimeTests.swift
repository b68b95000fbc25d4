import FaceCore
import Posix
import Testing

@Suite struct TimeTests {
  @Test func neverIsLaterThanEverything() {
    #expect(MonotonicTime.now() < .never)
    #expect(MonotonicTime.never + .nanoseconds(1) == .never)
    #expect(MonotonicTime.never.pollTimeout == -1)
    #expect(MonotonicTime(nanoseconds: 0).pollTimeout == 0)
    #expect(MonotonicTime(nanoseconds: .min).pollTimeout == 0)
  }

  @Test func pollTimeoutIsRoundedUpAndBounded() {
    #expect((MonotonicTime.now() + .seconds(900)).pollTimeout > 0)
    #expect((MonotonicTime.now() + .max / 2).pollTimeout == .max)
  }
}
