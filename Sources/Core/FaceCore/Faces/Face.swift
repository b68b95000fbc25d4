/// One face. What was not asked for, or is not known, is `nil`.
public struct Face: Equatable, Sendable {
  /// In pixels of the upright image; may leave it.
  public var box: Box
  /// 0…1, as the network gives it; while a face is tracked without a detection, the landmark network's.
  public var confidence: Float
  /// `nil` when the model has no points.
  public var points: FivePoints?
  /// Who this is as long as it is in view; only in a session that tracks, and once it is certain enough.
  public var track: Track?
  /// Not searched for in this frame, whose box and points are where its last movement leads; nothing else was measured.
  /// Only in a session with a rate of analysis.
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

/// One appearance of a face in a stream of frames.
public struct Track: Equatable, Sendable, BitwiseCopyable {
  /// From 1; unique in the session, never used again.
  public var id: UInt64
  /// Frames in which the face was found, this one included.
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
  /// What made them: the detectors, then the networks for landmarks and expressions if something was measured.
  public var models: [ModelIdentity] = []
  /// Faces at the end of the list of which nothing was measured, since a call does no more: see
  /// `DetectionOptions.maxAnalysedFaces`.
  public var unanalysedFaces = 0

  public init(imageSize: PixelSize, faces: [Face]) {
    self.imageSize = imageSize
    self.faces = faces
  }

  /// Leaves only the most prominent face: the largest, where the width of one at the edge of the picture counts half.
  package mutating func keepMostProminent() {
    let middle = Point(x: Float(imageSize.width) / 2, y: Float(imageSize.height) / 2)
    func weight(_ face: Face) -> Float {
      let (x, y) = (face.box.center.x / middle.x - 1, face.box.center.y / middle.y - 1)
      return face.box.meanSide * (1 - 0.5 * min(max(abs(x), abs(y)), 1))
    }
    faces = faces.max { weight($0) < weight($1) }.map { [$0] } ?? []
  }
}
