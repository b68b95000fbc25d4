import FaceCore
import Posix

/// Follows the fake detector's faces: an image's first byte is the person in it; a person missing in one
/// frame has left.
final class FakeTracker: FrameTracker {
  private struct State {
    var lastID: UInt64 = 0
    /// Ids and frame counts by person.
    var inView: [UInt8: Track] = [:]
    var isRunning = false
  }

  private let detector: FakeDetector
  private let state = Monitor(State())

  init(_ detector: FakeDetector) {
    self.detector = detector
  }

  func trackFaces(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    let alone = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard alone else { throw Status(.internal, "two frames of one stream at a time") }
    defer { state.withLock { $0.isRunning = false } }
    var result = try detector.detect(image, options: options)
    let mark = UInt8(result.faces[0].box.x)
    return state.withLock { state in
      let left = state.inView.filter { $0.key != mark }.map(\.value.id).sorted()
      state.inView = state.inView.filter { $0.key == mark }
      // Zero means a picture without a face.
      guard mark != 0 else {
        result.faces = []
        return (result, left)
      }
      if state.inView[mark] == nil {
        state.lastID += 1
        state.inView[mark] = Track(id: state.lastID, frameCount: 0)
      }
      state.inView[mark]?.frameCount += 1
      result.faces[0].track = state.inView[mark]
      return (result, left)
    }
  }
}
