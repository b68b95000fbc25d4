public import FaceCore
public import Imaging

/// Finds faces in a picture that others look at as well, so that it is decoded once.
public protocol PictureDetector: FaceDetector {
  /// Throws as `FaceDetector.detect` does.
  func detect(_ picture: UprightImage, options: DetectionOptions) throws(Status) -> DetectionResult
}

extension PictureDetector {
  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try options.validate()
    return try detect(UprightImage(image), options: options)
  }
}
