import Client
import FaceCore
import Posix

extension EngineBox {
  /// Checks one photo: a stream of one frame. Throws what the frame fails with.
  func check(
    _ image: CallerImage, _ call: CallOptions, _ check: CheckOptions
  ) throws(Status) -> FrameEvent {
    let (answer, changed) = (Monitor(PhotoAnswer()), Condition())
    var options = StreamOptions()
    options.mode = .every
    options.detection = call.detection
    options.check = check
    options.check?.isStill = true
    let deadline = token(call)?.deadline ?? .never
    let stream = try openStream(options) { event in
      answer.withLock { $0.event = event }
      changed.wakeAll()
    }
    // Ends the use of the caller's pixels, too.
    defer { stream.close() }
    let cancel: @Sendable () -> Void = {
      answer.withLock { $0.isCancelled = true }
      changed.wakeAll()
    }
    let wait = { () throws(Status) -> FrameEvent in
      let held = HeldImage(image.input) { [memory = image.memory] in withExtendedLifetime(memory) {} }
      _ = try self.call { () throws(Status) in try stream.submit(held, timestamp: image.timestamp) }
      let event = try answer.wait(for: changed, until: deadline) { (answer) throws(Status) -> FrameEvent? in
        if answer.isCancelled { throw Canceller.status }
        return answer.event
      }
      guard let event else {
        throw Status(.deadlineExceeded, "the photo was not checked in time; allow more, or set a max side")
      }
      // Only the list of faces may be missing, which nobody is told of.
      if case .failed(let status) = event.outcome, event.check == nil { throw status }
      return event
    }
    guard let canceller = call.canceller else { return try wait() }
    return try canceller.withHandler(cancel, wait)
  }
}

/// What the stream's thread has said of the photo.
private struct PhotoAnswer {
  var event: FrameEvent?
  var isCancelled = false
}
