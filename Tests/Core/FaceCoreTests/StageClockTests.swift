import FaceCore
import TestSupport
import Testing

@Suite struct StageClockTests {
  private final class HandClock {
    var time: TimeSpan = .microseconds(1)
  }

  @Test func timeOfANestedStageIsNotCountedTwice() {
    let hands = HandClock()
    let clock = StageClock { hands.time }
    clock.begin(.convert)
    hands.time += 3
    clock.begin(.decode)
    hands.time += 20
    clock.end()
    hands.time += 4
    clock.end()
    // Time between stages counts for no stage.
    hands.time += 500
    clock.begin(.network)
    hands.time += 100
    clock.end()
    clock.begin(.convert)
    hands.time += 1
    clock.end()
    #expect(clock.takeTimes() == [.convert: 8, .decode: 20, .network: 100])
  }

  @Test func takeTimesClearsTheTimes() {
    let hands = HandClock()
    let clock = StageClock { hands.time }
    #expect(clock.takeTimes().isEmpty)
    clock.begin(.boxes)
    clock.end()
    #expect(clock.takeTimes() == [.boxes: 0])
    #expect(clock.takeTimes().isEmpty)
  }

  @Test func unmatchedEndIsIgnored() {
    let clock = StageClock { 0 }
    clock.end()
    #expect(clock.takeTimes().isEmpty)
  }
}
