/// Something that finds faces: the engine in this process, or a connection to one elsewhere.
public protocol FaceDetector: Sendable {
  /// Safe to call from several threads at once. `image` is borrowed until the call returns.
  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult
}

/// Something that searches several images in one call.
public protocol BatchDetector: FaceDetector {
  /// Finds the faces of each image; the outcomes are in the images' order, and an image that fails fails alone.
  ///
  /// Throws what concerns all of them: wrong options, and what ended the call early.
  /// - Parameter cancellation: of all images together; the images' own are not asked. `nil`: only the detector's own time
  ///   limit ends it, where it has one.
  func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, cancellation: CancellationToken?
  ) throws(Status) -> [Result<DetectionResult, Status>]
}
