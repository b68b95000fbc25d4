/// Something that finds faces: the engine in this process, or a connection to one elsewhere.
public protocol FaceDetector: Sendable {
  /// Safe to call from several threads at once. `image` is borrowed until the call returns.
  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult
}
