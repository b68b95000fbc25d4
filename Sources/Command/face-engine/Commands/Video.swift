import CallerOptions
import FaceCore
import Posix

/// Searches the frames of a video in order, in this process or with a running engine.
final class Video: @unchecked Sendable {
  // Used by one thread at a time.
  private let stream: any FrameStream
  private let slot = EventSlot()
  /// The time between two frames, in nanoseconds.
  private var step: UInt64 = 0
  private var time: UInt64 = 0

  convenience init(
    _ detector: any StreamingDetector, _ detection: DetectionOptions, _ tracking: TrackingArguments
  ) throws(Status) {
    var options = StreamOptions()
    options.detection = detection
    options.tracking = try tracking.options()
    try self.init(detector, options)
    step = UInt64(1e9 / max(Double(tracking.frameRate), 1e-3))
    for face in tracking.follow { _ = try stream.follow(face.box) }
  }

  /// - Parameter options: the stream's options. Their mode is ignored; no frame is dropped.
  init(_ detector: any StreamingDetector, _ options: StreamOptions) throws(Status) {
    var options = options
    options.mode = .every
    stream = try detector.openStream(options) { [slot] event in slot.store(event) }
  }

  deinit { stream.close() }

  /// The faces of the next frame, and the ids of those that have left. `image` is borrowed until the call
  /// returns.
  func next(_ image: ImageInput) throws(Status) -> (DetectionResult, left: [UInt64]) {
    time += step
    let event = try next(image, timestamp: time)
    return (try event.faces(), event.left)
  }

  /// The event of the next frame. Throws if the stream refuses the frame.
  func next(_ image: ImageInput, timestamp: UInt64) throws(Status) -> FrameEvent {
    _ = try stream.submit(HeldImage(image) {}, timestamp: timestamp)
    return slot.wait()
  }
}

extension FrameEvent {
  /// The faces of the frame. Throws its failure.
  func faces() throws(Status) -> DetectionResult {
    switch outcome {
    case .faces(let result): return result
    case .failed(let status): throw status
    case .dropped:
      throw Status(.internal, "a frame was dropped from a stream that must keep all; please report this")
    }
  }
}

/// Passes the event of one frame from the stream's thread to the thread that waits for it.
private final class EventSlot: Sendable {
  private let event = Monitor<FrameEvent?>(nil)
  private let stored = Condition()

  func store(_ new: FrameEvent) {
    event.withLock { $0 = new }
    stored.wakeAll()
  }

  /// Waits for the event and removes it. It always returns, since every frame has an event.
  func wait() -> FrameEvent {
    while true {
      let taken = event.wait(for: stored) { event in
        defer { event = nil }
        return event
      }
      if let taken { return taken }
    }
  }
}
