package import FaceCore
import Imaging

/// Keeps the frame with the best picture of a guided check so far. The engine keeps no picture: it names the
/// frame, and in the end the face's position in it.
package struct BestFrame {
  private let options: CheckOptions
  /// The best frame so far; `nil` before the first one, a failure if it could not be kept.
  private var kept: Result<HeldImage, Status>?
  /// The attempt of the last report.
  private var attempt: UInt32 = 0

  package init(_ options: CheckOptions) {
    self.options = options
  }

  /// Completes the engine's report of a frame with the pictures of a result.
  /// - Parameter image: the frame's image at its current place. It is copied if it is the best: once the
  ///   frame is answered, its memory is the caller's again, or the next frame's.
  package mutating func complete(
    _ report: CheckReport, of image: () throws(Status) -> ImageInput
  ) -> CheckReport {
    if report.attempt != attempt { removePicture() }
    attempt = report.attempt
    if report.isBest {
      // Released first, so that there are never two.
      kept = nil
      do throws(Status) {
        kept = .success(try HeldImage(copyOf: try image()))
      } catch {
        kept = .failure(error)
      }
    }
    var report = report
    for (index, event) in report.events.enumerated() {
      if case .result(let result) = event { report.events[index] = complete(result) }
    }
    if !report.needsPicture { removePicture() }
    return report
  }

  private func complete(_ result: CheckResult) -> CheckEvent {
    do throws(Status) {
      guard let frame = try kept?.get() else {
        throw Status(.internal, "the engine named no frame to keep; use an engine of this library's version")
      }
      // A file is decoded only now.
      let picture = try TakenPicture(try UprightImage(frame.input, willCrop: true))
      withExtendedLifetime(frame) {}
      return .result(try result.showing(picture, options))
    } catch {
      return .failed(.noPicture(error.message))
    }
  }

  package mutating func removePicture() {
    kept = nil
  }

  /// Removes the picture unless it is of `attempt`.
  package mutating func forget(before attempt: UInt32) {
    if self.attempt != attempt { removePicture() }
  }

  package var isEmpty: Bool { kept == nil }
}
