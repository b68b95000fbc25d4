import Capture
import FaceCore
import Posix

/// Passes frames from the source's thread, and their answers from the stream's, to the thread that runs a
/// watch.
///
/// Answers come out in the order of the frames, and camera events between them in the order of their
/// occurrence.
final class WatchQueue: Sendable {
  /// A received frame, complete or broken.
  struct Entry {
    enum Content {
      case whole(CapturedFrame)
      case broken(Status, FrameOrigin)
    }

    let content: Content
    /// The number in the source's order, from 1; dropped frames count.
    let number: UInt64
    /// Frames dropped before this one.
    let dropped: UInt64
  }

  enum Answer {
    case frame(Entry, FrameEvent)
    case camera(CameraEvent)
  }

  enum Step {
    case submit(Entry)
    case report(Answer)
    /// The source has ended, possibly with a failure, and every frame was answered.
    case end(Status?)
  }

  private struct State {
    var frames = InOrderFrames<Entry, Answer>()
    var lastNumber: UInt64 = 0
    var hasEnded = false
    var failure: Status?
    var isStopped = false
  }

  /// The number of waiting frames in mode `every` from which on the source waits.
  private static let room = 2

  private let mode: StreamMode
  private let state = Monitor(State())
  private let changed = Condition()

  init(_ mode: StreamMode) {
    self.mode = mode
  }

  // MARK: The source's thread

  /// Reads `source` until it ends or no more frames are wanted.
  func feed(from source: any FrameSource, or interruption: Interruption) {
    do throws(Status) {
      var isWanted = true
      while isWanted {
        switch try source.next(or: interruption) {
        case .frame(let frame): isWanted = append(.whole(frame))
        case .broken(let status, let origin): isWanted = append(.broken(status, origin))
        case .camera(let event): isWanted = append(event)
        case .ended: return end(nil)
        }
      }
    } catch {
      end(error)
    }
  }

  /// - Returns: whether more frames are wanted.
  private func append(_ content: Entry.Content) -> Bool {
    let outcome = state.wait(for: changed) { state -> (isWanted: Bool, dropped: Entry?)? in
      if state.isStopped { return (false, nil) }
      var dropped: Entry?
      switch mode {
      case .every:
        guard state.frames.waitingCount < WatchQueue.room else { return nil }
      case .newest: dropped = state.frames.dropWaiting()
      }
      state.lastNumber += 1
      state.frames.append(
        Entry(content: content, number: state.lastNumber, dropped: state.frames.droppedCount))
      return (true, dropped)
    }
    changed.wakeAll()
    // The dropped frame goes back to its source here, without the lock.
    return outcome?.isWanted == true
  }

  /// - Returns: whether more frames are wanted.
  private func append(_ event: CameraEvent) -> Bool {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.frames.appendSettled(.camera(event)) }
      return state.isStopped
    }
    changed.wakeAll()
    return !isStopped
  }

  private func end(_ failure: Status?) {
    state.withLock { state in
      state.hasEnded = true
      state.failure = failure
    }
    changed.wakeAll()
  }

  // MARK: Other threads

  /// Settles the first of the frames with the engine, which answers them in order.
  func settle(_ event: FrameEvent) {
    settle(event) { _ in true }
  }

  /// Settles a frame that cannot be searched.
  func settle(_ entry: Entry, _ failure: Status) {
    settle(FrameEvent(frame: FrameInfo(number: entry.number), outcome: .failed(failure))) {
      $0.number == entry.number
    }
  }

  private func settle(_ event: FrameEvent, where matches: (Entry) -> Bool) {
    state.withLock { state in
      guard let entry = state.frames.running(where: matches) else { return }
      state.frames.settle(.frame(entry, event)) { $0.number == entry.number }
    }
    changed.wakeAll()
  }

  /// Drops the waiting frames and accepts no more.
  func stop() {
    let forgotten = state.withLock { state in
      state.isStopped = true
      state.hasEnded = true
      var forgotten: [Entry] = []
      while let entry = state.frames.removeWaiting() { forgotten.append(entry) }
      return forgotten
    }
    changed.wakeAll()
    withExtendedLifetime(forgotten) {}
  }

  /// Waits for the next step.
  /// - Parameter window: how many frames may be with the engine.
  func next(window: Int) -> Step {
    let step = state.wait(for: changed) { state -> Step? in
      if let answer = state.frames.popSettled() { return .report(answer) }
      if state.frames.runningCount < window, let entry = state.frames.start() { return .submit(entry) }
      return state.hasEnded && state.frames.isEmpty ? .end(state.failure) : nil
    }
    changed.wakeAll()
    return step ?? .end(nil)  // without a deadline, the wait always ends with a step
  }

  /// The number of frames dropped so far.
  var dropped: UInt64 { state.withLock { state in state.frames.droppedCount } }
}
