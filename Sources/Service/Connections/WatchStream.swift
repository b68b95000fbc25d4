import FaceCore
import Posix
import Wire

/// One open `Detector/Watch` or `Detector/Check`: its frames from their arrival to their answers, which leave in the same order.
///
/// At most one frame is with the workers. What comes after it waits here, and so do the answers of frames that were
/// settled without a turn of their own: dropped ones, and those refused at once. Touched by the event loop alone, under its lock.
final class WatchStream {
  private enum Entry {
    case waiting(StreamFrame)
    /// Answers, whole, and of how many frames.
    case settled([UInt8], Int)
  }

  let requestID: RequestID
  let method: Method
  /// Of the stream as a whole: no frame begins later.
  let deadline: MonotonicTime
  /// `nil` until it comes.
  var start: WatchStart?
  /// Searches its frames, one at a time.
  var searcher = FrameSearcher.single
  /// The client sends no more.
  var isClosedByClient = false
  /// Why the engine takes no more.
  var ending: Status?
  /// Whether a frame is with the workers.
  var isWorking = false
  /// Frames that were dropped.
  private(set) var dropped: UInt64 = 0
  /// Frames that have come and not been answered.
  private(set) var unanswered = 0
  private var entries: [Entry] = []
  /// Bytes of answers that wait for those before them.
  private(set) var heldBytes = 0
  /// Bytes of frames that wait for the one before them.
  private(set) var waitingBytes = 0

  init(requestID: RequestID, method: Method, deadline: MonotonicTime) {
    self.requestID = requestID
    self.method = method
    self.deadline = deadline
  }

  /// Nothing is left to be answered.
  var isIdle: Bool { !isWorking && entries.isEmpty }

  /// A frame has come; `wait`, `settle` or the workers have it next.
  func arrive() {
    unanswered += 1
  }

  /// The frame that was with the workers is answered.
  func answered() {
    isWorking = false
    unanswered -= 1
  }

  /// The answer of the frame that was with the workers, and that another has replaced there.
  func dropWorking(_ frame: StreamFrame) -> [UInt8] {
    unanswered -= 1
    return drop(frame)
  }

  private func drop(_ frame: StreamFrame) -> [UInt8] {
    dropped += 1
    return WatchCall.droppedFrame(stream: requestID.stream, frame.info, total: dropped)
  }

  /// Answers a frame that has no turn to wait for; the answer leaves after those before it.
  func settle(_ answer: [UInt8]) {
    entries.append(.settled(answer, 1))
    heldBytes += answer.count
    join(entries.endIndex - 2)
  }

  /// Lets a frame wait until the ones before it are answered.
  func wait(_ frame: StreamFrame) {
    entries.append(.waiting(frame))
    waitingBytes += frame.body.count
  }

  /// Drops the frame that waits, if one does.
  func dropWaiting() -> Bool {
    for (index, entry) in entries.enumerated() {
      guard case .waiting(let frame) = entry else { continue }
      let answer = drop(frame)
      entries[index] = .settled(answer, 1)
      waitingBytes -= frame.body.count
      heldBytes += answer.count
      join(index)
      join(index - 1)
      return true
    }
    return false
  }

  /// Answers whose turn it is to leave.
  func popSettled() -> [UInt8]? {
    guard case .settled(let bytes, let count)? = entries.first else { return nil }
    entries.removeFirst()
    heldBytes -= bytes.count
    unanswered -= count
    return bytes
  }

  /// The frame that the workers may have next.
  func popWaiting() -> StreamFrame? {
    guard case .waiting(let frame)? = entries.first else { return nil }
    entries.removeFirst()
    waitingBytes -= frame.body.count
    return frame
  }

  /// Makes one entry of the two at `index` and after it when both are answers, so that there are never more than twice as
  /// many entries as frames that wait.
  private func join(_ index: Int) {
    guard index >= 0, index + 1 < entries.count, case .settled(var bytes, let count) = entries[index],
      case .settled(let more, let others) = entries[index + 1]
    else { return }
    entries.remove(at: index + 1)
    // The only reference is `bytes`, so that this grows in place.
    entries[index] = .settled([], 0)
    bytes += more
    entries[index] = .settled(bytes, count + others)
  }
}
