/// The measures of ISO/IEC 29794-5:2025 that need no further network. The order is that of the values of
/// `ISOQuality`, and of `FACE_ISO_...`; the names are the standard's, as written in JSON.
public enum ISOMeasure: Int, Sendable, CaseIterable {
  case headPoseYaw = 0
  case headPosePitch = 1
  case headPoseRoll = 2
  case interEyeDistance = 3
  case headSize = 4
  case leftwardCropOfTheFaceImage = 5
  case rightwardCropOfTheFaceImage = 6
  case marginAboveOfTheFaceImage = 7
  case marginBelowOfTheFaceImage = 8
  case singleFacePresent = 9
  case illuminationUniformity = 10
  case luminanceMean = 11
  case luminanceVariance = 12
  case underExposurePrevention = 13
  case overExposurePrevention = 14
  case dynamicRange = 15
  case naturalColour = 16
  case eyesOpen = 17
  case mouthClosed = 18

  public var name: StaticString { ISOMeasure.names[rawValue] }

  private static let names: [StaticString] = [
    "headPoseYaw", "headPosePitch", "headPoseRoll", "interEyeDistance", "headSize",
    "leftwardCropOfTheFaceImage", "rightwardCropOfTheFaceImage", "marginAboveOfTheFaceImage",
    "marginBelowOfTheFaceImage", "singleFacePresent", "illuminationUniformity", "luminanceMean",
    "luminanceVariance", "underExposurePrevention", "overExposurePrevention", "dynamicRange",
    "naturalColour", "eyesOpen", "mouthClosed",
  ]
}

/// The quality of a face image by the measures of ISO/IEC 29794-5:2025: for each, the native value in the
/// measure's own unit, and the quality component, a whole number from 0 (worst) to 100. include/face_engine.h
/// defines them.
public struct ISOQuality: Measurement {
  public static let count = 2 * ISOMeasure.allCases.count
  /// The component of a measure that could not be assessed; its native value is 0.
  public static let notAssessed: Float = -1

  /// `count` values: the native values, then the components, each in the order of `ISOMeasure`.
  public private(set) var values: [Float]

  /// - Parameter values: `count` of them.
  public init(values: [Float]) {
    self.values = values
  }

  /// A quality with no measure assessed.
  public init() {
    let measures = ISOMeasure.allCases.count
    values =
      Array(repeating: 0, count: measures) + Array(repeating: ISOQuality.notAssessed, count: measures)
  }

  public func native(_ measure: ISOMeasure) -> Float { values[measure.rawValue] }

  /// Returns 0…100, or `notAssessed`.
  public func component(_ measure: ISOMeasure) -> Float {
    values[ISOMeasure.allCases.count + measure.rawValue]
  }

  /// Sets a measure. A value that is not finite counts as not assessed.
  public mutating func set(_ measure: ISOMeasure, native: Float, component: Float) {
    let isAssessed = native.isFinite && component.isFinite
    values[measure.rawValue] = isAssessed ? native : 0
    values[ISOMeasure.allCases.count + measure.rawValue] = isAssessed ? component : ISOQuality.notAssessed
  }
}
