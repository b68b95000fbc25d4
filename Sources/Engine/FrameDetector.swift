import Detection
import FaceCore
import Imaging

/// How the models of this process find the faces of a stream's frames.
struct FrameDetector: Sendable {
  /// For frames of which nothing is known.
  let whole: ModelSearch
  let regional: RegionDetector
  let analysis: AnalysisModels

  /// Looks for faces only where they are expected: for those whose dense points are known with the mesh network alone,
  /// once for each, for the others, and where that lost one, with the detector.
  /// - Parameters:
  ///   - expected: where the faces found in the frame before should be in this one, which is of the same size.
  ///   - known: those of them that have dense points.
  /// - Returns: the faces found, without overlaps; `nil` where to search the whole frame is the better way.
  func search(
    _ picture: UprightImage, for expected: [(id: UInt64, box: Box)], _ known: [UInt64: TrackedFace],
    options: DetectionOptions
  ) throws(Status) -> DetectionResult? {
    var faces: [Face] = []
    var others: [Box] = []
    for (id, box) in expected {
      try picture.input.cancellation?.check()
      if let face = try next(known[id], in: picture, options),
        face.box.intersectionOverUnion(box) >= RegionDetector.leastOverlap
      {
        faces.append(face)
      } else {
        others.append(box)
      }
    }
    if !others.isEmpty {
      guard let found = try regional.search(picture, around: others, options: options) else { return nil }
      faces += found
    }
    let large = faces.filter { $0.isAtLeast(options.minFaceSize) }
    return DetectionResult(
      imageSize: picture.size,
      faces: NonMaximumSuppression.apply(large, overlapThreshold: options.overlapThreshold, limit: 0))
  }

  /// The dense points of a face that the detector has found and that had some in the frame before; `nil` where they
  /// do not lead to it.
  func points(
    of face: Face, _ known: TrackedFace, in picture: UprightImage
  ) throws(Status) -> Landmarks? {
    picture.input.clock?.begin(.points)
    defer { picture.input.clock?.end() }
    return try known.points(of: face, in: picture, analysis.analyzer)
  }

  private func next(
    _ face: TrackedFace?, in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> Face? {
    guard let face, !options.outputs.isEmpty else { return nil }
    picture.input.clock?.begin(.points)
    defer { picture.input.clock?.end() }
    return try face.next(in: picture, analysis.analyzer, minConfidence: options.minConfidence)
  }
}
