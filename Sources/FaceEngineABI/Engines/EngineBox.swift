import FaceCore
import Synchronization

/// What a `face_engine` stands for.
final class EngineBox: Sendable {
  private let detector: any CallableEngine
  /// Nanoseconds that a call may take whose options do not say; 0 for as long as it takes.
  private let defaultTimeout: Int64
  let listener = ListenerSlot()
  /// As it is named in the log.
  private let place: String
  private let isLost = Atomic(false)
  private let lastFrame = Atomic<UInt64>(0)

  init(_ detector: any CallableEngine, place: String, defaultTimeout: Int64) {
    self.detector = detector
    self.place = place
    self.defaultTimeout = defaultTimeout
  }

  /// Searches one image and tells the listener how it ended.
  func search(_ image: CallerImage, _ options: CallOptions) throws(Status) -> DetectionResult {
    let number = lastFrame.add(1, ordering: .relaxed).newValue
    let frame = FrameInfo(number: number, timestamp: image.timestamp)
    do throws(Status) {
      let result = try call { () throws(Status) in
        try detector.detect(
          image.input, options: options.detection,
          timeout: options.timeout == 0 ? defaultTimeout : options.timeout, canceller: options.canceller)
      }
      listener.deliver(FrameEvent(frame: frame, outcome: .faces(result)))
      return result
    } catch {
      listener.deliver(FrameEvent(frame: frame, outcome: .failed(error)))
      throw error
    }
  }

  /// Throws `unimplemented` where the engine has no streams.
  func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    guard let detector = detector as? any StreamingDetector else {
      throw Status(.unimplemented, "this engine has no sessions yet; load the model instead")
    }
    return try call { () throws(Status) in try detector.openStream(options, deliver: deliver) }
  }

  /// One call of the engine. That it went away, or came back, is logged.
  func call<Value>(_ body: () throws(Status) -> Value) throws(Status) -> Value {
    do throws(Status) {
      let value = try body()
      if isLost.load(ordering: .relaxed), isLost.exchange(false, ordering: .relaxed) {
        Log.info("connected again to \(place)")
      }
      return value
    } catch {
      if error.code == .unavailable, !isLost.exchange(true, ordering: .relaxed) {
        Log.warning("lost the engine at \(place): \(error.message)")
      }
      throw error
    }
  }
}
