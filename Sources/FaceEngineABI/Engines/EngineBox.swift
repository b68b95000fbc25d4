import FaceCore
import Synchronization

/// What a `face_engine` stands for.
final class EngineBox: Sendable {
  let listener = ListenerSlot()
  private let engine: any CallableEngine
  /// As it is named in the log.
  private let place: String
  /// Nanoseconds that a call may take whose options do not say; 0 for as long as it takes.
  private let defaultTimeout: Int64
  private let isLost = Atomic(false)
  private let lastFrame = Atomic<UInt64>(0)

  init(_ engine: any CallableEngine, place: String, defaultTimeout: Int64) {
    self.engine = engine
    self.place = place
    self.defaultTimeout = defaultTimeout
  }

  /// Searches one image and tells the listener how it ended.
  func detect(_ image: CallerImage, _ options: CallOptions) throws(Status) -> DetectionResult {
    let frame = nextFrame(image)
    do throws(Status) {
      let result = try call { () throws(Status) in
        var input = image.input
        input.cancellation = token(options)
        return try engine.detect(input, options: options.detection)
      }
      listener.deliver(FrameEvent(frame: frame, outcome: .faces(result)))
      return result
    } catch {
      listener.deliver(FrameEvent(frame: frame, outcome: .failed(error)))
      throw error
    }
  }

  /// Searches several images and tells the listener how each ended. Throws what concerns all of them.
  func detectBatch(
    _ images: [CallerImage], _ options: CallOptions
  ) throws(Status) -> [Result<DetectionResult, Status>] {
    let frames = images.map(nextFrame)
    do throws(Status) {
      let outcomes = try call { () throws(Status) in
        try engine.detectBatch(
          images.map(\.input), options: options.detection, cancellation: token(options))
      }
      for (frame, outcome) in zip(frames, outcomes) {
        switch outcome {
        case .success(let result): listener.deliver(FrameEvent(frame: frame, outcome: .faces(result)))
        case .failure(let status): listener.deliver(FrameEvent(frame: frame, outcome: .failed(status)))
        }
      }
      return outcomes
    } catch {
      for frame in frames { listener.deliver(FrameEvent(frame: frame, outcome: .failed(error))) }
      throw error
    }
  }

  func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    try call { () throws(Status) in try engine.openStream(options, deliver: deliver) }
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

  private func nextFrame(_ image: CallerImage) -> FrameInfo {
    FrameInfo(number: lastFrame.add(1, ordering: .relaxed).newValue, timestamp: image.timestamp)
  }

  /// What ends a call with `options`; `nil` where nothing does.
  func token(_ options: CallOptions) -> CancellationToken? {
    let timeout = options.timeout == 0 ? defaultTimeout : options.timeout
    return timeout == 0 && options.canceller == nil
      ? nil : CancellationToken(timeout: timeout, canceller: options.canceller)
  }
}
