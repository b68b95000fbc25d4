public import FaceCore
public import Imaging

/// Finds heads at any roll with a detector that knows upright ones: finds out how most of the picture's heads are tilted,
/// lets the detector search the picture turned back by that much, and searches the other candidates one by one, each at
/// its own angle.
///
/// PCN (Shi and others, "Real-Time Rotation-Invariant Face Detection with Progressive Calibration Networks", CVPR 2018) has
/// networks of its own for this; here the detector's confidences at several angles do what its calibration does.
public struct RotatedDetector: PictureDetector {
  private let pipeline: DetectionPipeline
  private let detector: any PictureDetector

  /// Degrees: at so much against a quarter turn detectors find nearly what they find upright.
  private static let maxTilt: Float = 20
  /// Candidates of the whole picture are searched again at their own angle from this confidence on; those of a picture that
  /// was scaled down to be turned from the lower one.
  private static let (weak, weakWhenTurned): (Float, Float) = (0.3, 0.2)
  /// The same for those of a small copy.
  private static let minSmall: Float = 0.5
  /// At most so many, the most confident ones.
  private static let maxSearchedAgain = 64

  /// - Parameters:
  ///   - pipeline: finds the roll, and heads with a roll of their own.
  ///   - detector: searches the whole picture; the same one, or an ensemble.
  public init(pipeline: DetectionPipeline, detector: any PictureDetector) {
    self.pipeline = pipeline
    self.detector = detector
  }

  public func findFaces(
    in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    // Scaled once; from here on it is a picture of its own, upright.
    let whole = try picture.networkInput(
      maxSide: options.effectiveMaxSide, multiple: 1, mayBorrow: true)
    guard whole.letterbox.content.shortSide >= ImageLimits.minSide else {
      return try detector.findFaces(in: picture, options)
    }
    let view = try ImageView(whole.pixels)
    let scaled = try UprightImage(picture.input.made(into: .pixels(view), orientation: .up))
    var faces = try search(scaled, view, options).map { whole.letterbox.toImage($0) }
    extendLifetime(whole)
    faces.removeAll { !options.isLargeEnough($0, in: picture.size) }
    return DetectionResult(
      imageSize: picture.size,
      faces: NonMaximumSuppression.apply(
        faces, overlapThreshold: options.overlapThreshold, limit: options.maxFaces))
  }

  /// The faces of `picture`, whose pixels are `view`, overlapping ones included.
  private func search(
    _ picture: UprightImage, _ view: ImageView, _ options: DetectionOptions
  ) throws(Status) -> [Face] {
    let rolls = RollSearch(pipeline: pipeline, picture: picture)
    var candidates: [RollSearch.Candidate] = []
    for share in RollSearch.smallSides {
      let seen = try rolls.candidates(share: share)
      candidates = seen.candidates
      guard let roll = seen.roll else { continue }
      let found = try search(picture, view, roll: roll, options)
      // Else a pattern was taken for a head.
      if found.contains(where: { $0.confidence >= RollSearch.sureConfidence }) {
        return try searchAgain(found, roll: roll, candidates, in: picture, options)
      }
    }
    return try searchAgain(
      try search(picture, view, roll: 0, options), roll: 0, candidates, in: picture, options)
  }

  /// What the detector finds in the picture turned so that heads of `roll` are upright, in pixels of `picture`.
  private func search(
    _ picture: UprightImage, _ view: ImageView, roll: Float, _ options: DetectionOptions
  ) throws(Status) -> [Face] {
    var options = options
    (options.maxFaces, options.minFaceSize) = (0, 0)
    let quarter = QuarterTurn(degrees: Int((roll / 90).rounded()) * 90) ?? .none
    if (roll - Float(quarter.rawValue)).remainder(dividingBy: 360).magnitude <= RotatedDetector.maxTilt {
      options.minConfidence = min(options.minConfidence, RotatedDetector.weak)
      let orientation = Orientation(quarter.inverse)
      let turned = try UprightImage(picture.input.made(into: .pixels(view), orientation: orientation))
      let toPicture = orientation.toUpright(view.size).inverse
      return try detector.findFaces(in: turned, options).faces.map { toPicture.upright($0) }
    }
    options.minConfidence = min(options.minConfidence, RotatedDetector.weakWhenTurned)
    let turned = TurnedView(of: view.size, roll: roll, maxPixels: view.size.width * view.size.height)
    picture.input.clock?.begin(.convert)
    let pixels: Bitmap
    do {
      defer { picture.input.clock?.end() }
      pixels = try picture.crop(turned.size, toImage: turned.toImage)
    }
    let image = picture.input.made(into: .pixels(try pixels.view), orientation: .up)
    let found = try detector.findFaces(in: UprightImage(image), options).faces
    extendLifetime(pixels)
    return found.map { turned.toImage.upright($0) }
  }

  /// The confident ones of `found`, and what of the others and of the candidates elsewhere is a face at its own angle.
  private func searchAgain(
    _ found: [Face], roll: Float, _ candidates: [RollSearch.Candidate], in picture: UprightImage,
    _ options: DetectionOptions
  ) throws(Status) -> [Face] {
    var faces = found.filter { $0.confidence >= options.minConfidence }
    let weak = found.filter { $0.confidence < options.minConfidence }.map { ($0, roll) }
    let elsewhere = candidates.filter { candidate in
      candidate.face.confidence >= RotatedDetector.minSmall
        && !found.contains { $0.box.isNear(candidate.face.box) }
    }.map { ($0.face, $0.roll) }
    let again = (weak + elsewhere).sorted { $0.0.confidence > $1.0.confidence }
      .prefix(RotatedDetector.maxSearchedAgain)
    let squares = again.map { RotatedSquare($0.0.box, roll: $0.1) }
    faces += try pipeline.search(
      picture, squares: squares, side: RollSearch.squareSide, minConfidence: options.minConfidence
    ).compactMap { $0 }
    return faces
  }
}
