public import FaceCore
public import Imaging

/// Finds faces in a picture with several passes, by several networks, at several sizes or mirrored, and fuses
/// their results.
///
/// Passes that enlarge the picture detect faces of 10 pixels as well as the others detect those of 15, and
/// take most of the time: they run only if the first pass has found a small face.
public struct DetectionEnsemble: PictureDetector {
  /// One search of the picture.
  public struct Pass: Sendable {
    let pipeline: DetectionPipeline
    /// The longest side of this pass's input; `nil` for as much as the options allow.
    let maxSide: Int?
    /// The factor by which the picture is enlarged for this pass; 1 or more.
    let enlargement: Float
    let isMirrored: Bool
    /// Whether it runs only for faces that are too large for the picture's own size, and votes on these alone.
    let isForLargeFaces: Bool
    let weight: Float
    /// Memory per pixel of the network's input, relative to a light network on ncnn, which takes about 110
    /// bytes.
    let memoryFactor: Int
    let calibration: ScoreCalibration

    public init(
      _ pipeline: DetectionPipeline, maxSide: Int? = nil, enlargement: Float = 1, isMirrored: Bool = false,
      isForLargeFaces: Bool = false, weight: Float = 1, memoryFactor: Int = 1,
      calibration: ScoreCalibration = .none
    ) {
      self.pipeline = pipeline
      self.maxSide = maxSide
      self.enlargement = enlargement
      self.isMirrored = isMirrored
      self.isForLargeFaces = isForLargeFaces
      self.weight = weight
      self.memoryFactor = memoryFactor
      self.calibration = calibration
    }
  }

  /// The most pixels of a pass's input, to which a larger picture is scaled down. It keeps memory below two
  /// gigabytes.
  fileprivate static let maxInputPixels = 16_777_216
  /// The longest side to which a picture is enlarged.
  fileprivate static let maxEnlargedSide = 2048
  private static let minEnlargement: Float = 1.2

  private let passes: [Pass]
  private let calibration: ScoreCalibration
  private let sizePrior: SizePrior
  /// A pass's face below this confidence is not fused: it would only widen the search for overlapping ones.
  private static let minPassConfidence: Float = 0.05
  /// The overlap above which a pass's less confident face is left out.
  static let passOverlapThreshold: Float = 0.45
  /// The overlap that is allowed for faces with means of boxes, where the options allow `threshold`: these
  /// boxes are more exact, so that two that overlap are more often two people.
  package static func overlapOfMeans(_ threshold: Float) -> Float { min(threshold * 1.5, 1) }
  /// A face below this side is small enough to justify an enlarged pass, if it has this confidence.
  static let smallFace: (side: Float, confidence: Float) = (32, 0.3)

  /// - Parameters:
  ///   - passes: the first has no `maxSide` and is not enlarged.
  ///   - calibration: applied to the fused confidence, which is lower than the passes' own wherever they
  ///     disagree.
  ///   - sizePrior: applied to the calibrated confidence, by the face's side in the picture as the first pass
  ///     sees it.
  public init(passes: [Pass], calibration: ScoreCalibration = .none, sizePrior: SizePrior = .none) {
    self.passes = passes
    self.calibration = calibration
    self.sizePrior = sizePrior
  }

  public func findFaces(
    in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    // Scaled once for all passes; from here on it is an upright picture of its own.
    let whole = try picture.networkInput(maxSide: options.effectiveMaxSide, multiple: 1)
    let clock = picture.input.clock
    guard whole.letterbox.content.shortSide >= ImageLimits.minSide else {
      // The scaled picture is a strip too thin to be an image; the first pass searches the original.
      return try passes.first?.pipeline.findFaces(in: picture, options)
        ?? DetectionResult(imageSize: whole.letterbox.image, faces: [])
    }
    let view = try ImageView(whole.pixels)
    let longSide = view.size.longSide
    // A smaller pass is left out if its picture would be no smaller than that of the first.
    let own = passes.filter { $0.enlargement == 1 && $0.maxSide ?? 0 < longSide }
    var searches: [Search] = []
    for pass in own.filter({ !$0.isForLargeFaces }) + own.filter(\.isForLargeFaces) {
      guard !pass.isForLargeFaces || searches.contains(where: { $0.faces.contains(where: Self.isLarge) })
      else { continue }
      var search = Search(pass, of: view.size)
      search.faces = try run(search, on: view, of: picture.input)
      searches.append(search)
    }
    if options.maxSide == nil, searches.first?.faces.contains(where: DetectionEnsemble.isSmall) == true {
      for pass in passes where pass.enlargement > 1 {
        var search = Search(pass, of: view.size)
        // With little enlargement it would only repeat the pass.
        guard search.scale >= DetectionEnsemble.minEnlargement else { continue }
        search.faces = try run(search, on: view, of: picture.input)
        searches.append(search)
      }
    }
    let detections = searches.map { search in
      WeightedBoxesFusion.Detections(
        faces: search.faces, weight: search.pass.weight,
        sizes: DetectionEnsemble.sizes(seenBy: search, among: searches))
    }
    let letterbox = whole.letterbox
    extendLifetime(whole)
    clock?.begin(.boxes)
    defer { clock?.end() }
    let faces = WeightedBoxesFusion.fuse(detections).map { fused in
      var face = letterbox.toImage(fused)
      face.confidence = sizePrior.applied(
        to: calibration.calibrated(fused.confidence), side: fused.box.meanSide)
      return face
    }.filter { $0.confidence >= options.minConfidence && options.isLargeEnough($0, in: picture.size) }
    return DetectionResult(
      imageSize: letterbox.image,
      faces: NonMaximumSuppression.apply(
        faces, overlapThreshold: DetectionEnsemble.overlapOfMeans(options.overlapThreshold),
        limit: options.maxFaces))
  }

  /// A pass over one picture.
  private struct Search {
    let pass: Pass
    /// The long side of the pass's input.
    let side: Int
    /// Pixels of the input per pixel of the picture.
    let scale: Float
    /// The calibrated faces without overlaps, in pixels of the picture.
    var faces: [Face] = []

    init(_ pass: Pass, of size: PixelSize) {
      self.pass = pass
      side = pass.side(for: size)
      scale = Float(side) / Float(size.longSide)
    }
  }

  private static func isSmall(_ face: Face) -> Bool {
    face.box.meanSide < smallFace.side && face.confidence >= smallFace.confidence
  }

  /// Whether a pass for large faces would have a vote on `face`.
  private static func isLarge(_ face: Face) -> Bool {
    face.box.meanSide > goodSizes.upperBound / FaceSizes.margin && face.confidence >= smallFace.confidence
  }

  /// Sides of faces in a network's input that the face networks detect well; with the margins of `FaceSizes`,
  /// 13 to 320.
  ///
  /// YuNet's authors say 10 to 300. Of 935 faces in crowds YuNet and CenterFace find seven in ten at 10 to 12
  /// pixels and nine in ten from 20 on; and from about 320 on boxes become too small.
  static let goodSizes: ClosedRange<Float> = 20...213

  /// Returns the sizes of faces in the picture for which a search counts: the largest scale and enlarged
  /// passes for all small ones, the smallest scale for all large ones.
  private static func sizes(seenBy search: Search, among searches: [Search]) -> FaceSizes {
    let sides = searches.map(\.side)
    let isLargest = search.side == sides.max() || search.pass.enlargement > 1
    let isSmallest = search.side == sides.min()
    // Where passes at the picture's own size begin to abstain.
    let least = search.pass.isForLargeFaces ? goodSizes.upperBound : goodSizes.lowerBound / search.scale
    return FaceSizes(
      (isLargest ? 0 : least)...(isSmallest
        ? .infinity : goodSizes.upperBound / search.scale))
  }

  /// Returns the calibrated faces of one pass, in pixels of `view`.
  private func run(_ search: Search, on view: ImageView, of input: ImageInput) throws(Status) -> [Face] {
    let pass = search.pass
    let clock = input.clock
    let orientation: Orientation = pass.isMirrored ? .upMirrored : .up
    let least = pass.calibration.raw(DetectionEnsemble.minPassConfidence)
    let found =
      if search.scale > 1 {
        try pass.pipeline.search(
          view, enlargedBy: search.scale, as: orientation, of: input, minConfidence: least)
      } else {
        try pass.pipeline.search(
          UprightImage(input.made(into: .pixels(view), orientation: orientation)), maxSide: search.side,
          minConfidence: least
        ).faces
      }
    clock?.begin(.boxes)
    defer { clock?.end() }
    return NonMaximumSuppression.applyWithMeans(
      found, overlapThreshold: DetectionEnsemble.passOverlapThreshold
    ).map { face in
      var face = pass.isMirrored ? face.mirrored(width: Float(view.size.width)) : face
      face.confidence = pass.calibration.calibrated(face.confidence)
      return face
    }
  }
}

extension DetectionEnsemble.Pass {
  /// Returns the long side of this pass's input for a picture of `size`: its own, or less where memory is
  /// bounded.
  fileprivate func side(for size: PixelSize) -> Int {
    let pixels = min(pipeline.maxInputPixels, DetectionEnsemble.maxInputPixels) / memoryFactor
    var side = min(maxSide ?? size.longSide, size.longSide)
    if enlargement > 1 {
      side = max(side, min(Int(Float(side) * enlargement), DetectionEnsemble.maxEnlargedSide))
    }
    while side > ImageLimits.minSide,
      pipeline.inputPixels(size.scaled(by: Float(side) / Float(size.longSide)), maxSide: 0) > pixels
    {
      side -= 16
    }
    return max(side, ImageLimits.minSide)
  }
}

extension Face {
  /// Returns the face in a picture that is so many times as wide and as high.
  func scaled(_ scaleX: Float, _ scaleY: Float) -> Face {
    Face(
      box: Box(
        x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY),
      confidence: confidence, points: points?.map { Point(x: $0.x * scaleX, y: $0.y * scaleY) })
  }

  /// Returns the face in the mirror image of a picture `width` pixels wide; the subject's left and right are
  /// exchanged too.
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
