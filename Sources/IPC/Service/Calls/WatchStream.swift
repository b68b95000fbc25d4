package import FaceCore
package import Wire

/// One open `Detector/Watch` or `Detector/Check`: its frames from their arrival to their answers, which are
/// sent in the same order.
///
/// At most one frame is with the workers. Later frames wait here, and so do the answers of frames that were
/// dropped or refused. Used only by the event loop, under its lock.
package final class WatchStream {
  /// Encoded wire frames, one for each of `count` frames of the stream.
  private struct Answers {
    var bytes: [UInt8]
    var count = 1
  }

  /// The client's `start`, and the searcher for the frames after it, which come one at a time.
  struct Opening {
    let start: WatchStart
    let searcher: StreamSearcher
  }

  package let requestID: RequestID
  package let method: Method
  /// The deadline of the whole stream. `CallHandler` checks it when a frame's turn comes, and the frame's
  /// token while it runs.
  let deadline: MonotonicTime
  let trace: RequestTrace
  /// The opening; `nil` until the client's `start` has come.
  var opening: Opening?
  /// The reservation for a guided check whose picture the engine keeps.
  var reservation: Reservation?
  /// Whether the client has stopped sending.
  package var isClosedByClient = false
  /// Why the engine accepts no more frames.
  package var ending: Status?
  private var frames = InOrderFrames<StreamFrame, Answers>()
  /// Answers that wait for earlier ones, and their bytes.
  private var heldCount = 0
  package private(set) var heldBytes = 0

  init(requestID: RequestID, method: Method, deadline: MonotonicTime, trace: RequestTrace) {
    self.requestID = requestID
    self.method = method
    self.deadline = deadline
    self.trace = trace
  }

  package var isWorking: Bool { frames.runningCount > 0 }

  /// Whether every frame is answered.
  package var isIdle: Bool { frames.isEmpty }

  package var unsettledCount: Int { frames.waitingCount + frames.runningCount }

  /// The number of frames that were received and not answered.
  package var unanswered: Int { unsettledCount + heldCount }

  /// Queues a frame until the ones before it are answered.
  func wait(_ frame: StreamFrame) {
    frames.append(frame)
  }

  /// Takes the next frame for the workers.
  func startNext() -> StreamFrame? {
    guard let frame = frames.start() else { return nil }
    frame.reservation?.release()
    return frame
  }

  /// Marks the frame that was with the workers as answered.
  func finish() {
    _ = frames.removeRunning()
  }

  /// The followed faces of the frame that is with the workers. The frame that replaces it has to take them
  /// over.
  var followedOfWorking: [FollowedFace] { frames.running { _ in true }?.info.followed ?? [] }

  /// Replaces the frame that is with the workers by a newer one.
  /// - Returns: the answer to the replaced frame.
  func replaceWorking(with frame: StreamFrame) -> [UInt8]? {
    guard let old = frames.removeRunning() else { return nil }
    frames.appendRunning(frame)
    return dropped(old, total: frames.countDropped()).bytes
  }

  /// Drops the waiting frame, if there is one.
  /// - Returns: its followed faces, for the frame that replaces it; `nil` if none waits.
  func dropWaiting() -> [FollowedFace]? {
    let frame = frames.dropWaiting { frame, total in hold(dropped(frame, total: total)) }
    guard let frame else { return nil }
    join()
    return frame.info.followed
  }

  private func dropped(_ frame: StreamFrame, total: UInt64) -> Answers {
    Answers(bytes: WatchCall.droppedFrame(stream: requestID.stream, frame.info, total: total))
  }

  /// Answers a frame without running it; the answer is sent after those before it.
  func settle(_ answer: [UInt8]) {
    frames.appendSettled(hold(Answers(bytes: answer)))
    join()
  }

  private func hold(_ answers: Answers) -> Answers {
    heldCount += answers.count
    heldBytes += answers.bytes.count
    return answers
  }

  /// Takes the next answer that may be sent.
  func popSettled() -> [UInt8]? {
    guard let answers = frames.popSettled() else { return nil }
    heldCount -= answers.count
    heldBytes -= answers.bytes.count
    return answers.bytes
  }

  /// Joins adjacent answers, so that there are never more than twice as many entries as waiting frames.
  private func join() {
    frames.joinSettled { answers, next in
      answers.bytes += next.bytes
      answers.count += next.count
    }
  }
}
