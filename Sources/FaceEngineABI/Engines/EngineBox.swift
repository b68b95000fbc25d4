import FaceCore
import Synchronization

/// What a `face_engine` stands for.
final class EngineBox: Sendable {
  let detector: any FaceDetector
  let listener = ListenerSlot()
  /// As it is named in the log.
  private let place: String
  private let isLost = Atomic(false)
  private let lastFrame = Atomic<UInt64>(0)

  init(_ detector: any FaceDetector, place: String) {
    self.detector = detector
    self.place = place
  }

  /// One call of the detector. That the engine went away, or came back, is logged.
  func call<Value>(_ body: (any FaceDetector) throws(Status) -> Value) throws(Status) -> Value {
    do throws(Status) {
      let value = try body(detector)
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

  /// The next number of an image that is searched by a call of its own.
  func nextFrame(timestamp: UInt64) -> FrameInfo {
    FrameInfo(number: lastFrame.add(1, ordering: .relaxed).newValue, timestamp: timestamp)
  }
}
