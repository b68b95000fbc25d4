public import FaceCore
public import Imaging

/// Finds heads at any roll with a detector of upright ones: determines the tilt of most of the picture's
/// heads, searches the picture turned back by that much, and searches the other candidates one by one, each
/// at its own angle.
///
/// PCN (Shi and others, "Real-Time Rotation-Invariant Face Detection with Progressive Calibration Networks",
/// CVPR 2018) uses networks of its own for this; here the detector's confidences at several angles take the
/// place of its calibration.
public struct RotatedDetector: PictureDetector {
  private let pipeline: DetectionPipeline
  private let detector: any PictureDetector

  /// Degrees from a quarter turn up to which detectors find nearly as much as upright.
  private static let maxTilt: Float = 20
  /// The confidence from which on candidates of the whole picture are searched again at their own angle; the
  /// lower one is for a picture that was scaled down to be turned.
  private static let (weak, weakWhenTurned): (Float, Float) = (0.3, 0.2)
  /// The confidence from which on candidates of a small copy are searched again.
  private static let minSmall: Float = 0.5
  /// The most candidates that are searched again.
  private static let maxSearchedAgain = 64

  /// - Parameters:
  ///   - pipeline: determines the roll, and finds heads with a roll of their own.
  ///   - detector: searches the whole picture; the same one, or an ensemble.
  public init(pipeline: DetectionPipeline, detector: any PictureDetector) {
    self.pipeline = pipeline
    self.detector = detector
  }

  public func findFaces(
    in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    // Scaled once; from here on it is an upright picture of its own.
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

  /// Returns the faces of `picture`, whose pixels are `view`, including overlapping ones.
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
      // Otherwise a pattern was mistaken for a head.
      if found.contains(where: { $0.confidence >= RollSearch.sureConfidence }) {
        return try searchAgain(found, roll: roll, candidates, in: picture, options)
      }
    }
    return try searchAgain(
      try search(picture, view, roll: 0, options), roll: 0, candidates, in: picture, options)
  }

  /// Returns the faces of the picture turned so that heads of `roll` are upright, in pixels of `picture`.
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

  /// Returns the confident faces of `found`, and those of the others and of the candidates elsewhere that are
  /// faces at their own angle.
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
