import Detection
import FaceCore

/// Builds the ensemble that accuracy `high` runs for a model.
enum HighAccuracy {
  /// The package that helps YuNet, from the folder beside its own.
  static let helperName = "centerface"

  /// CenterFace's confidences on the scale of YuNet's, so that both count equally and a threshold means the same.
  /// Fitted where each says how often it is right: 935 faces of 160 photos of crowds (WIDER FACE, train split).
  private static let helperCalibration = ScoreCalibration(slope: 1.2, offset: 0.7)
  /// Brings the fused confidence to where a threshold lets as many wrong faces through as it does for YuNet alone; same photos.
  private static let fusionCalibration = ScoreCalibration(slope: 1, offset: 0.8)
  /// Passes of one model agree more.
  private static let singleModelCalibration = ScoreCalibration(slope: 1, offset: 0.3)

  /// CenterFace takes some five times the memory of YuNet: 53 bytes a pixel, 7 MB of weights.
  private static let helperMemory = 4

  /// Long side of the smaller picture, in which faces that fill the frame have the size networks know best.
  private static let smallSide = 640
  /// Of pictures with small faces, for CenterFace, or a model by itself, and for YuNet beside it.
  private static let enlargement: Float = 1.5
  private static let lightEnlargement: Float = 2

  /// The model that helps `model`: for YuNet, CenterFace in the folder beside it or loaded by name. It is loaded at the first
  /// call; `nil` where there is none. Throws what loading throws.
  static func helper(of model: LoadedModel, in registry: ModelRegistry) throws(Status) -> LoadedModel? {
    model.info.family == "yunet" ? try registry.sibling(helperName, of: model) : nil
  }

  /// With a helper: both at the picture's own size, in the small picture and, if there are small faces, in enlarged ones. For
  /// a model without: itself at the picture's own size, mirrored, in the small picture and in an enlarged one.
  ///
  /// Passes are equals, but that YuNet counts half where it looks again. Weights were not fitted: both networks learned from
  /// photos of the kind that we have to fit them to, CenterFace more of them by heart.
  static func ensemble(for model: LoadedModel, with helper: LoadedModel?) -> DetectionEnsemble {
    if let helper {
      return DetectionEnsemble(
        passes: [
          .init(model.pipeline),
          .init(helper.pipeline, memoryFactor: helperMemory, calibration: helperCalibration),
          .init(
            helper.pipeline, maxSide: smallSide, memoryFactor: helperMemory, calibration: helperCalibration),
          .init(model.pipeline, maxSide: smallSide, weight: 0.5),
          .init(
            helper.pipeline, enlargement: enlargement, memoryFactor: helperMemory,
            calibration: helperCalibration),
          .init(model.pipeline, enlargement: lightEnlargement, weight: 0.5),
        ], calibration: fusionCalibration)
    }
    return DetectionEnsemble(
      passes: [
        .init(model.pipeline), .init(model.pipeline, isMirrored: true),
        .init(model.pipeline, maxSide: smallSide, weight: 0.5),
        .init(model.pipeline, enlargement: enlargement),
      ], calibration: singleModelCalibration)
  }
}
