package import FaceCore
package import Imaging

import func Glibc.cosf
import func Glibc.log2f
import func Glibc.powf

/// Measures a face image according to ISO/IEC 29794-5:2025, as far as no further network is needed.
///
/// Source: its reference implementation, OFIQ 1.0.3 of the German BSI. OFIQ uses 98 points of another
/// network: here the mesh points of the same names replace them. Exposure is measured in the landmarked
/// region without the mask of an occlusion network.
extension ISOQuality {
  /// Returns all measures except whether the face is alone, which `rateSingleFace` adds.
  /// - Parameter pose: `nil` where it is not known; then the measures that need it are not assessed.
  package static func measure(
    _ landmarks: Landmarks, pose: Pose?, in picture: UprightImage
  ) throws(Status) -> ISOQuality? {
    let points = landmarks.points.map(\.point)
    guard points.count == Landmarks.count, points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      return nil
    }
    var quality = ISOQuality()
    let face = FaceGeometry(points)
    quality.add(face, pose, picture.size)
    guard let region = try AlignedFace(points, in: picture) else { return quality }
    quality.add(luminances: region.luminances, count: region.pixelCount)
    let cheeks = region.cheeks()
    quality.addCheeks(cheeks.right, cheeks.left, isColoured: region.isColoured)
    return quality
  }

  /// Adds the measures of position and pose. The signs of angles are those of ISO/IEC 39794-5: positive
  /// towards the subject's left, down, and to the right shoulder.
  private mutating func add(_ face: FaceGeometry, _ pose: Pose?, _ size: PixelSize) {
    if let pose {
      set(.headPoseYaw, pose.yaw)
      set(.headPosePitch, -pose.pitch)
      set(.headPoseRoll, -pose.roll)
      let foreshortening = abs(pose.yaw) < 90 ? cosf(pose.yaw * .pi / 180) : .nan
      set(.interEyeDistance, face.betweenEyes / foreshortening)
    }
    let (width, height) = (Float(size.width), Float(size.height))
    set(.headSize, face.t / height)
    // As in the reference implementation, for the eye that is farther from that edge.
    set(.leftwardCropOfTheFaceImage, face.leftEye.x / face.betweenEyes)
    set(.rightwardCropOfTheFaceImage, (width - face.rightEye.x) / face.betweenEyes)
    set(.marginAboveOfTheFaceImage, face.eyesMiddle.y / face.t)
    set(.marginBelowOfTheFaceImage, (height - face.eyesMiddle.y) / face.t)
    set(.eyesOpen, face.eyeOpening)
    set(.mouthClosed, face.mouthOpening)
  }

  /// Adds the measures of exposure.
  /// - Parameters:
  ///   - luminances: the number of pixels of each luminance, 0…255.
  ///   - count: the number of pixels, above 0.
  package mutating func add(luminances: [Int], count: Int) {
    let shares = luminances.map { Float($0) / Float(count) }
    let mean = shares.enumerated().reduce(0) { $0 + $1.element * Float($1.offset) / 255 }
    let variance = shares.enumerated().reduce(Float(0)) { sum, share in
      let difference = Float(share.offset) / 255 - mean
      return sum + share.element * difference * difference
    }
    set(.luminanceMean, mean)
    set(.luminanceVariance, variance)
    set(.underExposurePrevention, shares[...25].reduce(0, +))
    set(.overExposurePrevention, shares[247...].reduce(0, +))
    set(.dynamicRange, shares.reduce(0) { $1 > 0 ? $0 - $1 * log2f($1) : $0 })
  }

  /// Adds the measures of illumination and colour.
  /// - Parameters: the pixels of both cheeks, and whether the picture of the face has any colour; without it
  ///   the colour counts as natural.
  package mutating func addCheeks(_ right: [SIMD3<UInt8>], _ left: [SIMD3<UInt8>], isColoured: Bool) {
    guard !right.isEmpty, !left.isEmpty else { return }
    let (one, other) = (ISOQuality.shares(right), ISOQuality.shares(left))
    set(.illuminationUniformity, zip(one, other).reduce(0) { $0 + min($1.0, $1.1) })
    set(.naturalColour, isColoured ? ISOQuality.distanceFromSkin(right + left) : 0)
  }

  /// Returns the share of each luminance.
  private static func shares(_ colours: [SIMD3<UInt8>]) -> [Float] {
    var counts = [Float](repeating: 0, count: 256)
    for colour in colours { counts[Luminance.of(colour)] += 1 }
    return counts.map { $0 / Float(colours.count) }
  }

  /// Returns the distance of the mean colour from the range of skin colours, a* from 5 to 25 and b* from 5 to
  /// 35 of CIELAB (illuminant D50); 100 if a* or b* is below 0.
  private static func distanceFromSkin(_ colours: [SIMD3<UInt8>]) -> Float {
    var sum = SIMD3<Float>.zero
    for colour in colours { sum += SIMD3(Float(colour.x), Float(colour.y), Float(colour.z)) }
    let mean = sum / Float(colours.count) / 255
    let rgb = SIMD3(Luminance.linear(mean.x), Luminance.linear(mean.y), Luminance.linear(mean.z))
    // sRGB to XYZ, adapted to illuminant D50 by Bradford's method, relative to the white point.
    let x = lightness((rgb * SIMD3(0.43605, 0.38508, 0.14309)).sum() / 0.964221)
    let y = lightness((rgb * SIMD3(0.22249, 0.71689, 0.06062)).sum())
    let z = lightness((rgb * SIMD3(0.01393, 0.09710, 0.71419)).sum() / 0.825211)
    let (a, b) = (500 * (x - y), 200 * (y - z))
    guard a >= 0, b >= 0 else { return 100 }
    let (outsideA, outsideB) = (max(0, 5 - a, a - 25), max(0, 5 - b, b - 35))
    return (outsideA * outsideA + outsideB * outsideB).squareRoot()
  }

  /// Returns the CIELAB function of a relative value. Source: CIE 15:2018, 8.2.1.
  private static func lightness(_ value: Float) -> Float {
    value > 216 / 24389 ? powf(value, 1 / 3) : (24389 / 27 * value + 16) / 116
  }

  private mutating func set(_ measure: ISOMeasure, _ native: Float) {
    set(measure, native: native, component: ISOComponent.of(measure, native))
  }
}

extension DetectionResult {
  /// Adds to the faces with measures of ISO/IEC 29794-5 whether they are alone: the area of the second
  /// largest face divided by that of the largest, 0 for a single face.
  package mutating func rateSingleFace() {
    let areas = faces.map(\.box.area).sorted(by: >)
    guard let largest = areas.first, largest > 0 else { return }
    let share = areas.count > 1 ? areas[1] / largest : 0
    let component = ISOComponent.of(.singleFacePresent, share)
    for index in faces.indices {
      faces[index].isoQuality?.set(.singleFacePresent, native: share, component: component)
    }
  }
}
