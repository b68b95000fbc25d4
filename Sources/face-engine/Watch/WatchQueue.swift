import Capture
import FaceCore
import Posix

/// What the threads of a watch hand to the one that runs it: items from the source's thread, answers from the stream's.
final class WatchQueue: Sendable {
  /// An item, with its number if it is a frame.
  struct Entry {
    let item: SourceItem
    let number: UInt64
    /// Frames dropped before this one.
    let dropped: UInt64

    /// It can be searched while the one before it still is.
    var isFrame: Bool {
      if case .frame = item { true } else { false }
    }
  }

  enum Step {
    case answer(FrameEvent)
    case item(Entry)
    /// The source has ended, by a failure if there is one, and all that it gave was taken.
    case end(Status?)
  }

  private struct State {
    var waiting: [Entry] = []
    var answers: [FrameEvent] = []
    var lastNumber: UInt64 = 0
    var dropped: UInt64 = 0
    var hasEnded = false
    var failure: Status?
    var isStopped = false
  }

  /// Frames that wait where none is dropped, beyond which the source does.
  private static let room = 2

  private let pacing: FramePacing
  private let state = Monitor(State())
  private let changed = Condition()

  init(_ pacing: FramePacing) {
    self.pacing = pacing
  }

  // MARK: The source's thread

  /// Takes all that `source` gives.
  func feed(from source: any FrameSource, or interruption: Interruption) {
    do throws(Status) {
      while true {
        let item = try source.next(or: interruption)
        if case .ended = item { return end(nil) }
        guard put(item) else { return }
      }
    } catch {
      end(error)
    }
  }

  /// - Returns: whether more is wanted.
  private func put(_ item: SourceItem) -> Bool {
    let taken = state.wait(for: changed) { state -> (isTaken: Bool, dropped: Entry?)? in
      if state.isStopped { return (false, nil) }
      guard item.countsAsFrame else {
        state.waiting.append(Entry(item: item, number: 0, dropped: state.dropped))
        return (true, nil)
      }
      var dropped: Entry?
      switch pacing {
      case .everyFrame:
        guard state.waiting.count < WatchQueue.room else { return nil }
      case .newest:
        if let index = state.waiting.firstIndex(where: \.item.countsAsFrame) {
          dropped = state.waiting.remove(at: index)
          state.dropped += 1
        }
      }
      state.lastNumber += 1
      state.waiting.append(Entry(item: item, number: state.lastNumber, dropped: state.dropped))
      return (true, dropped)
    }
    changed.wakeAll()
    // The dropped frame goes back to its source here, without the lock.
    return taken?.isTaken == true
  }

  private func end(_ failure: Status?) {
    state.withLock { state in
      state.hasEnded = true
      state.failure = failure
    }
    changed.wakeAll()
  }

  // MARK: Other threads

  func answer(_ event: FrameEvent) {
    state.withLock { state in state.answers.append(event) }
    changed.wakeAll()
  }

  /// What waits is forgotten, and nothing more is taken.
  func stop() {
    let forgotten = state.withLock { state in
      state.isStopped = true
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    changed.wakeAll()
    withExtendedLifetime(forgotten) {}
  }

  /// Waits for what there is to do next.
  /// - Parameters:
  ///   - unanswered: frames that are with the engine.
  ///   - window: as many as may be. What is no frame is given when there are none, so that all is told in order.
  func next(unanswered: Int, window: Int) -> Step {
    let step = state.wait(for: changed) { state -> Step? in
      if !state.answers.isEmpty { return .answer(state.answers.removeFirst()) }
      if let first = state.waiting.first {
        guard unanswered == 0 || first.isFrame && unanswered < window else { return nil }
        return .item(state.waiting.removeFirst())
      }
      return state.hasEnded && unanswered == 0 ? .end(state.failure) : nil
    }
    changed.wakeAll()
    return step ?? .end(nil)  // without a deadline the wait ends with a step
  }

  /// Frames dropped so far.
  var dropped: UInt64 { state.withLock { state in state.dropped } }
}

extension SourceItem {
  fileprivate var countsAsFrame: Bool {
    switch self {
    case .frame, .broken: true
    case .camera, .ended: false
    }
  }
}
