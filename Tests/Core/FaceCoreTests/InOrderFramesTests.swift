import FaceCore
import TestSupport
import Testing

/// The same queue written down in full: each step searches all of its entries.
private struct PlainQueue {
  enum Entry {
    case waiting(Int)
    case running(Int)
    case settled(String)
  }

  var entries: [Entry] = []
  var dropped: UInt64 = 0

  var waiting: [(index: Int, frame: Int)] {
    entries.enumerated().compactMap { if case .waiting(let frame) = $1 { ($0, frame) } else { nil } }
  }
  var running: [(index: Int, frame: Int)] {
    entries.enumerated().compactMap { if case .running(let frame) = $1 { ($0, frame) } else { nil } }
  }
  var unsettled: [(index: Int, frame: Int)] { (waiting + running).sorted { $0.index < $1.index } }

  /// Replaces the entry of a frame, or removes it; nothing if there is no frame.
  mutating func replace(_ place: (index: Int, frame: Int)?, _ entry: Entry? = nil) {
    guard let place else { return }
    if let entry { entries[place.index] = entry } else { entries.remove(at: place.index) }
  }

  mutating func join() {
    entries = entries.reduce(into: []) { joined, entry in
      if case .settled(let next) = entry, case .settled(let answer)? = joined.last {
        joined[joined.count - 1] = .settled(answer + next)
      } else {
        joined.append(entry)
      }
    }
  }
}

@Suite struct InOrderFramesTests {
  private typealias Frames = InOrderFrames<Int, String>

  /// After any sequence of steps, answers and counts are those of the plain queue.
  @Test(arguments: 0..<20) func randomStepsAgreeWithAPlainQueue(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (frames, plain, last) = (Frames(), PlainQueue(), 0)
    for _ in 0..<2000 {
      let (waiting, running) = (plain.waiting.first, plain.running.first)
      last += 1
      switch Int.random(in: 0..<21, using: &generator) {
      case 0...3:
        frames.append(last)
        plain.entries.append(.waiting(last))
      case 4 where waiting == nil:
        frames.appendRunning(last)
        plain.entries.append(.running(last))
      case 5:
        frames.appendSettled("\(last)")
        plain.entries.append(.settled("\(last)"))
      case 6...9:
        #expect(frames.start() == waiting?.frame)
        plain.replace(waiting, waiting.map { .running($0.frame) })
      case 10:
        let chosen = plain.running.randomElement(using: &generator)
        #expect(frames.running { $0 == chosen?.frame } == chosen?.frame)
        #expect(frames.settle("\(last)") { $0 == chosen?.frame } == chosen?.frame)
        plain.replace(chosen, .settled("\(last)"))
      case 11:
        #expect(frames.settle("\(last)") == running?.frame)
        plain.replace(running, .settled("\(last)"))
      case 12:
        #expect(frames.dropWaiting { "\($0) of \($1)" } == waiting?.frame)
        plain.dropped += waiting == nil ? 0 : 1
        plain.replace(waiting, waiting.map { .settled("\($0.frame) of \(plain.dropped)") })
      case 13:
        #expect(frames.dropWaiting() == waiting?.frame)
        plain.dropped += waiting == nil ? 0 : 1
        plain.replace(waiting)
      case 14:
        #expect(frames.removeWaiting() == waiting?.frame)
        plain.replace(waiting)
      case 15:
        #expect(frames.removeRunning() == running?.frame)
        plain.replace(running)
      case 16:
        #expect(frames.settleWaiting { "\($0) closed" } == waiting?.frame)
        plain.replace(waiting, waiting.map { .settled("\($0.frame) closed") })
      case 17:
        frames.replaceUnsettled { $0 % 3 == 0 ? .answer("no \($0)") : .frame(-$0) }
        let running = Set(plain.running.map(\.index))
        for (index, frame) in plain.unsettled {
          let next: PlainQueue.Entry = running.contains(index) ? .running(-frame) : .waiting(-frame)
          plain.entries[index] = frame % 3 == 0 ? .settled("no \(frame)") : next
        }
      case 18 where seed % 2 == 0:
        #expect(frames.settleAll { "\($0) lost" } == plain.unsettled.map(\.frame))
        for place in plain.unsettled { plain.replace(place, .settled("\(place.frame) lost")) }
      case 18:
        frames.joinSettled { $0 += $1 }
        plain.join()
      case 19:
        let kept = Int.random(in: 0...3, using: &generator)
        frames.stop(after: kept)
        for place in plain.running.dropFirst(kept) { plain.replace(place, .waiting(place.frame)) }
      default:
        while case .settled(let answer)? = plain.entries.first {
          #expect(frames.popSettled() == answer)
          plain.entries.removeFirst()
        }
        #expect(frames.popSettled() == nil)
      }
      #expect(frames.count == plain.entries.count && frames.isEmpty == plain.entries.isEmpty)
      #expect(frames.unsettled == plain.unsettled.map(\.frame) && frames.isBusy == !frames.unsettled.isEmpty)
      #expect(frames.running == plain.running.map(\.frame) && frames.runningCount == frames.running.count)
      #expect(frames.waitingCount == plain.waiting.count && frames.droppedCount == plain.dropped)
    }
    #expect(frames.countDropped() == plain.dropped + 1)
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
