public import FaceCore
public import Imaging

import func Glibc.expf
import func Glibc.logf

/// Finds faces in a picture with several passes, of several networks or sizes or mirrored, and fuses what they find.
public struct DetectionEnsemble: PictureDetector {
  /// One search of the picture.
  public struct Pass: Sendable {
    let pipeline: DetectionPipeline
    /// Long side that this pass sees at most; `nil` for all that the options allow.
    let maxSide: Int?
    let isMirrored: Bool
    /// How much its faces count.
    let weight: Float
    /// Memory for a pixel of the network's input, in that of a light network on ncnn, about 110 bytes.
    let memoryFactor: Int
    let calibration: ScoreCalibration

    public init(
      _ pipeline: DetectionPipeline, maxSide: Int? = nil, isMirrored: Bool = false, weight: Float = 1,
      memoryFactor: Int = 1, calibration: ScoreCalibration = .none
    ) {
      self.pipeline = pipeline
      self.maxSide = maxSide
      self.isMirrored = isMirrored
      self.weight = weight
      self.memoryFactor = memoryFactor
      self.calibration = calibration
    }
  }

  /// A picture that is larger is scaled down for a pass, which keeps it below two gigabytes.
  fileprivate static let maxInputPixels = 16_777_216

  private let passes: [Pass]
  private let calibration: ScoreCalibration
  /// Below this a pass's face is not fused: it would only widen the search for those that overlap.
  private static let minPassConfidence: Float = 0.05
  /// Overlap above which a pass's less confident face is left out.
  private static let passOverlapThreshold: Float = 0.3
  /// Fused faces may overlap by this many times the overlap that the options allow: their boxes are more exact, so that
  /// two that overlap are more often two people.
  private static let overlapFactor: Float = 1.5

  /// - Parameters:
  ///   - passes: at least one without a `maxSide`.
  ///   - calibration: of the fused confidence, which is lower than the passes' own wherever they do not agree.
  public init(passes: [Pass], calibration: ScoreCalibration = .none) {
    self.passes = passes
    self.calibration = calibration
  }

  public func findFaces(
    in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    // Scaled once for all passes; from here on it is a picture of its own, upright.
    let whole = try picture.networkInput(maxSide: options.effectiveMaxSide, multiple: 1)
    let clock = picture.input.clock
    guard whole.letterbox.content.shortSide >= ImageLimits.minSide else {
      // Scaled to a strip too thin to be a picture: there is no other way to look at it.
      return try passes.first?.pipeline.findFaces(in: picture, options)
        ?? DetectionResult(imageSize: whole.letterbox.image, faces: [])
    }
    let view = try ImageView(whole.pixels)
    let longSide = view.size.longSide
    // What is no larger than a smaller pass's picture was seen by the whole one already.
    let passes = passes.filter { $0.maxSide ?? 0 < longSide }
    let sides = passes.map { $0.side(for: view.size) }
    let scales = sides.map { Float($0) / Float(longSide) }
    var detections: [WeightedBoxesFusion.Detections] = []
    for (index, pass) in passes.enumerated() {
      let faces = try run(pass, on: view, of: picture.input, maxSide: sides[index])
      let sizes = DetectionEnsemble.sizes(seenAt: scales[index], among: scales)
      detections.append(WeightedBoxesFusion.Detections(faces: faces, weight: pass.weight, sizes: sizes))
    }
    let letterbox = whole.letterbox
    extendLifetime(whole)
    clock?.begin(.boxes)
    defer { clock?.end() }
    let faces = WeightedBoxesFusion.fuse(detections).map { face in
      var face = letterbox.toImage(face)
      face.confidence = calibration.calibrated(face.confidence)
      return face
    }.filter { $0.confidence >= options.minConfidence && options.isLargeEnough($0, in: picture.size) }
    return DetectionResult(
      imageSize: letterbox.image,
      faces: NonMaximumSuppression.apply(
        faces, overlapThreshold: options.overlapThreshold * DetectionEnsemble.overlapFactor,
        limit: options.maxFaces))
  }

  /// Sides of faces in a network's input that the face networks see well; with the margins of `FaceSizes`, 13 to 320.
  ///
  /// YuNet's authors say 10 to 300. Of 935 faces of crowds YuNet and CenterFace find seven in ten at 10 to 12 pixels and nine
  /// in ten from 20 on; and from some 320 on boxes become too small.
  static let goodSizes: ClosedRange<Float> = 20...213

  /// Sizes of faces in the picture for which a pass at `scale` counts: the largest scale for all small ones, the smallest
  /// for all large ones.
  private static func sizes(seenAt scale: Float, among scales: [Float]) -> FaceSizes {
    let isLargest = scale == scales.max()
    let isSmallest = scale == scales.min()
    return FaceSizes(
      (isLargest ? 0 : goodSizes.lowerBound / scale)...(isSmallest ? .infinity : goodSizes.upperBound / scale)
    )
  }

  /// The faces of one pass, calibrated, in pixels of `view`.
  private func run(
    _ pass: Pass, on view: ImageView, of input: ImageInput, maxSide: Int
  ) throws(Status) -> [Face] {
    let image = input.made(into: .pixels(view), orientation: pass.isMirrored ? .upMirrored : .up)
    let clock = input.clock
    let found = try pass.pipeline.search(
      UprightImage(image), maxSide: maxSide,
      minConfidence: pass.calibration.raw(DetectionEnsemble.minPassConfidence))
    clock?.begin(.boxes)
    defer { clock?.end() }
    return NonMaximumSuppression.apply(
      found.faces, overlapThreshold: DetectionEnsemble.passOverlapThreshold, limit: 0
    ).map { face in
      var face = pass.isMirrored ? face.mirrored(width: Float(view.size.width)) : face
      face.confidence = pass.calibration.calibrated(face.confidence)
      return face
    }
  }
}

extension DetectionEnsemble.Pass {
  /// Long side of what this pass sees of a picture of `size`: its own, or less where memory is bounded.
  fileprivate func side(for size: PixelSize) -> Int {
    let pixels = min(pipeline.maxInputPixels, DetectionEnsemble.maxInputPixels) / memoryFactor
    var side = min(maxSide ?? size.longSide, size.longSide)
    while side > ImageLimits.minSide, pipeline.inputPixels(size, maxSide: side) > pixels { side -= 16 }
    return max(side, ImageLimits.minSide)
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

/// Maps the confidences of one network to the scale of another's: a straight line between their logits.
/// Source: Platt, "Probabilistic Outputs for Support Vector Machines", 1999.
public struct ScoreCalibration: Equatable, Sendable {
  /// Above 0, so that the order of faces stays.
  public let slope: Float
  public let offset: Float

  public static let none = ScoreCalibration(slope: 1, offset: 0)

  public init(slope: Float, offset: Float) {
    self.slope = slope
    self.offset = offset
  }

  /// - Parameter score: 0…1.
  package func calibrated(_ score: Float) -> Float {
    self == .none ? score : sigmoid(slope * ScoreCalibration.logit(score) + offset)
  }

  /// The score that is calibrated to `score`.
  package func raw(_ score: Float) -> Float {
    self == .none ? score : sigmoid((ScoreCalibration.logit(score) - offset) / slope)
  }

  private static func logit(_ score: Float) -> Float {
    let inside = min(max(score, 1e-6), 1 - 1e-6)
    return logf(inside / (1 - inside))
  }
}
