import Analysis
import Detection
import FaceCore
import Imaging

/// Finds the faces of a stream's frames with the models of this process, in the whole frame or only where
/// faces are expected.
struct FrameDetector: Sendable {
  let models: ModelRegistry
  private let regions: RegionDetector
  let analysis: AnalysisModels
  /// Decodes the files of frames that come without a decoder.
  private let decoder: (any FileDecoder)?
  private let memory: any PictureMemory

  init(
    models: ModelRegistry, analysis: AnalysisModels, decoder: (any FileDecoder)?, memory: any PictureMemory
  ) {
    self.models = models
    regions = RegionDetector(models: models)
    self.analysis = analysis
    self.decoder = decoder
    self.memory = memory
  }

  /// The image with a decoder and memory for its file.
  func prepared(_ image: ImageInput) -> ImageInput { image.decoded(by: decoder, in: memory) }

  /// The presence and the overlap with the expected box from which the mesh network's word suffices. After a
  /// jerk of the camera the last points lie beside the face, and the network may take hair for one.
  private static let (sureConfidence, sureOverlap): (Float, Float) = (0.9, 0.6)
  /// The overlap from which a face of the detector confirms an unsure one.
  private static let sameBox: Float = 0.75

  /// Searches only where faces are expected. Faces with known dense points are looked for with the mesh
  /// network alone, once each; the others, and those that it lost or is unsure of, with the detector. An unsure
  /// face counts unless the detector finds one that overlaps it only in part.
  /// - Parameters:
  ///   - expected: the expected boxes of the faces found in the last frame, which has the same size.
  ///   - known: those of them that have dense points. The points in this picture are kept with them.
  /// - Returns: the faces found, without overlaps; `nil` if it is better to search the whole frame.
  func findExpected(
    _ expected: [(number: UInt64, box: Box)], _ known: inout FollowedPoints, in picture: UprightImage,
    _ options: DetectionOptions
  ) throws(Status) -> DetectionResult? {
    var faces: [Face] = []
    var unsure: [Face] = []
    var others: [Box] = []
    for (number, box) in expected {
      try picture.input.cancellation?.check()
      let face = try follow(number, &known, in: picture, options)
      let overlap = face?.box.intersectionOverUnion(box) ?? 0
      guard let face, overlap >= RegionDetector.minOverlap else {
        others.append(box)
        continue
      }
      // Regions are searched for upright heads only.
      let isSure = face.confidence >= FrameDetector.sureConfidence && overlap >= FrameDetector.sureOverlap
      if isSure || options.rotations != .upright {
        faces.append(face)
      } else {
        others.append(box)
        unsure.append(face)
      }
    }
    if !others.isEmpty {
      guard options.rotations == .upright,
        let found = try regions.findFaces(near: others, in: picture, options)
      else { return nil }
      let kept = unsure.filter { face in
        let overlap = found.reduce(0) { max($0, $1.box.intersectionOverUnion(face.box)) }
        return overlap < RegionDetector.minOverlap || overlap >= FrameDetector.sameBox
      }
      // A confirmed face keeps the points that the mesh network has found.
      faces += kept
      faces += found.filter { face in
        !kept.contains { $0.box.intersectionOverUnion(face.box) >= RegionDetector.minOverlap }
      }
    }
    let large = faces.filter { options.isLargeEnough($0, in: picture.size) }
    return DetectionResult(
      imageSize: picture.size,
      faces: NonMaximumSuppression.apply(
        large, overlapThreshold: options.overlapThresholdOfFrames, limit: 0))
  }

  /// Returns the dense points of a detected face that had some in the last frame; `nil` if those do not lead
  /// to it. One run of the mesh network suffices, while a face without known points may take two.
  func points(
    of face: Face, _ number: UInt64, _ known: inout FollowedPoints, in picture: UprightImage,
    _ options: DetectionOptions
  ) throws(Status) -> Landmarks? {
    picture.input.clock?.begin(.points)
    defer { picture.input.clock?.end() }
    guard let found = try known.points(of: number, in: picture, analysis.analyzer),
      found.belong(to: face, options)
    else { return nil }
    return found
  }

  private func follow(
    _ number: UInt64, _ known: inout FollowedPoints, in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> Face? {
    guard let face = known.faces[number], !options.outputs.isEmpty else { return nil }
    picture.input.clock?.begin(.points)
    defer { picture.input.clock?.end() }
    guard let found = try known.points(of: number, in: picture, analysis.analyzer) else { return nil }
    return face.followed(to: found, in: picture, options)
  }
}

/// The faces of the last frame that have dense points, and those points in this frame: the mesh network runs once for
/// a face, also if the detector has to confirm what it sees.
struct FollowedPoints {
  /// By tracklet number.
  let faces: [UInt64: LandmarkedFace]
  private var found: [UInt64: Landmarks?] = [:]

  init(_ faces: [UInt64: LandmarkedFace]) { self.faces = faces }

  /// Returns `nil` if the face has no known points, or the network does not see it where it was.
  mutating func points(
    of number: UInt64, in picture: UprightImage, _ analyzer: FaceAnalyzer
  ) throws(Status) -> Landmarks? {
    if let known = found[number] { return known }
    guard let face = faces[number] else { return nil }
    let points = try face.nextPoints(in: picture, analyzer)
    found.updateValue(points, forKey: number)
    return points
  }
}
