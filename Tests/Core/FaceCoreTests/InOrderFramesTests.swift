import FaceCore
import TestSupport
import Testing

@Suite struct InOrderFramesTests {
  private typealias Frames = InOrderFrames<Int, String>

  private func popAll(_ frames: inout Frames) -> [String] {
    var answers: [String] = []
    while let answer = frames.popSettled() { answers.append(answer) }
    return answers
  }

  @Test func framesStartInTheirOrder() {
    var frames = Frames()
    #expect(frames.isEmpty && !frames.isBusy)
    #expect(frames.start() == nil)
    for frame in 1...3 { frames.append(frame) }
    #expect(frames.count == 3 && frames.waitingCount == 3 && frames.runningCount == 0)
    #expect(frames.start() == 1 && frames.start() == 2)
    #expect(frames.count == 3 && frames.waitingCount == 1 && frames.runningCount == 2)
    #expect(frames.start() == 3)
    #expect(frames.start() == nil)
    #expect(frames.isBusy && !frames.isEmpty)
  }

  @Test func replacingUnsettledFramesKeepsTheOrder() {
    var frames = Frames()
    for frame in 1...5 { frames.append(frame) }
    for _ in 1...3 { _ = frames.start() }
    frames.settle("one") { $0 == 1 }
    #expect(frames.unsettled == [2, 3, 4, 5] && frames.running == [2, 3])
    frames.replaceUnsettled { frame in frame % 2 == 1 ? .answer("no \(frame)") : .frame(frame * 10) }
    #expect(frames.unsettled == [20, 40] && frames.running == [20])
    #expect(frames.runningCount == 1 && frames.waitingCount == 1)
    frames.settle("two")
    #expect(frames.start() == 40)
    frames.settle("four")
    #expect(popAll(&frames) == ["one", "two", "no 3", "four", "no 5"] && frames.isEmpty)
  }

  @Test func answersComeOutInTheOrderOfTheFrames() {
    var frames = Frames()
    for frame in 1...4 { frames.append(frame) }
    while frames.start() != nil {}
    #expect(frames.settle("three") { $0 == 3 } == 3)
    #expect(frames.settle("two") { $0 == 2 } == 2)
    #expect(frames.popSettled() == nil)
    #expect(frames.settle("one") { $0 == 1 } == 1)
    #expect(popAll(&frames) == ["one", "two", "three"])
    #expect(frames.count == 1 && frames.runningCount == 1)
    #expect(frames.settle("four") == 4)
    #expect(popAll(&frames) == ["four"])
    #expect(frames.isEmpty && frames.runningCount == 0)
  }

  @Test func onlyRunningFramesAreSettled() {
    var frames = Frames()
    frames.append(1)
    #expect(frames.settle("early") == nil)
    #expect(frames.running { _ in true } == nil)
    #expect(frames.start() == 1)
    #expect(frames.running { $0 == 1 } == 1)
    #expect(frames.running { $0 == 2 } == nil)
    #expect(frames.settle("other") { $0 == 2 } == nil)
    #expect(frames.settle("one") == 1)
    #expect(frames.settle("again") == nil)
    #expect(popAll(&frames) == ["one"])
  }

  @Test func frameCanBeAppendedAsRunning() {
    var frames = Frames()
    frames.appendRunning(1)
    #expect(frames.runningCount == 1 && frames.waitingCount == 0)
    #expect(frames.settle("one") == 1)
    #expect(popAll(&frames) == ["one"])
  }

  /// One frame runs and one waits: each new frame drops the one that waits, and the answer of that one waits
  /// for its turn.
  @Test func theNewestFrameWins() {
    var frames = Frames()
    frames.append(1)
    #expect(frames.start() == 1)
    for frame in 2...5 {
      let dropped = frames.dropWaiting { frame, total in "\(frame) dropped, \(total) in all" }
      #expect(dropped == (frame == 2 ? nil : frame - 1))
      frames.append(frame)
    }
    #expect(frames.waitingCount == 1 && frames.count == 5 && frames.droppedCount == 3)
    #expect(frames.popSettled() == nil)
    #expect(frames.settle("1") == 1)
    #expect(
      popAll(&frames) == ["1", "2 dropped, 1 in all", "3 dropped, 2 in all", "4 dropped, 3 in all"])
    #expect(frames.start() == 5)
    #expect(frames.countDropped() == 4)
    #expect(frames.droppedCount == 4)
  }

  @Test func droppedFramesMayGoWithoutAnAnswer() {
    var frames = Frames()
    #expect(frames.dropWaiting() == nil)
    #expect(frames.droppedCount == 0)
    frames.append(1)
    frames.appendSettled("between")
    #expect(frames.dropWaiting() == 1)
    frames.append(2)
    #expect(frames.droppedCount == 1 && frames.count == 2)
    #expect(frames.popSettled() == "between")
    #expect(frames.removeWaiting() == 2)
    #expect(frames.droppedCount == 1 && frames.isEmpty)
    #expect(frames.removeWaiting() == nil)
  }

  @Test func waitingFrameCanBeSettledWithoutRunning() {
    var frames = Frames()
    frames.append(1)
    frames.append(2)
    frames.append(3)
    #expect(frames.start() == 1)
    #expect(frames.settleWaiting { "\($0) closed" } == 2)
    #expect(frames.waitingCount == 1 && frames.droppedCount == 0)
    #expect(frames.settle("1") == 1)
    #expect(popAll(&frames) == ["1", "2 closed"])
    #expect(frames.settleWaiting { "\($0) closed" } == 3)
    #expect(frames.settleWaiting { "\($0) closed" } == nil)
  }

  @Test func settleAllSettlesRunningAndWaitingFrames() {
    var frames = Frames()
    for frame in 1...4 { frames.append(frame) }
    #expect(frames.start() == 1 && frames.start() == 2)
    #expect(frames.settle("2") { $0 == 2 } == 2)
    #expect(frames.settleAll { "\($0) lost" } == [1, 3, 4])
    #expect(!frames.isBusy && frames.count == 4)
    #expect(popAll(&frames) == ["1 lost", "2", "3 lost", "4 lost"])
    #expect(frames.settleAll { "\($0) lost" }.isEmpty)
  }

  @Test func removeRunningTakesTheFirstFrameIfItRuns() {
    var frames = Frames()
    #expect(frames.removeRunning() == nil)
    frames.append(1)
    frames.append(2)
    #expect(frames.removeRunning() == nil)
    #expect(frames.start() == 1)
    frames.appendSettled("refused")
    #expect(frames.removeRunning() == 1)
    #expect(frames.count == 2 && frames.runningCount == 0 && frames.waitingCount == 1)
    #expect(frames.popSettled() == nil)
    #expect(frames.start() == 2)
    #expect(frames.removeRunning() == 2)
    #expect(popAll(&frames) == ["refused"])
  }

  @Test func consecutiveAnswersAreJoined() {
    var frames = Frames()
    frames.appendSettled("a")
    frames.appendSettled("b")
    frames.append(1)
    frames.appendSettled("c")
    frames.appendSettled("d")
    frames.appendSettled("e")
    frames.append(2)
    frames.appendSettled("f")
    frames.joinSettled { $0 += $1 }
    #expect(frames.count == 5 && frames.waitingCount == 2)
    #expect(frames.popSettled() == "ab")
    #expect(frames.start() == 1)
    #expect(frames.settle("1") == 1)
    frames.joinSettled { $0 += $1 }
    #expect(popAll(&frames) == ["1cde"])
    #expect(frames.removeWaiting() == 2)
    #expect(popAll(&frames) == ["f"])
    frames.joinSettled { $0 += $1 }
    #expect(frames.isEmpty)
  }

  /// After any sequence of steps, the answers are those of a queue that is written down in full.
  @Test(arguments: 0..<20) func randomStepsAgreeWithAPlainQueue(seed: UInt64) {
    enum Model: Equatable {
      case waiting(Int)
      case running(Int)
      case settled(String)
    }
    var generator = SeededGenerator(seed: seed)
    var frames = Frames()
    var model: [Model] = []
    var dropped: UInt64 = 0
    var last = 0
    for _ in 0..<2000 {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0, 1:
        last += 1
        frames.append(last)
        model.append(.waiting(last))
      case 2:
        last += 1
        frames.appendSettled("\(last)")
        model.append(.settled("\(last)"))
      case 3:
        let index = model.firstIndex { if case .waiting = $0 { true } else { false } }
        guard let index, case .waiting(let frame) = model[index] else {
          #expect(frames.start() == nil)
          continue
        }
        #expect(frames.start() == frame)
        model[index] = .running(frame)
      case 4:
        let running = model.indices.filter { if case .running = model[$0] { true } else { false } }
        guard let index = running.randomElement(using: &generator), case .running(let frame) = model[index]
        else {
          #expect(frames.settle("none") == nil)
          continue
        }
        #expect(frames.settle("\(frame)") { $0 == frame } == frame)
        model[index] = .settled("\(frame)")
      case 5:
        let index = model.firstIndex { if case .waiting = $0 { true } else { false } }
        let answer = frames.dropWaiting { "\($0) of \($1)" }
        guard let index, case .waiting(let frame) = model[index] else {
          #expect(answer == nil)
          continue
        }
        dropped += 1
        #expect(answer == frame)
        model[index] = .settled("\(frame) of \(dropped)")
      case 6:
        let index = model.firstIndex { if case .waiting = $0 { true } else { false } }
        #expect((frames.removeWaiting() == nil) == (index == nil))
        if let index { model.remove(at: index) }
      case 7:
        let index = model.firstIndex { if case .running = $0 { true } else { false } }
        #expect((frames.removeRunning() == nil) == (index == nil))
        if let index { model.remove(at: index) }
      default:
        while case .settled(let answer)? = model.first {
          #expect(frames.popSettled() == answer)
          model.removeFirst()
        }
        #expect(frames.popSettled() == nil)
      }
      #expect(frames.count == model.count && frames.droppedCount == dropped)
      #expect(frames.waitingCount == model.count { if case .waiting = $0 { true } else { false } })
      #expect(frames.runningCount == model.count { if case .running = $0 { true } else { false } })
    }
  }

  /// A frame or an answer is released as soon as it is out, not when its place is used again.
  @Test func framesAndAnswersAreReleasedOnceTheyAreOut() {
    final class Thing {}
    var frames = InOrderFrames<Thing, Thing>()
    weak var frame: Thing?
    weak var answer: Thing?
    func step() {
      let made = Thing()
      let result = Thing()
      frame = made
      answer = result
      frames.append(made)
      _ = frames.start()
      _ = frames.settle(result)
    }
    for _ in 0..<20 {
      step()
      #expect(frame == nil)
      #expect(answer != nil)
      _ = frames.popSettled()
      #expect(answer == nil)
    }
  }
}
