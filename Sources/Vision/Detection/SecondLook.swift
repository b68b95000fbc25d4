import FaceCore
import Imaging

/// Searches doubtful faces of one network again with another, each in a small square of its own, side by side
/// in one input. Costs a tenth of the other network's search of the whole picture, and shows it each face at
/// the size that it knows best.
public struct SecondLook: Sendable {
  private let pipeline: @Sendable () -> DetectionPipeline?
  private let calibration: ScoreCalibration

  /// The side of a square in the network's input, in pixels; the face takes half of it.
  private static let squareSide = 96
  /// The most faces of a picture that are searched again, the most confident ones.
  private static let maxFaces = 24
  /// Faces of these confidences are doubtful.
  private static let doubtful: ClosedRange<Float> = 0.2...0.7
  /// The overlap from which on both networks have found the same face.
  private static let minOverlap: Float = 0.3
  /// What a network that finds no face counts as, in its own confidence.
  private static let nothing: Float = 0.02
  /// Parts of the two logits, and an offset. Fitted on 408 photos of WIDER FACE's validation split, which
  /// neither network was trained on (docs/accuracy.md).
  private static let (firstPart, secondPart, offset): (Float, Float, Float) = (0.68, 0.5, 0.16)

  /// - Parameters:
  ///   - pipeline: the other network, loaded when there is something doubtful; `nil` if there is none.
  ///   - calibration: of its confidences to those of the faces.
  public init(
    calibration: ScoreCalibration, _ pipeline: @escaping @Sendable () -> DetectionPipeline?
  ) {
    self.calibration = calibration
    self.pipeline = pipeline
  }

  /// Returns the faces, doubtful ones with the confidence, box and points of both networks.
  /// - Parameters:
  ///   - result: in pixels of `picture`, without overlaps.
  ///   - prior: decides which of the faces are doubtful; it is not applied.
  func confirmed(
    _ result: SearchResult, _ prior: SizePrior, in picture: UprightImage
  ) throws(Status) -> SearchResult {
    let ranks = result.with(prior).faces.map(\.confidence)
    let doubtful = result.faces.indices
      .filter { SecondLook.doubtful.contains(ranks[$0]) }
      .sorted { (ranks[$1], $0) < (ranks[$0], $1) }
      .prefix(SecondLook.maxFaces)
    guard !doubtful.isEmpty, let pipeline = pipeline() else { return result }
    let found = try pipeline.search(
      picture, squares: doubtful.map { RotatedSquare(result.faces[$0].box, roll: 0) },
      side: SecondLook.squareSide, minConfidence: SecondLook.nothing)
    var faces = result.faces
    for (index, other) in zip(doubtful, found) { faces[index] = combined(faces[index], other) }
    return SearchResult(faces: faces, letterbox: result.letterbox)
  }

  private func combined(_ face: Face, _ other: Face?) -> Face {
    let same = other.flatMap {
      $0.box.intersectionOverUnion(face.box) >= SecondLook.minOverlap ? $0 : nil
    }
    let second = calibration.calibrated(same?.confidence ?? SecondLook.nothing)
    let confidence = sigmoid(
      SecondLook.firstPart * logit(face.confidence) + SecondLook.secondPart * logit(second)
        + SecondLook.offset)
    guard let same else {
      var face = face
      face.confidence = confidence
      return face
    }
    return WeightedBoxesFusion.mean(
      [face, same], weights: [face.confidence, same.confidence], confidence: confidence)
  }
}
