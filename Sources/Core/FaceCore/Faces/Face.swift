/// One face. Values that were not requested or are not known are `nil`.
public struct Face: Equatable, Sendable {
  /// The box in pixels of the upright image; it may extend beyond the image.
  public var box: Box
  /// 0…1: the detector's confidence; the landmark network's while a face is tracked without a detection.
  public var confidence: Float
  /// `nil` when the model has no points.
  public var points: FivePoints?
  /// The identity of the face while it is in view; only in a session that tracks, and only once the face is
  /// confirmed.
  public var track: Track?
  /// Whether the face was not searched for in this frame: its box and points are extrapolated from its last
  /// movement, and nothing else was measured. Only in a session with a rate of analysis.
  public var isPredicted = false
  public var pose: Pose?
  public var eyes: Eyes?
  public var mouth: Mouth?
  public var quality: CaptureQuality?
  public var landmarks: Landmarks?
  public var expressions: Expressions?
  public var transform: HeadTransform?
  public var isoQuality: ISOQuality?
  public var precision: PointPrecisions?
  public var gaze: Gaze?

  public init(box: Box, confidence: Float, points: FivePoints?) {
    self.box = box
    self.confidence = confidence
    self.points = points
  }
}

/// The appearance of one face in a stream of frames.
public struct Track: Equatable, Sendable, BitwiseCopyable {
  /// The id: from 1, unique in the session, never reused.
  public var id: UInt64
  /// The number of frames in which the face was found, this one included.
  public var frameCount: UInt32

  public init(id: UInt64, frameCount: UInt32) {
    self.id = id
    self.frameCount = frameCount
  }
}

/// The faces of one image, the most confident first.
public struct DetectionResult: Equatable, Sendable {
  /// Size of the upright image, in whose pixels the faces are given.
  public var imageSize: PixelSize
  public var faces: [Face]
  /// The models that made the result: the detectors, then the networks for landmarks and expressions if
  /// something was measured.
  public var models: [ModelIdentity] = []
  /// The number of faces at the end of the list for which nothing was measured because a call has a limit:
  /// see `DetectionOptions.maxAnalysedFaces`.
  public var unanalysedFaces = 0

  public init(imageSize: PixelSize, faces: [Face]) {
    self.imageSize = imageSize
    self.faces = faces
  }

  /// Keeps only the most prominent face: the largest, with the width of a face at the edge of the picture
  /// counting half.
  package mutating func keepMostProminent() {
    let middle = Point(x: Float(imageSize.width) / 2, y: Float(imageSize.height) / 2)
    func weight(_ face: Face) -> Float {
      let (x, y) = (face.box.center.x / middle.x - 1, face.box.center.y / middle.y - 1)
      return face.box.meanSide * (1 - 0.5 * min(max(abs(x), abs(y)), 1))
    }
    faces = faces.max { weight($0) < weight($1) }.map { [$0] } ?? []
  }
}
