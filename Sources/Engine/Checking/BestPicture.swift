import FaceCore
import Imaging

/// The best picture of a check so far: that of one face in one frame.
struct BestPicture {
  private let result: CheckResult
  /// `nil` where who hands in the frames keeps it.
  private let taken: TakenPicture?

  /// - Parameter face: in pixels of `picture`.
  init(_ picture: UprightImage, _ face: Face, _ options: CheckOptions) throws(Status) {
    result = CheckResult(face, in: picture.size, options)
    taken = options.callerKeepsPicture ? nil : try TakenPicture(picture)
  }

  /// - Parameter maxBytes: as of `CheckResult.showing`.
  func result(_ options: CheckOptions, maxBytes: Int?) throws(Status) -> CheckResult {
    guard let taken else { return result }
    return try result.showing(taken, options, maxBytes: maxBytes)
  }
}
