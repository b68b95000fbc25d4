import Testing
import Tracking

@Suite struct AnalysisScheduleTests {
  /// The indices of the frames at these times that are searched.
  private func searched(_ times: [Int64], rate: Float) -> [Int] {
    var schedule = AnalysisSchedule(rate: rate)
    return times.indices.filter { index in
      let isDue = schedule.isDue(at: times[index])
      if isDue { schedule.searched(at: times[index]) }
      return isDue
    }
  }

  @Test func withoutARateEveryFrameIsSearched() {
    #expect(searched([0, 1, 2, 2, 1], rate: 0) == [0, 1, 2, 3, 4])
    #expect(!AnalysisSchedule(rate: 0).leavesOut)
    #expect(AnalysisSchedule(rate: 5).leavesOut)
  }

  @Test func everyFifthFrameOf25IsSearchedAtRateFive() {
    let times = (0..<50).map { Int64($0) * 40_000_000 }
    #expect(searched(times, rate: 5) == Array(stride(from: 0, to: 50, by: 5)))
    #expect(searched(times, rate: 25) == Array(0..<50))
    #expect(searched(times, rate: 100) == Array(0..<50))
  }

  @Test func jitterOfTimesChangesNothing() {
    // The times vary by up to 3 ms, in no order.
    let times = (0..<200).map { (frame: Int64) -> Int64 in
      let wavering = frame * 7919 % 7 - 3
      return frame * 33_333_333 + wavering * 1_000_000
    }
    #expect(searched(times, rate: 5) == Array(stride(from: 0, to: 200, by: 6)))
  }

  /// 24 frames a second are not a multiple of 5: the mean rate is kept.
  @Test func theMeanRateIsKept() {
    let times = (0..<240).map { Int64($0) * 1_000_000_000 / 24 }
    #expect(searched(times, rate: 5).count == 50)
  }

  @Test func gapOrBackwardTimeRestartsTheSchedule() {
    let times: [Int64] = [0, 40, 5000, 5040, 5080, 100, 140, 180, 300].map { $0 * 1_000_000 }
    #expect(searched(times, rate: 5) == [0, 2, 5, 8])
    #expect(searched([.max - 1, .max, 0, .min, .max], rate: 5).first == 0)
  }
}
