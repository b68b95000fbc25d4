import Analysis
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct ISOQualityTests {
  /// Native values and components from the table of expected results with which OFIQ 1.0.3 is tested for
  /// conformity.
  @Test(
    arguments: [
      (.headPoseYaw, 8.573003, 98), (.headPosePitch, 14.853941, 93), (.headPoseRoll, -27.373343, 79),
      (.interEyeDistance, 493.556527, 100), (.headSize, 0.224851, 2), (.headSize, 0.248645, 4),
      (.leftwardCropOfTheFaceImage, 3.428939, 100), (.rightwardCropOfTheFaceImage, 3.698472, 100),
      (.marginAboveOfTheFaceImage, 1.548853, 82), (.marginAboveOfTheFaceImage, 2.426863, 100),
      (.marginBelowOfTheFaceImage, 2.022937, 90), (.marginBelowOfTheFaceImage, 1.725211, 32),
      (.singleFacePresent, 0.333736, 67), (.singleFacePresent, 0, 100),
      (.illuminationUniformity, 0.141003, 56), (.luminanceMean, 0.296285, 87),
      (.luminanceVariance, 0.014954, 100), (.luminanceVariance, 0.059659, 63),
      (.underExposurePrevention, 0.049163, 100), (.overExposurePrevention, 0, 100),
      (.dynamicRange, 6.910499, 86), (.naturalColour, 3.350172, 83), (.naturalColour, 0, 100),
      (.eyesOpen, 0.050625, 96), (.eyesOpen, 0.023177, 58), (.mouthClosed, 0.002466, 96),
      (.mouthClosed, 0.065274, 90),
    ] as [(ISOMeasure, Float, Float)])
  func componentsAgreeWithOFIQ(measure: ISOMeasure, native: Float, component: Float) {
    #expect(ISOComponent.of(measure, native) == component)
  }

  /// Calculated by hand: 1 / (1 + e^0) = 1/2 at the middle of each sigmoid.
  @Test func componentsAgreeWithHandCalculations() {
    #expect(ISOComponent.of(.interEyeDistance, 70) == 50 && ISOComponent.of(.headSize, 0.45) == 100)
    #expect(ISOComponent.of(.leftwardCropOfTheFaceImage, 0.9) == 50)
    #expect(ISOComponent.of(.overExposurePrevention, 0.09) == 10)
    #expect(ISOComponent.of(.underExposurePrevention, 1) == 0)
    #expect(ISOComponent.of(.headPoseYaw, -60) == 25 && ISOComponent.of(.headPoseYaw, 120) == 0)
    for measure in ISOMeasure.allCases { #expect(ISOComponent.of(measure, .nan).isNaN) }
  }

  @Test func nonFiniteMeasureIsNotAssessed() {
    var quality = ISOQuality()
    #expect(quality.values.count == 38 && ISOQuality.count == 38)
    #expect(ISOMeasure.allCases.allSatisfy { quality.component($0) == ISOQuality.notAssessed })
    quality.set(.headSize, native: 0.4, component: 54)
    #expect(quality.native(.headSize) == 0.4 && quality.component(.headSize) == 54)
    #expect(quality.values[4] == 0.4 && quality.values[19 + 4] == 54)
    quality.set(.headSize, native: .infinity, component: .nan)
    #expect(quality == ISOQuality())
  }

  /// One picture has black and white halves, one is all grey.
  @Test func luminancesAgreeWithHandCalculations() {
    var luminances = [Int](repeating: 0, count: 256)
    (luminances[0], luminances[255]) = (50, 50)
    var quality = ISOQuality()
    quality.add(luminances: luminances, count: 100)
    #expect(quality.native(.luminanceMean) == 0.5 && quality.native(.luminanceVariance) == 0.25)
    #expect(quality.native(.underExposurePrevention) == 0.5 && quality.native(.overExposurePrevention) == 0.5)
    #expect(quality.native(.dynamicRange) == 1)
    luminances = [Int](repeating: 0, count: 256)
    luminances[26] = 7
    quality.add(luminances: luminances, count: 7)
    #expect(quality.native(.dynamicRange) == 0 && quality.native(.luminanceVariance) == 0)
    #expect(
      quality.native(.underExposurePrevention) == 0 && abs(quality.native(.luminanceMean) - 26 / 255) < 1e-6)
  }

  @Test func cheekColoursAgreeWithHandCalculations() {
    // CIELAB (D50) of sRGB 200, 150, 130 is about 67, 17, 18, a possible skin colour; a green face is far
    // from it.
    let skin = [SIMD3<UInt8>](repeating: SIMD3(200, 150, 130), count: 9)
    let green = [SIMD3<UInt8>](repeating: SIMD3(20, 200, 20), count: 9)
    var quality = ISOQuality()
    quality.addCheeks(skin, skin, isColoured: true)
    #expect(quality.native(.illuminationUniformity) == 1 && quality.component(.illuminationUniformity) == 100)
    #expect(quality.native(.naturalColour) == 0)
    quality.addCheeks(green, green, isColoured: true)
    #expect(quality.native(.naturalColour) == 100 && quality.component(.naturalColour) == 0)
    quality.addCheeks(skin, green, isColoured: true)
    #expect(quality.native(.illuminationUniformity) == 0)
    quality.addCheeks(green, green, isColoured: false)
    #expect(quality.native(.naturalColour) == 0)
  }

  /// Places of the face are given in the whole picture, so the measured distances are the given ones.
  private static func landmarks(scale: Float, at corner: Point) -> Landmarks {
    var points = [Point3D](repeating: Point3D(x: corner.x, y: corner.y, z: 0), count: Landmarks.count)
    func put(_ index: Int, _ x: Float, _ y: Float) {
      points[index] = Point3D(x: corner.x + x * scale, y: corner.y + y * scale, z: 0)
    }
    // An oval, then single points: eyes at (∓1, 0) 2 apart, the chin 3 below.
    let contour = LandmarkRegion.faceContour.indices
    for (place, index) in contour.enumerated() {
      let turn = Float.pi * Float(place) / Float(contour.count - 1)
      put(index, 1.8 * cos(turn), 3 * sin(turn))
    }
    for (index, x) in [(33, -1.3), (133, -0.7), (362, 0.7), (263, 1.3)] as [(Int, Float)] { put(index, x, 0) }
    for (index, x) in zip(LandmarkRegion.leftEyebrow.indices, stride(from: Float(0.4), to: 1.4, by: 0.1)) {
      put(index, x, -0.5)
    }
    for (index, x) in zip(LandmarkRegion.rightEyebrow.indices, stride(from: Float(-0.4), to: -1.4, by: -0.1)) {
      put(index, x, -0.5)
    }
    // Lids 0.3 apart at the right, 0.15 at the left; lips 0.6.
    put(159, -1, -0.15)
    put(145, -1, 0.15)
    put(386, 1, -0.075)
    put(374, 1, 0.075)
    put(13, 0, 1.7)
    put(14, 0, 2.3)
    put(Landmarks.noseTip, 0, 1.1)
    put(Landmarks.mouthRight, -0.8, 2)
    put(Landmarks.mouthLeft, 0.8, 2)
    put(152, 0, 3)
    return Landmarks(points: points, confidence: 1)
  }

  @Test func distancesAreThoseOfTheFace() throws {
    let scale: Float = 50
    let landmarks = Self.landmarks(scale: scale, at: Point(x: 200, y: 150))
    let picture = Picture(500, 400) { x, _ in x < 200 ? RGB(200, 150, 130) : RGB(100, 75, 65) }
    let quality = try picture.withUpright { image throws(Status) in
      try ISOQuality.measure(landmarks, pose: Pose(yaw: 60, pitch: 10, roll: -5), in: image)
    }
    let found = try #require(quality)
    func expect(_ measure: ISOMeasure, _ native: Float, within tolerance: Float = 1e-4) {
      #expect(abs(found.native(measure) - native) <= tolerance, "\(measure) is \(found.native(measure))")
    }
    for (measure, native) in [
      (.headPoseYaw, 60), (.headPosePitch, -10), (.headPoseRoll, 5), (.headSize, 150 / 400),
      (.leftwardCropOfTheFaceImage, 2.5), (.rightwardCropOfTheFaceImage, 3.5),
      (.marginAboveOfTheFaceImage, 1),
      (.marginBelowOfTheFaceImage, 250 / 150), (.eyesOpen, 0.15 / 3), (.mouthClosed, 0.6 / 3),
    ] as [(ISOMeasure, Float)] { expect(measure, native) }
    expect(.interEyeDistance, 200, within: 0.01)  // 100 by the cosine of 60°
    // One half of the face has 0.35 of the light, the other 0.08; each cheek lies in one half.
    expect(.luminanceMean, 0.22, within: 0.03)
    expect(.dynamicRange, 1, within: 0.15)
    expect(.illuminationUniformity, 0, within: 0.01)
    expect(.naturalColour, 0)
    #expect(found.component(.singleFacePresent) == ISOQuality.notAssessed)
  }

  @Test func withoutExtentOrPoseLittleIsAssessed() throws {
    let picture = Picture(64, 64) { _, _ in RGB(9, 9, 9) }
    try picture.withUpright { image throws(Status) in
      let found = try ISOQuality.measure(.flat, pose: nil, in: image)
      #expect(found?.component(.headPoseYaw) == ISOQuality.notAssessed)
      #expect(found?.component(.eyesOpen) == ISOQuality.notAssessed)
      #expect(found?.values.allSatisfy(\.isFinite) == true)
      #expect(try ISOQuality.measure(Landmarks(points: [], confidence: 1), pose: nil, in: image) == nil)
    }
  }

  @Test func singleFaceMeasureUsesTheAreaOfOtherFaces() {
    func face(_ side: Float) -> Face {
      var face = Face(box: Box(x: 0, y: 0, width: side, height: side), confidence: 1, points: nil)
      face.isoQuality = ISOQuality()
      return face
    }
    var result = DetectionResult(
      imageSize: PixelSize(width: 100, height: 100), faces: [face(5), face(10), face(2)])
    result.rateSingleFace()
    #expect(result.faces.allSatisfy { $0.isoQuality?.native(.singleFacePresent) == 0.25 })
    #expect(result.faces.allSatisfy { $0.isoQuality?.component(.singleFacePresent) == 75 })
    result.faces = [face(5)]
    result.rateSingleFace()
    #expect(result.faces[0].isoQuality?.component(.singleFacePresent) == 100)
  }
}
