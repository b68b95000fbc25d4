package import FaceCore

import func Glibc.cosf
import func Glibc.expf
import func Glibc.powf
import func Glibc.sinf

/// Maps the native value of a measure to its quality component, 0…100, by the functions of ISO/IEC
/// 29794-5:2025 with the parameters of its reference implementation OFIQ 1.0.3
/// (github.com/BSI-OFIQ/OFIQ-Project).
package enum ISOComponent {
  /// Returns a whole number; NaN if the native value is not finite.
  package static func of(_ measure: ISOMeasure, _ native: Float) -> Float {
    let quality: Float =
      switch measure {
      case .headPoseYaw, .headPosePitch, .headPoseRoll: 100 * squared(max(0, cosf(native * .pi / 180)))
      case .interEyeDistance: 100 * sigmoid(native, 70, 20)
      case .headSize: 200 * (1 - sigmoid(abs(native - 0.45), 0, 0.05))
      case .leftwardCropOfTheFaceImage, .rightwardCropOfTheFaceImage: 100 * sigmoid(native, 0.9, 0.1)
      case .marginAboveOfTheFaceImage: 100 * sigmoid(native, 1.4, 0.1)
      case .marginBelowOfTheFaceImage: 100 * sigmoid(native, 1.8, 0.1)
      case .singleFacePresent: 100 * (1 - native)
      case .illuminationUniformity: 100 * powf(native, 0.3)
      case .luminanceMean: 100 * sigmoid(native, 0.2, 0.05) * (1 - sigmoid(native, 0.8, 0.05))
      case .luminanceVariance: 100 * sinf(60 * native / (60 * native + 1) * .pi)
      case .underExposurePrevention: 120 * (0.832 - sigmoid(native, 0.92, 0.05))
      case .overExposurePrevention: 1 / (native + 0.01)
      case .dynamicRange: 12.5 * native
      case .naturalColour: 200 * (1 - sigmoid(native, 0, 10))
      case .eyesOpen: 100 * sigmoid(native, 0.02, 0.01)
      case .mouthClosed: 100 * (1 - sigmoid(native, 0.2, 0.06))
      }
    guard native.isFinite, quality.isFinite else { return .nan }
    return min(max(quality.rounded(), 0), 100)
  }

  private static func sigmoid(_ x: Float, _ middle: Float, _ width: Float) -> Float {
    1 / (1 + expf((middle - x) / width))
  }

  private static func squared(_ x: Float) -> Float { x * x }
}
