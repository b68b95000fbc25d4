public import FaceCore
import Imaging

/// Searches a picture several times, with several networks or sizes or mirrored, and lets the passes vote.
public struct DetectionEnsemble: FaceDetector {
  /// One search of the picture.
  public struct Pass: Sendable {
    let pipeline: DetectionPipeline
    /// Long side that this pass sees at most; `nil` for all that the options allow.
    let maxSide: Int?
    let isMirrored: Bool
    /// How much its faces count.
    let weight: Float
    let calibration: ScoreCalibration

    public init(
      _ pipeline: DetectionPipeline, maxSide: Int? = nil, isMirrored: Bool = false, weight: Float = 1,
      calibration: ScoreCalibration = .none
    ) {
      self.pipeline = pipeline
      self.maxSide = maxSide
      self.isMirrored = isMirrored
      self.weight = weight
      self.calibration = calibration
    }
  }

  private let passes: [Pass]
  /// Below this a pass's face has no vote: it would only widen the search for those that agree.
  private static let leastConfidence: Float = 0.05

  /// - Parameter passes: at least one without a `maxSide`.
  public init(passes: [Pass]) {
    self.passes = passes
  }

  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try options.check()
    // Read once for all passes; from here on it is a picture of its own, upright.
    let whole = try NetworkInput(image, maxSide: options.effectiveMaxSide, multiple: 1)
    let view = try whole.bitmap.view
    var ballots: [BoxVoting.Ballot] = []
    for pass in passes {
      // What is no larger than a smaller pass's picture was seen by the whole one already.
      if let side = pass.maxSide, view.size.longSide <= side { continue }
      let faces = try search(view, pass, overlapThreshold: options.overlapThreshold)
      ballots.append(BoxVoting.Ballot(faces: faces, weight: pass.weight))
    }
    let letterbox = whole.letterbox
    let faces = BoxVoting.apply(ballots).filter { $0.confidence >= options.minConfidence }
      .map(letterbox.toImage).filter { $0.isAtLeast(options.minFaceSize) }
    return DetectionResult(
      imageSize: letterbox.image,
      faces: NonMaximumSuppression.apply(
        faces, overlapThreshold: options.overlapThreshold, limit: options.maxFaces))
  }

  /// The faces of one pass, calibrated, in pixels of `view`.
  private func search(
    _ view: ImageView, _ pass: Pass, overlapThreshold: Float
  ) throws(Status) -> [Face] {
    let image = ImageInput(.pixels(view), orientation: pass.isMirrored ? .upMirrored : .up)
    let found = try pass.pipeline.candidates(
      image, maxSide: pass.maxSide ?? 0,
      minConfidence: pass.calibration.raw(DetectionEnsemble.leastConfidence))
    return NonMaximumSuppression.apply(found.faces, overlapThreshold: overlapThreshold, limit: 0).map {
      face in
      var face = pass.isMirrored ? face.mirrored(width: Float(view.size.width)) : face
      face.confidence = pass.calibration.calibrated(face.confidence)
      return face
    }
  }
}

extension Face {
  /// The same face in a picture `width` pixels wide that is exchanged left to right: so are the subject's sides.
  fileprivate func mirrored(width: Float) -> Face {
    func mirrored(_ point: Point) -> Point { Point(x: width - point.x, y: point.y) }
    let points = points.map {
      FivePoints(
        leftEye: mirrored($0.rightEye), rightEye: mirrored($0.leftEye), noseTip: mirrored($0.noseTip),
        mouthLeft: mirrored($0.mouthRight), mouthRight: mirrored($0.mouthLeft))
    }
    return Face(
      box: Box(x: width - box.maxX, y: box.y, width: box.width, height: box.height), confidence: confidence,
      points: points)
  }
}
