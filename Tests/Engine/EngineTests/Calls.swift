import Engine
import FaceCore
import TestSupport

extension Engine {
  /// An engine with the model of Models/yunet.
  static func yunet(precision: Precision = .best) throws(Status) -> Engine {
    try Engine(modelFolders: [RealModel.folder], precision: precision)
  }

  func detect(
    _ picture: Picture, _ options: DetectionOptions = DetectionOptions(), _ format: PixelFormat = .bgra,
    _ change: (inout ImageInput) -> Void = { _ in }
  ) throws(Status) -> DetectionResult {
    try picture.withView(format) { view throws(Status) in
      var image = ImageInput(.pixels(view))
      change(&image)
      return try detect(image, options: options)
    }
  }

  func detect(file: [UInt8], _ options: DetectionOptions = DetectionOptions()) throws(Status)
    -> DetectionResult
  {
    try file.borrowed { file throws(Status) in try detect(ImageInput(.encoded(file)), options: options) }
  }

  /// A tracker that gives every face an id from its first frame on.
  func tracker(_ change: (inout TrackingOptions) -> Void = { _ in }) throws(Status) -> any FrameTracker {
    try makeTracker(adjusted(.idsAtOnce, change))
  }
}

extension FrameTracker {
  func track(
    _ picture: Picture, _ options: DetectionOptions = DetectionOptions(), _ format: PixelFormat = .bgra,
    _ frame: FrameInfo? = nil, _ change: (inout ImageInput) -> Void = { _ in }
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    try picture.withView(format) { view throws(Status) in
      var image = ImageInput(.pixels(view))
      change(&image)
      guard let frame else { return try trackFaces(image, options: options) }
      return try trackFaces(image, frame, options: options)
    }
  }
}

extension TrackingOptions {
  /// Every face has an id from its first frame on.
  static let idsAtOnce = adjusted(TrackingOptions()) { $0.minHits = 1 }
}

extension StageClock {
  /// A clock that advances by one each time it is read.
  static func ticking() -> StageClock {
    var time: TimeSpan = .zero
    return StageClock {
      time += 1
      return time
    }
  }
}

extension CheckOptions {
  /// A check that takes any face.
  static let lenient = adjusted(CheckOptions()) { options in
    (options.minFace, options.maxFace, options.maxOffset, options.maxOtherFace) = (0, 2, 1, 1)
    (options.maxYaw, options.maxPitch, options.maxRoll, options.minEyesOpen) = (90, 90, 90, 0)
    (options.minBrightness, options.maxBrightness, options.minSharpness, options.maxMotion) = (0, 1, 0, 10)
  }
}
