public import FaceCore
public import Imaging

/// Finds heads at any roll with a detector of upright ones: determines the tilt of most of the picture's
/// heads, searches the picture as it is and turned back by that much, and searches the other candidates one by
/// one, each at its own angle. No face that the upright search finds is lost. That search is left out only
/// where the turned picture shows one large head alone.
///
/// PCN (Shi and others, "Real-Time Rotation-Invariant Face Detection with Progressive Calibration Networks",
/// CVPR 2018) uses networks of its own for this; here the detector's confidences at several angles take the
/// place of its calibration.
public struct RotatedDetector: PictureDetector {
  private let pipeline: DetectionPipeline
  private let detector: any PictureDetector
  private let turnedDetector: any PictureDetector

  /// Degrees from a quarter turn up to which detectors find nearly as much as upright.
  private static let maxTilt: Float = 20
  /// Degrees by which the roll may be wrong without another search: detectors hardly notice less.
  private static let settledRoll: Float = 5
  /// A picture is certainly turned back if it then shows a face of this confidence.
  private static let sureConfidence: Float = 0.6
  /// The confidence from which on faces of the whole picture are searched again at their own angle.
  private static let weak: Float = 0.2
  /// The confidence from which on faces of the whole picture are searched at several angles, to learn their
  /// roll.
  private static let weakAtAnyRoll: Float = 0.05
  /// The confidence from which on candidates of a small copy are searched again.
  private static let minSmall: Float = 0.5
  /// The most candidates that are searched again, and the largest share of the picture's pixels that they may
  /// have together.
  private static let (maxSearchedAgain, maxShareSearchedAgain) = (64, 0.15)
  /// The least confidence of a face that is found so: in a square of its own, more looks like one.
  private static let minConfidenceAgain: Float = 0.7
  /// The side of the head of a portrait relative to the picture's long side.
  private static let minPortrait: Float = 0.125

  /// - Parameters:
  ///   - pipeline: determines the roll, and finds heads with a roll of their own.
  ///   - detector: searches the whole picture as it is; the same one, or one that finds more.
  ///   - turnedDetector: searches the whole picture when it is turned.
  public init(
    pipeline: DetectionPipeline, detector: any PictureDetector, turnedDetector: any PictureDetector
  ) {
    self.pipeline = pipeline
    self.detector = detector
    self.turnedDetector = turnedDetector
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
      faces: options.maxFaces > 0 ? Array(faces.prefix(options.maxFaces)) : faces)
  }

  /// Returns the faces of `picture`, whose pixels are `view`, the most confident first.
  private func search(
    _ picture: UprightImage, _ view: ImageView, _ options: DetectionOptions
  ) throws(Status) -> [Face] {
    let rolls = RollSearch(pipeline: pipeline, picture: picture)
    func measureTilt(
      _ candidates: [RollSearch.Candidate], upsideDown: [Face]? = nil
    ) throws(Status) -> Tilt {
      var tilt = Tilt(candidates: candidates, roll: rolls.commonRoll(of: candidates))
      guard let roll = tilt.roll, !tilt.isUpright else { return tilt }
      var found =
        if let upsideDown, tilt.isUpsideDown { upsideDown } else {
          try search(picture, view, roll: roll, minConfidence: RotatedDetector.weakAtAnyRoll, options)
        }
      // What this shows tells the roll better than the few candidates.
      if let better = rolls.commonRoll(of: try rolls.candidates(found, near: roll)),
        (better - roll).remainder(dividingBy: 360).magnitude > RotatedDetector.settledRoll
      {
        let next = try search(
          picture, view, roll: better, minConfidence: RotatedDetector.weakAtAnyRoll, options)
        if RotatedDetector.evidence(of: next) > RotatedDetector.evidence(of: found) {
          (tilt.roll, found) = (better, next)
        }
      }
      // Otherwise a pattern was mistaken for a head.
      if found.contains(where: { $0.confidence >= RotatedDetector.sureConfidence }) { tilt.turned = found }
      return tilt
    }
    var tilt = try measureTilt(rolls.smallCandidates())
    var upright: [Face] = []
    if !tilt.isPortrait(picture.size) {
      upright = try search(picture, view, roll: 0, minConfidence: RotatedDetector.weakAtAnyRoll, options)
      // Heads too small for the small copy look a little like faces as they are or upside down.
      if !tilt.isConfirmed(by: upright) { tilt = try measureTilt(rolls.candidates(upright)) }
      if !tilt.isConfirmed(by: upright) {
        let upsideDown = try search(
          picture, view, roll: 180, minConfidence: RotatedDetector.weakAtAnyRoll, options)
        tilt = try measureTilt(rolls.candidates(upsideDown), upsideDown: upsideDown)
      }
    }
    let again = try searchAgain(
      tilt.turned ?? upright, roll: tilt.turned != nil || tilt.isUpright ? tilt.roll ?? 0 : 0,
      tilt.candidates, in: picture, options)
    func isConfident(_ face: Face) -> Bool { face.confidence >= options.minConfidence }
    return TurnedFaces.merge(
      (tilt.turned ?? []).filter(isConfident) + again, into: upright.filter(isConfident),
      overlapThreshold: options.overlapThreshold)
  }

  /// How much speaks for the turn of the picture in which these faces were found.
  private static func evidence(of faces: [Face]) -> Float {
    faces.reduce(0) { $0 + max($1.confidence - 0.5, 0) }
  }

  /// What is known of the tilt of most of a picture's heads.
  private struct Tilt {
    let candidates: [RollSearch.Candidate]
    /// Degrees; `nil` if no candidate is certainly a face.
    var roll: Float?
    /// The faces of the picture turned back by the roll, if that shows any.
    var turned: [Face]?

    /// Whether the picture as it is shows the heads.
    var isUpright: Bool { roll.map { $0.magnitude <= RotatedDetector.maxTilt } ?? false }
    var isUpsideDown: Bool { roll.map { $0.magnitude >= 180 - RotatedDetector.maxTilt } ?? false }

    /// Returns whether the search at this roll, which is `upright` for one near 0, has found a face.
    func isConfirmed(by upright: [Face]) -> Bool {
      turned != nil || isUpright && upright.contains { $0.confidence >= RotatedDetector.sureConfidence }
    }

    /// Returns whether the turned picture shows one large head, and a small copy of the picture no other. A
    /// search of the picture as it is would find little but this head, and that badly.
    func isPortrait(_ size: PixelSize) -> Bool {
      let heads = turned?.filter { $0.confidence >= RotatedDetector.sureConfidence } ?? []
      guard let head = heads.first, heads.count == 1,
        head.box.meanSide >= Float(size.longSide) * RotatedDetector.minPortrait
      else { return false }
      return candidates.allSatisfy {
        $0.face.confidence < RotatedDetector.minSmall || $0.face.box.isNear(head.box)
      }
    }
  }

  /// Returns the faces of the picture turned so that heads of `roll` are upright, in pixels of `picture`.
  private func search(
    _ picture: UprightImage, _ view: ImageView, roll: Float, minConfidence: Float,
    _ options: DetectionOptions
  ) throws(Status) -> [Face] {
    var options = options
    (options.maxFaces, options.minFaceSize, options.minFaceShare) = (0, 0, 0)
    options.minConfidence = min(options.minConfidence, minConfidence)
    let quarter = QuarterTurn(degrees: Int((roll / 90).rounded()) * 90) ?? .none
    if (roll - Float(quarter.rawValue)).remainder(dividingBy: 360).magnitude <= RotatedDetector.maxTilt {
      let orientation = Orientation(quarter.inverse)
      let turned = try UprightImage(picture.input.made(into: .pixels(view), orientation: orientation))
      let toPicture = orientation.toUpright(view.size).inverse
      return try (quarter == .none ? detector : turnedDetector).findFaces(in: turned, options).faces.map {
        toPicture.upright($0)
      }
    }
    let turned = TurnedView(of: view.size, roll: roll, maxPixels: view.size.width * view.size.height)
    return try turned.faces(in: picture) { (image) throws(Status) in
      try turnedDetector.findFaces(in: image, options).faces
    }
  }

  /// Returns those of the doubtful faces of a search, and of the candidates elsewhere, that are faces at their
  /// own angle.
  /// - Parameters:
  ///   - found: the faces of the search.
  ///   - roll: that of heads which are upright in it.
  private func searchAgain(
    _ found: [Face], roll: Float, _ candidates: [RollSearch.Candidate], in picture: UprightImage,
    _ options: DetectionOptions
  ) throws(Status) -> [Face] {
    let confident = found.filter { $0.confidence >= options.minConfidence }
    let weak = found.filter { $0.confidence < options.minConfidence && $0.confidence >= RotatedDetector.weak }
      .map { ($0, roll) }
    let elsewhere = candidates.filter { candidate in
      max(candidate.face.confidence, candidate.confidence) >= RotatedDetector.minSmall
        && !confident.contains { $0.box.isNear(candidate.face.box) }
    }.map { ($0.face, $0.roll) }
    let pixels = Double(picture.size.width * picture.size.height) * RotatedDetector.maxShareSearchedAgain
    let count = max(Int(pixels) / (RollSearch.squareSide * RollSearch.squareSide), 1)
    let squares = (elsewhere + weak).sorted { $0.0.confidence > $1.0.confidence }
      .prefix(min(count, RotatedDetector.maxSearchedAgain))
      .map { RotatedSquare($0.0.box, roll: $0.1) }
    return try pipeline.search(
      picture, squares: squares, side: RollSearch.squareSide,
      minConfidence: max(options.minConfidence, RotatedDetector.minConfidenceAgain)
    ).compactMap { $0 }
  }
}

extension TurnedView {
  /// Returns the faces that `search` finds in this view of `picture`, in pixels of `picture`.
  func faces(
    in picture: UprightImage, _ search: (UprightImage) throws(Status) -> [Face]
  ) throws(Status) -> [Face] {
    picture.input.clock?.begin(.convert)
    let pixels: Bitmap
    do {
      defer { picture.input.clock?.end() }
      pixels = try picture.crop(size, toImage: toImage)
    }
    let image = picture.input.made(into: .pixels(try pixels.view), orientation: .up)
    let found = try search(UprightImage(image))
    extendLifetime(pixels)
    return found.map { toImage.upright($0) }
  }
}
