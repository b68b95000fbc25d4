public import FaceCore
import Imaging

extension Engine: CheckingDetector {
  public func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker {
    try options.check()
    return try GuidedChecker(
      frameSearch, options, tracking, TakenPicture.Form(crop: options, maxBytes: maxPictureBytes))
  }
}

extension CheckPicture {
  /// The same as pixels. Throws as a decoder does.
  public func decoded() throws(Status) -> CheckPicture {
    guard form == .jpeg else { return self }
    return try bytes.span.withUnsafeBytes { (file) throws(Status) in
      CheckPicture(try ImageDecoder.decode(file).bitmap)
    }
  }

  init(_ bitmap: borrowing Bitmap) {
    self.init(size: bitmap.size, form: .bgra, bytes: Array(bitmap.pixels))
  }
}
