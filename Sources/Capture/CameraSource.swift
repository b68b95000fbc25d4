public import FaceCore
public import Posix

/// A camera's frames, where the driver has put them. One that goes away is waited for.
public final class CameraSource: FrameSource, @unchecked Sendable {
  // One thread at a time, as the protocol says.
  private let path: String
  private let options: CameraOptions
  private let times: CameraTimes
  private let open: CameraOpener
  private var running: RunningCamera?
  /// It has been open once: from then on it may go and come.
  private var wasOpened = false
  /// Why it could not be opened, as last told.
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

  /// Throws only where the camera cannot be opened to begin with.
  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    while true {
      guard let running else {
        if let event = try find(or: interruption) { return event }
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

  /// One attempt to open the camera, after a pause where it is not the first; `nil` where there is nothing to tell.
  private func find(or interruption: Interruption) throws(Status) -> SourceItem? {
    if wasOpened, !interruption.pause(until: .now().advanced(byNanoseconds: times.pause)) { return .ended }
    do throws(Status) {
      let camera = try RunningCamera(path, options, open)
      running = camera
      wasOpened = true
      return .camera(.opened(camera.description))
    } catch {
      guard wasOpened else { throw error }
      // It is likely to be the same for long.
      return reason == error.message ? nil : lost(error.message)
    }
  }

  private func lost(_ reason: String) -> SourceItem {
    self.reason = reason
    return .camera(.lost(path: path, reason: reason))
  }
}

/// How long a camera is waited for, in nanoseconds.
package struct CameraTimes: Sendable {
  /// Between two attempts to open it again.
  package var pause: Int64 = 500_000_000
  /// One that gives no frame for so long is opened anew.
  package var silence: Int64 = 5_000_000_000

  package init() {}
}
