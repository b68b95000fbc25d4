public import FaceCore
public import Posix

/// Delivers a camera's frames in the driver's buffers. If the camera is unplugged, waits for it and opens it
/// again.
public final class CameraSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let path: String
  private let options: CameraOptions
  private let times: CameraTimes
  private let open: CameraOpener
  private var running: RunningCamera?
  /// Whether the camera was ever open: from then on the source waits for it to come back.
  private var wasOpened = false
  /// The last reported reason why the camera could not be opened.
  private var reason: String?

  public convenience init(_ path: String, _ options: CameraOptions) {
    self.init(path, options, CameraTimes(), open: .system)
  }

  package init(
    _ path: String, _ options: CameraOptions, _ times: CameraTimes, open: CameraOpener
  ) {
    self.path = path
    self.options = options
    self.times = times
    self.open = open
  }

  deinit { running?.stop() }

  /// Throws only if the camera cannot be opened the first time.
  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    while true {
      guard let running else {
        if let event = try reopen(or: interruption) { return event }
        continue
      }
      do throws(Status) {
        return try running.next(or: interruption, within: times.silence)
      } catch {
        running.stop()
        self.running = nil
        return lost(error.message)
      }
    }
  }

  /// Tries once to open the camera, after a pause if it was open before. Returns `nil` if there is nothing
  /// new to report.
  private func reopen(or interruption: Interruption) throws(Status) -> SourceItem? {
    if wasOpened, !interruption.pause(until: .now() + times.pause) { return .ended }
    do throws(Status) {
      let camera = try RunningCamera(path, options, open)
      running = camera
      wasOpened = true
      return .camera(.opened(camera.description))
    } catch {
      guard wasOpened else { throw error }
      // The same reason is reported once.
      return reason == error.message ? nil : lost(error.message)
    }
  }

  private func lost(_ reason: String) -> SourceItem {
    self.reason = reason
    return .camera(.lost(path: path, reason: reason))
  }
}

/// Time limits of a camera.
package struct CameraTimes: Sendable {
  /// The pause between two attempts to open it again.
  package var pause: TimeSpan = .milliseconds(500)
  /// After this long without a frame, the camera is opened again.
  package var silence: TimeSpan = .seconds(5)

  package init() {}
}
