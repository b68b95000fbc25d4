import FaceCore
import Posix

/// The events of a stream, in the order in which they were delivered.
final class EventLog: Sendable {
  private struct State {
    var events: [FrameEvent] = []
    var threads: [ThreadIdentity] = []
    /// Copied under the lock: the thread sanitizer does not see when a shared array is copied on write.
    var copy: [FrameEvent] { events.map { event in event } }
  }

  private let state = Monitor(State())
  private let changed = Condition()

  /// The callback for `openStream`.
  var deliver: @Sendable (FrameEvent) -> Void {
    { [self] event in
      state.withLock { state in
        state.events.append(event)
        if !state.threads.contains(.current) { state.threads.append(.current) }
      }
      changed.wakeAll()
    }
  }

  var events: [FrameEvent] { state.withLock { state in state.copy } }
  var numbers: [UInt64] { events.map(\.frame.number) }
  /// The threads that delivered.
  var threadCount: Int { state.withLock { state in state.threads.count } }

  /// Waits up to a minute until there are that many events, and returns those that there are.
  @discardableResult
  func wait(for count: Int) -> [FrameEvent] {
    let end = MonotonicTime.now() + .seconds(60)
    let events = state.wait(for: changed, until: end) { state in
      state.events.count >= count ? state.copy : nil
    }
    return events ?? self.events
  }

  /// Codes of the frames that failed, in order.
  var failures: [StatusCode] {
    events.compactMap { event in
      if case .failed(let status) = event.outcome { status.code } else { nil }
    }
  }

  /// The first byte of each image that was searched.
  var marks: [Float] {
    events.compactMap { event in
      if case .faces(let result) = event.outcome { result.faces.first?.box.x ?? 0 } else { nil }
    }
  }
}

/// An image in memory of its own: `mark` repeated to that length.
func heldImage(_ mark: UInt8, _ size: Int = 100, released: (@Sendable () -> Void)? = nil) -> HeldImage {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
  bytes.initializeMemory(as: UInt8.self, repeating: mark)
  return HeldImage(ImageInput(.encoded(UnsafeRawBufferPointer(bytes)))) {
    // The bytes are overwritten, so that reading after the release is noticed.
    bytes.initializeMemory(as: UInt8.self, repeating: 0xee)
    bytes.deallocate()
    released?()
  }
}
