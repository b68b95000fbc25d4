import Analysis
import FaceCore
import Imaging

/// A face of the last frame whose dense points are known. From them, the mesh network finds it in the next
/// frame without a detector.
struct LandmarkedFace {
  /// The face as a detector last found it, with its dense points.
  private let detected: Face
  private let detectedPoints: Landmarks
  /// `nil` if its points say nothing of the roll.
  private let eyeLine: DetectedEyeLine?
  /// The dense points in the last frame.
  private let points: Landmarks

  /// - Parameters:
  ///   - face: the face with its dense points in the last frame; without them, the result is `nil`.
  ///   - detected: the face with the detector's own points.
  ///   - earlier: the same face a frame before, if this one was followed and not detected.
  init?(
    _ face: Face, detected: Face, _ rotations: Rotations, following earlier: LandmarkedFace?
  ) {
    guard let points = face.landmarks, points.points.count == Landmarks.count else { return nil }
    self.points = points
    self.detected = earlier?.detected ?? face
    detectedPoints = earlier?.detectedPoints ?? points
    eyeLine = if let earlier { earlier.eyeLine } else { DetectedEyeLine(detected, rotations) }
  }

  /// Runs the mesh network once, where the face was in the last frame. Returns the dense points of the face that the
  /// network sees there, `nil` for none.
  func nextPoints(in picture: UprightImage, _ analyzer: FaceAnalyzer) throws(Status) -> Landmarks? {
    try analyzer.follow(points, in: picture)
  }

  /// Returns the face with its `nextPoints`, whose presence is its confidence. Its box is the detector's, moved and
  /// scaled as the dense points were since.
  /// - Returns: `nil` if the network's presence is below the minimum confidence, the points contradict the
  ///   detector's, or the centre has left the searched part of the picture.
  func followed(to found: Landmarks, in picture: UprightImage, _ options: DetectionOptions) -> Face? {
    guard found.confidence >= options.minConfidence, eyeLine?.contradicts(found) != true,
      let moved = AffineMap.similarity(
        from: detectedPoints.points.map(\.point), to: found.points.map(\.point))
    else { return nil }
    let scale = Float(moved.areaScale.squareRoot())
    let (width, height) = (detected.box.width * scale, detected.box.height * scale)
    let centre = moved(detected.box.center)
    let searched = picture.input.region ?? PixelRect(picture.size).box
    guard searched.holds(centre) else { return nil }
    var face = Face(
      box: Box(center: centre, width: width, height: height),
      confidence: found.confidence, points: FivePoints(found))
    face.landmarks = found
    return face
  }

}

extension Landmarks {
  /// Whether these dense points are those of a detected face, and not of another one.
  func belong(to face: Face, _ options: DetectionOptions) -> Bool {
    face.box.holds(centroid(of: points.indices))
      && DetectedEyeLine(face, options.rotations)?.contradicts(self) != true
  }
}

extension Landmarks {
  fileprivate func centroid(of indices: some Collection<Int>) -> Point {
    var (x, y) = (Float(0), Float(0))
    for index in indices {
      x += points[index].x
      y += points[index].y
    }
    return Point(x: x / Float(indices.count), y: y / Float(indices.count))
  }
}
