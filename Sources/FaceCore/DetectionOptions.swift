/// What to look for, and how hard.
public struct DetectionOptions: Equatable, Sendable, BitwiseCopyable {
  /// Faces below this confidence (0…1) are left out.
  public var minConfidence: Float = 0.6
  /// Of two boxes that overlap by more than this (intersection over union, 0…1), the less confident is left out.
  public var overlapThreshold: Float = 0.3
  /// At most this many faces, the most confident ones; 0 for all.
  public var maxFaces: Int = 0
  /// Faces whose box's shorter side is below this many pixels of the upright image are left out; 0 for all.
  public var minFaceSize: Float = 0
  /// The network sees the image scaled down until its long side is at most this many pixels; 0 for its own size.
  public var maxSide: Int = 1024

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range or not a number.
  public func check() throws(Status) {
    guard minConfidence >= 0, minConfidence <= 1 else {
      throw Status(.invalidArgument, "minimum confidence is \(minConfidence); give a number from 0 to 1")
    }
    guard overlapThreshold >= 0, overlapThreshold <= 1 else {
      throw Status(.invalidArgument, "overlap threshold is \(overlapThreshold); give a number from 0 to 1")
    }
    guard maxFaces >= 0 else {
      throw Status(.invalidArgument, "maximum number of faces is \(maxFaces); give 0 for all, or more")
    }
    guard minFaceSize >= 0, minFaceSize.isFinite else {
      throw Status(.invalidArgument, "minimum face size is \(minFaceSize); give pixels, 0 for all")
    }
    guard maxSide == 0 || (ImageLimits.minSide...ImageLimits.maxSide).contains(maxSide) else {
      throw Status(
        .invalidArgument,
        "max side is \(maxSide); give 0 for the image's own size, or \(ImageLimits.minSide)…\(ImageLimits.maxSide)"
      )
    }
  }
}

/// Something that finds faces: the engine in this process, or a connection to one elsewhere.
public protocol FaceDetector: Sendable {
  /// Safe to call from several threads at once. `image` is borrowed until the call returns.
  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult
}
