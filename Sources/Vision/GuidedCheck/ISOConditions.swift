import FaceCore

/// The limits of a check for measures of ISO/IEC 29794-5, each with its hysteresis.
struct ISOConditions {
  /// The limits in the order of the measures.
  private var limits = Array(repeating: HysteresisLimit(), count: ISOMeasure.allCases.count)

  /// Returns a tip for each measure whose component is too low, in the order of the measures. A measure that
  /// could not be assessed counts as too low.
  mutating func tips(
    for quality: ISOQuality, _ least: [ISOMeasure: Float], _ target: TargetCircle, _ hysteresis: Float
  ) -> [Tip] {
    var low: Set<ISOMeasure> = []
    for measure in ISOMeasure.allCases {
      guard let limit = least[measure], limit > 0 else { continue }
      let component = quality.component(measure)
      if !limits[measure.rawValue].keeps(component, atLeast: limit, upTo: 100, hysteresis) {
        low.insert(measure)
      }
    }
    var tips: [Tip] = []
    for measure in ISOMeasure.allCases where low.contains(measure) {
      let tip = ISOConditions.tip(for: measure, low, quality, target)
      if !tips.contains(tip) { tips.append(tip) }
    }
    return tips
  }

  /// - Parameter low: all measures that are too low.
  private static func tip(
    for measure: ISOMeasure, _ low: Set<ISOMeasure>, _ quality: ISOQuality, _ target: TargetCircle
  ) -> Tip {
    let native = quality.native(measure)
    // Whether there is too little light or too much.
    let isDark = quality.native(.luminanceMean) < 0.5
    return switch measure {
    case .headPoseYaw: native > 0 ? .lookRight : .lookLeft
    case .headPosePitch: native > 0 ? .lookUp : .lookDown
    case .headPoseRoll: native > 0 ? .tiltLeft : .tiltRight
    case .interEyeDistance: .comeCloser
    case .headSize: native < 0.45 ? .comeCloser : .moveBack
    case .leftwardCropOfTheFaceImage:
      low.contains(.rightwardCropOfTheFaceImage) ? .moveBack : target.tip(x: 1, y: 0)
    case .rightwardCropOfTheFaceImage:
      low.contains(.leftwardCropOfTheFaceImage) ? .moveBack : target.tip(x: -1, y: 0)
    case .marginAboveOfTheFaceImage:
      low.contains(.marginBelowOfTheFaceImage) ? .moveBack : target.tip(x: 0, y: 1)
    case .marginBelowOfTheFaceImage:
      low.contains(.marginAboveOfTheFaceImage) ? .moveBack : target.tip(x: 0, y: -1)
    case .singleFacePresent: .severalFaces
    case .illuminationUniformity, .luminanceVariance: .unevenLight
    case .luminanceMean, .dynamicRange: isDark ? .tooDark : .tooBright
    case .underExposurePrevention: .tooDark
    case .overExposurePrevention: .tooBright
    case .naturalColour: .colouredLight
    case .eyesOpen: .openEyes
    case .mouthClosed: .closeMouth
    }
  }
}

extension CheckOptions {
  var asksForISO: Bool { minISO.values.contains { $0 > 0 } }
}
