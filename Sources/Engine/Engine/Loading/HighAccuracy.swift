import Detection
import FaceCore

/// Builds the detector ensemble of a model for accuracy `high`.
enum HighAccuracy {
  /// The package that assists YuNet, in the folder next to its own.
  static let helperName = "centerface"

  /// Maps CenterFace's confidences to YuNet's scale, so that both count equally and a threshold means the
  /// same. Fitted to how often each is right: 935 faces in 160 photos of crowds (WIDER FACE, train split).
  static let helperCalibration = ScoreCalibration(slope: 1.2, offset: 0.7)
  /// Maps the fused confidence: with `sizePrior`, two of three boxes of any size just above the default
  /// threshold are faces (docs/accuracy.md).
  private static let fusionCalibration = ScoreCalibration(slope: 1, offset: 0.64)
  /// The same of CenterFace in squares of its own, by what `balanced` finds on 646 photos of WIDER FACE's
  /// validation split.
  private static let secondLookCalibration = ScoreCalibration(slope: 1.2, offset: 1)
  /// Calibration for the passes of a single model, which agree more often.
  private static let singleModelCalibration = ScoreCalibration(slope: 1, offset: 0.3)

  /// The prior of small faces. Steeper ones order far and near faces together worse, flatter ones gain less
  /// (docs/accuracy.md).
  private static let sizePrior = SizePrior(side: 40, logitPerHalving: 0.42)
  /// The prior for `balanced`, whose votes are fewer.
  private static let lightSizePrior = SizePrior(side: 40, logitPerHalving: 0.15, doubtPerHalving: 0.4)

  /// The memory of CenterFace relative to YuNet, with a margin: it takes some five times as much, 53 bytes a
  /// pixel and 7 MB of weights.
  private static let helperMemory = 4

  /// Long side of the smaller picture. In it, faces that fill the frame have the size that networks know
  /// best.
  private static let smallSide = 640
  /// Enlargement of pictures with small faces, for CenterFace or a model by itself; `lightEnlargement` is for
  /// YuNet next to CenterFace.
  private static let enlargement: Float = 1.5
  private static let lightEnlargement: Float = 2

  /// The model that assists `model`: for YuNet, CenterFace in the folder next to it or loaded by name. Loaded
  /// by the first call; `nil` if there is none. Throws errors of loading it.
  static func helper(of model: LoadedModel, in registry: ModelRegistry) throws(Status) -> LoadedModel? {
    model.info.family == "yunet" ? try registry.sibling(helperName, of: model) : nil
  }

  /// Builds the detector of pictures for accuracy `balanced`.
  /// - Parameter helper: called only when a face is doubtful or a picture is small.
  static func lightDetector(
    for model: LoadedModel, helper: @escaping @Sendable () -> LoadedModel?
  ) -> SmallFaceDetector {
    SmallFaceDetector(
      model.pipeline, sizePrior: lightSizePrior,
      secondLook: SecondLook(calibration: secondLookCalibration) { helper()?.pipeline },
      ensemble: { helper().map { ensemble(for: model, with: $0) } })
  }

  /// Builds the detector of turned pictures and frames for accuracy `balanced`, with the same boxes and scale
  /// of confidences. Enlarging them costs most; in turned pictures it finds hardly more, and a stream has the
  /// next frame.
  static func fastLightDetector(for model: LoadedModel) -> SmallFaceDetector {
    SmallFaceDetector(model.pipeline, sizePrior: lightSizePrior, enlarges: false)
  }

  /// Builds the ensemble. With a helper, both models search the picture at its own size and the small picture
  /// (the model only for large faces), and enlarged ones if there are small faces. Without one, the model
  /// searches the picture at its own size, mirrored, the small picture and an enlarged one.
  ///
  /// All passes have equal weight, except that YuNet's enlarged pass counts half. Weights were not fitted:
  /// both networks were trained on photos of the kind available for fitting, and CenterFace has memorised
  /// more of them.
  static func ensemble(for model: LoadedModel, with helper: LoadedModel?) -> DetectionEnsemble {
    if let helper {
      return DetectionEnsemble(
        passes: [
          .init(model.pipeline),
          .init(helper.pipeline, memoryFactor: helperMemory, calibration: helperCalibration),
          .init(
            helper.pipeline, maxSide: smallSide, memoryFactor: helperMemory, calibration: helperCalibration),
          .init(model.pipeline, maxSide: smallSide, isForLargeFaces: true),
          .init(
            helper.pipeline, enlargement: enlargement, memoryFactor: helperMemory,
            calibration: helperCalibration),
          .init(model.pipeline, enlargement: lightEnlargement, weight: 0.5),
        ], calibration: fusionCalibration, sizePrior: sizePrior)
    }
    return DetectionEnsemble(
      passes: [
        .init(model.pipeline), .init(model.pipeline, isMirrored: true),
        .init(model.pipeline, maxSide: smallSide, weight: 0.5),
        .init(model.pipeline, enlargement: enlargement),
      ], calibration: singleModelCalibration, sizePrior: sizePrior)
  }
}
