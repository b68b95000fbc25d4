/// The frames of one stream that have no answer yet, or whose answer waits for those of the frames before
/// them.
///
/// A frame waits, then runs, then is settled: it has its answer. Frames start in the order in which they
/// came, and answers are taken out in that order too, whichever frame was settled first. In a stream where
/// the newest frame wins, at most one frame waits: the next one drops it.
///
/// The entries are in a ring buffer that grows when it is full and never shrinks, so that a steady stream
/// allocates nothing. Frames that are settled are returned, so that the owner can release them outside of a
/// lock.
public struct InOrderFrames<Frame, Answer> {
  private enum Entry {
    case free
    case waiting(Frame)
    case running(Frame)
    case settled(Answer)
  }

  /// The ring buffer; its length is a power of two, or 0.
  private var ring: [Entry] = []
  /// The position of the oldest entry.
  private var first = 0
  /// The number of frames that are not settled and of answers that were not taken out.
  public private(set) var count = 0
  public private(set) var waitingCount = 0
  public private(set) var runningCount = 0
  /// Frames dropped so far.
  public private(set) var droppedCount: UInt64 = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  /// Whether a frame waits or runs.
  public var isBusy: Bool { waitingCount + runningCount > 0 }

  // MARK: Adding

  public mutating func append(_ frame: Frame) {
    waitingCount += 1
    append(.waiting(frame))
  }

  /// Adds a frame that is running already, in a stream where no frames wait.
  public mutating func appendRunning(_ frame: Frame) {
    precondition(waitingCount == 0)
    runningCount += 1
    append(.running(frame))
  }

  /// Adds the answer to a frame that is not run.
  public mutating func appendSettled(_ answer: Answer) {
    append(.settled(answer))
  }

  private mutating func append(_ entry: Entry) {
    if count == ring.count { grow() }
    ring[position(count)] = entry
    count += 1
    assert(waitingCount + runningCount <= count, "each frame is in one entry")
  }

  private mutating func grow() {
    var larger = [Entry](repeating: .free, count: max(8, 2 * ring.count))
    for index in 0..<count { larger[index] = ring[position(index)] }
    ring = larger
    first = 0
  }

  /// Returns the position of the entry with `index` others before it.
  private func position(_ index: Int) -> Int { (first + index) & (ring.count - 1) }

  // MARK: Starting and settling

  /// Starts the frame that has waited longest.
  /// - Returns: that frame; `nil` when none waits.
  public mutating func start() -> Frame? {
    guard let (index, frame) = firstWaiting() else { return nil }
    assert(index == 0 || !isWaiting(index - 1), "frames start in their order")
    ring[position(index)] = .running(frame)
    waitingCount -= 1
    runningCount += 1
    return frame
  }

  public func running(where matches: (Frame) -> Bool) -> Frame? { firstRunning(matches)?.frame }

  /// Settles the first running frame for which `matches` is true.
  /// - Returns: that frame; `nil` when there is none.
  @discardableResult
  public mutating func settle(_ answer: Answer, where matches: (Frame) -> Bool = { _ in true }) -> Frame? {
    guard let (index, frame) = firstRunning(matches) else { return nil }
    ring[position(index)] = .settled(answer)
    runningCount -= 1
    return frame
  }

  /// Settles the frame that has waited longest without starting it.
  /// - Returns: that frame; `nil` when none waits.
  public mutating func settleWaiting(_ answer: (Frame) -> Answer) -> Frame? {
    guard let (index, frame) = firstWaiting() else { return nil }
    ring[position(index)] = .settled(answer(frame))
    waitingCount -= 1
    return frame
  }

  /// Settles every frame that waits or runs.
  /// - Returns: those frames.
  public mutating func settleAll(_ answer: (Frame) -> Answer) -> [Frame] {
    var frames: [Frame] = []
    for index in 0..<count {
      switch ring[position(index)] {
      case .waiting(let frame), .running(let frame):
        frames.append(frame)
        ring[position(index)] = .settled(answer(frame))
      case .settled, .free: break
      }
    }
    assert(frames.count == waitingCount + runningCount, "the counts are those of the entries")
    (waitingCount, runningCount) = (0, 0)
    return frames
  }

  // MARK: Replacing

  /// The frames that wait or run, in their order.
  public var unsettled: [Frame] {
    (0..<count).compactMap { index in
      switch ring[position(index)] {
      case .waiting(let frame), .running(let frame): frame
      case .settled, .free: nil
      }
    }
  }

  /// The frames that run, in their order.
  public var running: [Frame] {
    (0..<count).compactMap { index in
      if case .running(let frame) = ring[position(index)] { frame } else { nil }
    }
  }

  /// The fate of a frame in `replaceUnsettled`.
  public enum Replacement {
    case frame(Frame)
    case answer(Answer)
  }

  /// Replaces or settles the frames that wait or run.
  public mutating func replaceUnsettled(_ replace: (Frame) -> Replacement) {
    for index in 0..<count {
      let entry = ring[position(index)]
      switch entry {
      case .waiting(let frame):
        ring[position(index)] = replaced(replace(frame), Entry.waiting)
        if case .settled = ring[position(index)] { waitingCount -= 1 }
      case .running(let frame):
        ring[position(index)] = replaced(replace(frame), Entry.running)
        if case .settled = ring[position(index)] { runningCount -= 1 }
      case .settled, .free: break
      }
    }
  }

  private func replaced(_ replacement: Replacement, _ entry: (Frame) -> Entry) -> Entry {
    switch replacement {
    case .frame(let frame): entry(frame)
    case .answer(let answer): .settled(answer)
    }
  }

  /// Makes the frames that run wait again, except the first `count` of them.
  public mutating func stop(after count: Int) {
    var excess = runningCount - count
    for index in (0..<self.count).reversed() where excess > 0 {
      guard case .running(let frame) = ring[position(index)] else { continue }
      ring[position(index)] = .waiting(frame)
      runningCount -= 1
      waitingCount += 1
      excess -= 1
    }
  }

  // MARK: Dropping

  /// Drops the frame that has waited longest, for a newer one.
  /// - Parameter answer: makes the answer, given the frame and the number dropped so far, this one included.
  /// - Returns: that frame; `nil` when none waits.
  public mutating func dropWaiting(_ answer: (Frame, UInt64) -> Answer) -> Frame? {
    let total = droppedCount + 1
    guard let frame = settleWaiting({ frame in answer(frame, total) }) else { return nil }
    droppedCount = total
    return frame
  }

  /// Drops the frame that has waited longest in a stream without answers to dropped frames.
  /// - Returns: that frame; `nil` when none waits.
  public mutating func dropWaiting() -> Frame? {
    guard let frame = removeWaiting() else { return nil }
    droppedCount += 1
    return frame
  }

  /// Counts a frame that was dropped elsewhere.
  /// - Returns: the number dropped so far, this one included.
  public mutating func countDropped() -> UInt64 {
    droppedCount += 1
    return droppedCount
  }

  // MARK: Removing

  /// Removes and returns the oldest entry if it is an answer.
  public mutating func popSettled() -> Answer? {
    guard count > 0, case .settled(let answer) = ring[first] else { return nil }
    remove(0)
    return answer
  }

  /// Removes the first running frame, which gets no answer from here.
  public mutating func removeRunning() -> Frame? {
    guard let (index, frame) = firstRunning({ _ in true }) else { return nil }
    runningCount -= 1
    remove(index)
    return frame
  }

  public mutating func removeWaiting() -> Frame? {
    guard let (index, frame) = firstWaiting() else { return nil }
    waitingCount -= 1
    remove(index)
    return frame
  }

  /// Joins answers that follow one another into one.
  /// - Parameter join: adds the second answer to the first.
  public mutating func joinSettled(_ join: (inout Answer, Answer) -> Void) {
    var index = 0
    while index + 1 < count {
      guard case .settled(var answer) = ring[position(index)],
        case .settled(let next) = ring[position(index + 1)]
      else {
        index += 1
        continue
      }
      // `answer` holds the only reference, so that it grows in place.
      ring[position(index)] = .free
      join(&answer, next)
      ring[position(index)] = .settled(answer)
      remove(index + 1)
    }
  }

  private mutating func remove(_ index: Int) {
    if index == 0 {
      ring[first] = .free
      first = position(1)
    } else {
      for later in index..<count - 1 { ring[position(later)] = ring[position(later + 1)] }
      ring[position(count - 1)] = .free
    }
    count -= 1
    assert(waitingCount >= 0 && runningCount >= 0 && waitingCount + runningCount <= count)
  }

  private func firstWaiting() -> (index: Int, frame: Frame)? {
    guard waitingCount > 0 else { return nil }
    // If there is only one, it is usually the newest, behind all those that it overtook.
    let isOnly = waitingCount == 1
    for step in 0..<count {
      let index = isOnly ? count - 1 - step : step
      if case .waiting(let frame) = ring[position(index)] { return (index, frame) }
    }
    return nil
  }

  private func isWaiting(_ index: Int) -> Bool {
    if case .waiting = ring[position(index)] { true } else { false }
  }

  private func firstRunning(_ matches: (Frame) -> Bool) -> (index: Int, frame: Frame)? {
    guard runningCount > 0 else { return nil }
    for index in 0..<count {
      if case .running(let frame) = ring[position(index)], matches(frame) { return (index, frame) }
    }
    return nil
  }
}
