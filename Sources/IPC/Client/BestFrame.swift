package import FaceCore
import Imaging

/// Keeps the frame of a guided check whose picture is the best so far. The engine keeps no picture: it names the frame, and at
/// the end where the face is in it.
package struct BestFrame {
  private let options: CheckOptions
  /// `nil` before there is one; a failure where it could not be kept.
  private var kept: Result<HeldImage, Status>?
  /// That of the last report.
  private var attempt: UInt32 = 0

  package init(_ options: CheckOptions) {
    self.options = options
  }

  /// The engine's report of a frame, completed with the pictures of a result.
  /// - Parameter image: where the frame lies now. It is copied if it is the best: its memory is the caller's again, or the
  ///   next frame's, once this one is answered.
  package mutating func complete(
    _ report: CheckReport, of image: () throws(Status) -> ImageInput
  ) -> CheckReport {
    if report.attempt != attempt { removePicture() }
    attempt = report.attempt
    if report.isBest {
      // Never two at a time.
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
        throw Status(.internal, "the engine named no frame to be kept for it; see that it is of this version")
      }
      // A file is decoded only now.
      let picture = try TakenPicture(try UprightImage(frame.input, willCrop: true))
      withExtendedLifetime(frame) {}
      return .result(try result.showing(picture, options))
    } catch {
      return .failed(.noPicture(error.message))
    }
  }

  /// Lets go of the picture.
  package mutating func removePicture() {
    kept = nil
  }

  package var isEmpty: Bool { kept == nil }
}
