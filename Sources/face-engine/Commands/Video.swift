import FaceCore
import Posix

/// Frames of one video, searched one after the other: in this process or by an engine elsewhere, the same way.
final class Video {
  private let stream: any FrameStream
  private let answer = Answer()

  convenience init(
    _ detector: any StreamingDetector, _ detection: DetectionOptions, _ tracking: TrackingOptions
  ) throws(Status) {
    var options = StreamOptions()
    options.detection = detection
    options.tracking = tracking
    try self.init(detector, options)
  }

  /// - Parameter options: of which the mode does not count: no frame is dropped.
  init(_ detector: any StreamingDetector, _ options: StreamOptions) throws(Status) {
    var options = options
    options.mode = .every
    stream = try detector.openStream(options) { [answer] event in answer.put(event) }
  }

  deinit { stream.close() }

  /// The faces of the next frame, and the ids of those that have left. `image` is borrowed until the call returns.
  func next(_ image: ImageInput) throws(Status) -> (DetectionResult, left: [UInt64]) {
    let event = try next(image, timestamp: 0)
    return (try event.faces(), event.left)
  }

  /// All that there is to say of the next frame. Throws when it was not taken.
  func next(_ image: ImageInput, timestamp: UInt64) throws(Status) -> FrameEvent {
    _ = try stream.submit(HeldImage(image) {}, timestamp: timestamp)
    return answer.take()
  }
}

extension FrameEvent {
  /// The faces. Throws what the frame failed with.
  func faces() throws(Status) -> DetectionResult {
    switch outcome {
    case .faces(let result): return result
    case .failed(let status): throw status
    case .dropped:
      throw Status(.internal, "a frame was dropped from a stream that drops none; please report it")
    }
  }
}

/// The event of the one frame that is asked about, handed from the stream's thread to whoever waits for it.
private final class Answer: Sendable {
  private let event = Monitor<FrameEvent?>(nil)
  private let came = Condition()

  func put(_ new: FrameEvent) {
    event.withLock { $0 = new }
    came.wakeAll()
  }

  /// Every frame has an event, so this ends.
  func take() -> FrameEvent {
    while true {
      let taken = event.wait(for: came) { event in
        defer { event = nil }
        return event
      }
      if let taken { return taken }
    }
  }
}
