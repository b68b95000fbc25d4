import FaceCore
import Posix
import Wire

/// One open `Detector/Watch` or `Detector/Check`: its frames from their arrival to their answers, which are sent in the same
/// order.
///
/// At most one frame runs: it is with the workers. The frames after it wait here, and so do the answers of frames that did
/// not run: dropped and refused ones. Used by the event loop alone, under its lock.
final class WatchStream {
  /// Whole frames of the wire, one for each of `count` frames of the stream.
  private struct Answers {
    var bytes: [UInt8]
    var count = 1
  }

  /// What the client's `start` says, and what searches the frames after it, one at a time.
  struct Opening {
    let start: WatchStart
    let searcher: StreamSearcher
  }

  let requestID: RequestID
  let method: Method
  /// Of the stream as a whole. `CallHandler` checks it when a frame's turn comes, and the frame's token while it runs.
  let deadline: MonotonicTime
  let trace: RequestTrace
  /// `nil` until the client's `start` has come.
  var opening: Opening?
  /// Of a guided check whose picture the engine keeps.
  var reservation: Reservation?
  /// The client sends no more.
  var isClosedByClient = false
  /// Why the engine takes no more.
  var ending: Status?
  private var frames = InOrderFrames<StreamFrame, Answers>()
  /// Answers that wait for those before them, and their bytes.
  private var heldCount = 0
  private(set) var heldBytes = 0

  init(requestID: RequestID, method: Method, deadline: MonotonicTime, trace: RequestTrace) {
    self.requestID = requestID
    self.method = method
    self.deadline = deadline
    self.trace = trace
  }

  /// Whether a frame is with the workers.
  var isWorking: Bool { frames.runningCount > 0 }

  /// Whether every frame is answered.
  var isIdle: Bool { frames.isEmpty }

  /// Frames that have come and not been answered.
  var unanswered: Int { frames.waitingCount + frames.runningCount + heldCount }

  /// Lets a frame wait until the ones before it are answered.
  func wait(_ frame: StreamFrame) {
    frames.append(frame)
  }

  /// The frame that the workers may have next.
  func startNext() -> StreamFrame? {
    guard let frame = frames.start() else { return nil }
    frame.reservation?.release()
    return frame
  }

  /// The frame that was with the workers is answered.
  func finish() {
    _ = frames.removeRunning()
  }

  /// The followed faces of the frame that is with the workers, which the frame that takes its place has to have.
  var followedOfWorking: [FollowedFace] { frames.running { _ in true }?.info.followed ?? [] }

  /// Puts a newer frame in the place of the one that is with the workers.
  /// - Returns: the answer of that one.
  func replaceWorking(with frame: StreamFrame) -> [UInt8]? {
    guard let old = frames.removeRunning() else { return nil }
    frames.appendRunning(frame)
    return dropped(old, total: frames.countDropped()).bytes
  }

  /// Drops the frame that waits, if one does.
  /// - Returns: its followed faces, for the frame that takes its place; `nil` when none waits.
  func dropWaiting() -> [FollowedFace]? {
    let frame = frames.dropWaiting { frame, total in hold(dropped(frame, total: total)) }
    guard let frame else { return nil }
    join()
    return frame.info.followed
  }

  private func dropped(_ frame: StreamFrame, total: UInt64) -> Answers {
    Answers(bytes: WatchCall.droppedFrame(stream: requestID.stream, frame.info, total: total))
  }

  /// Answers a frame that does not run; the answer is sent after those before it.
  func settle(_ answer: [UInt8]) {
    frames.appendSettled(hold(Answers(bytes: answer)))
    join()
  }

  private func hold(_ answers: Answers) -> Answers {
    heldCount += answers.count
    heldBytes += answers.bytes.count
    return answers
  }

  /// Answers whose turn it is to be sent.
  func popSettled() -> [UInt8]? {
    guard let answers = frames.popSettled() else { return nil }
    heldCount -= answers.count
    heldBytes -= answers.bytes.count
    return answers.bytes
  }

  /// So that there are never more than twice as many entries as frames that wait.
  private func join() {
    frames.joinSettled { answers, next in
      answers.bytes += next.bytes
      answers.count += next.count
    }
  }
}
