import FaceCore
import Posix
import Wire

/// A frame that was taken, with its image where it can be sent from.
final class PreparedFrame: @unchecked Sendable {
  // Never changes; the pixels that `image` may point at are kept by `held`.
  let info: FrameInfo
  private let image: MessageImage
  /// Shared memory that it takes; `nil` for an image in the message.
  let placement: ImageTransport.Placement?
  private let held: HeldImage?
  /// When it must have been begun.
  private let deadline: MonotonicTime

  /// - Parameter held: kept as long as this object; `nil` when the pixels were copied.
  init(
    _ info: FrameInfo, _ image: MessageImage, _ placement: ImageTransport.Placement?, held: HeldImage?,
    deadline: MonotonicTime
  ) {
    self.info = info
    self.image = image
    self.placement = placement
    self.held = held
    self.deadline = deadline
  }

  /// The image where it lies now, to be read until `placement` is given back.
  func imageInput() throws(Status) -> ImageInput {
    switch image.source {
    case .encoded(let bytes): image.input(.encoded(bytes))
    case .pixels(let view): image.input(.pixels(view))
    case .sharedEncoded(let part):
      image.input(.encoded(try part.bytes(of: try sharedBytes(part.buffer))))
    case .sharedPixels(let part): image.input(.pixels(try part.view(of: try sharedBytes(part.buffer))))
    }
  }

  private func sharedBytes(_ buffer: UInt32) throws(Status) -> UnsafeRawBufferPointer {
    guard let bytes = placement?.bytes(of: buffer) else {
      throw Status(.internal, "a frame names a buffer that it does not lie in; please report this")
    }
    return bytes
  }

  /// The whole frame. Throws `deadlineExceeded` when its time is over, `resourceExhausted` beyond `limit` bytes.
  func message(stream: UInt32, limit: Int) throws(Status) -> [UInt8] {
    var timeout: UInt64 = 0
    if deadline != .never {
      let left = deadline.nanoseconds - MonotonicTime.now().nanoseconds
      guard left > 0 else {
        throw Status(.deadlineExceeded, "the frame's time ran out before it began; allow more, or send fewer")
      }
      timeout = UInt64(left)
    }
    let tag = FrameTag(id: info.number, timestamp: info.timestamp, attempt: info.attempt)
    return try WatchCall.requestFrame(stream: stream, tag, image, timeout: timeout, limit: limit)
  }
}

/// The frames of a stream that have had no event yet, in the order of their numbers.
///
/// Those that were sent come first; in mode `newest` that is one at most, and one more that waits to be. What was settled
/// early waits for the events of those before it.
///
/// What leaves is handed out, so that its caller's `release` is called under no lock.
struct InFlightFrames {
  private enum Entry {
    case sent(PreparedFrame)
    case waiting(PreparedFrame)
    case settled(FrameEvent)
  }

  private var entries: [Entry] = []
  private var dropped: UInt64 = 0

  /// Whether a frame is with the engine, or waits to be.
  var isBusy: Bool {
    entries.contains { if case .settled = $0 { false } else { true } }
  }

  /// Frames that the engine has not answered.
  var sent: Int {
    entries.count { if case .sent = $0 { true } else { false } }
  }

  mutating func addSent(_ frame: PreparedFrame) {
    entries.append(.sent(frame))
  }

  /// Lets a frame wait in the place of the one that does, if one does: that is returned, and is dropped.
  mutating func addWaiting(_ frame: PreparedFrame) -> PreparedFrame? {
    let old = dropWaiting()
    entries.append(.waiting(frame))
    return old
  }

  /// The frame that waits, if one does, is dropped.
  mutating func dropWaiting() -> PreparedFrame? {
    settleWaiting { total in .dropped(total: total) }
  }

  /// A frame that is not sent: dropped while another one is with the engine, else failed, as nothing would change.
  mutating func addEnded(_ info: FrameInfo, whenIdle failure: @autoclosure () -> Status) {
    let outcome: FrameEvent.Outcome = isBusy ? .dropped(total: countDropped()) : .failed(failure())
    entries.append(.settled(FrameEvent(frame: info, outcome: outcome)))
  }

  /// The frame that waits is sent now.
  mutating func sendWaiting() -> PreparedFrame? {
    for (index, entry) in entries.enumerated() {
      guard case .waiting(let frame) = entry else { continue }
      entries[index] = .sent(frame)
      return frame
    }
    return nil
  }

  /// The frame that waits, if one does, ends so.
  mutating func failWaiting(_ status: Status) -> PreparedFrame? {
    settleWaiting { _ in .failed(status) }
  }

  private mutating func settleWaiting(_ outcome: (UInt64) -> FrameEvent.Outcome) -> PreparedFrame? {
    for (index, entry) in entries.enumerated() {
      guard case .waiting(let frame) = entry else { continue }
      let result = outcome(dropped + 1)
      if case .dropped = result { dropped += 1 }
      entries[index] = .settled(FrameEvent(frame: frame.info, outcome: result))
      return frame
    }
    return nil
  }

  /// Frame `number`, if it was sent and not answered.
  func sentFrame(_ number: UInt64) -> PreparedFrame? {
    for case .sent(let frame) in entries where frame.info.number == number { return frame }
    return nil
  }

  /// The engine has answered frame `number`, or it could not be sent.
  mutating func settle(
    _ number: UInt64, _ outcome: FrameEvent.Outcome, left: [UInt64], check: CheckReport? = nil
  ) -> PreparedFrame? {
    for (index, entry) in entries.enumerated() {
      guard case .sent(let frame) = entry, frame.info.number == number else { continue }
      entries[index] = .settled(FrameEvent(frame: frame.info, outcome: outcome, left: left, check: check))
      return frame
    }
    return nil
  }

  /// Frames dropped by the engine are counted with those dropped here.
  mutating func countDropped() -> UInt64 {
    dropped += 1
    return dropped
  }

  /// Everything that is not settled ends so.
  mutating func failAll(_ status: Status) -> [PreparedFrame] {
    var frames: [PreparedFrame] = []
    for (index, entry) in entries.enumerated() {
      switch entry {
      case .sent(let frame), .waiting(let frame):
        entries[index] = .settled(FrameEvent(frame: frame.info, outcome: .failed(status)))
        frames.append(frame)
      case .settled: break
      }
    }
    return frames
  }

  /// The events whose turn it is.
  mutating func popSettled() -> [FrameEvent] {
    var events: [FrameEvent] = []
    while case .settled(let event)? = entries.first {
      events.append(event)
      entries.removeFirst()
    }
    return events
  }
}
