import Analysis
import FaceCore
import Glibc
import Testing

@Suite struct EyesAndMouthTests {
  @Test func theMouthsOpennessIsAShareOfTheEyesDistance() {
    var points = [Point3D](repeating: Point3D(x: 0, y: 0, z: 0), count: Landmarks.count)
    points[Landmarks.leftEyeOuterCorner].x = 80
    #expect(Mouth.openness(Landmarks(points: points, confidence: 1)) == 0)
    points[Landmarks.lowerLipInner].y = 20
    #expect(Mouth.openness(Landmarks(points: points, confidence: 1)) == 0.5)
    points[Landmarks.lowerLipInner].z = 90
    #expect(Mouth.openness(Landmarks(points: points, confidence: 1)) == 1)
    points[Landmarks.leftEyeOuterCorner].x = 0
    #expect(Mouth.openness(Landmarks(points: points, confidence: 1)) == nil)
  }

  /// A face that looks straight into the camera, with its outer eye corners 100 apart; turned about the
  /// vertical axis.
  private static func face(mouthWidth: Float = 50, turnedBy angle: Float = 0, scale: Float = 1) -> Landmarks {
    var points = [Point3D](repeating: Point3D(x: 0, y: 0, z: 0), count: Landmarks.count)
    for (index, x, y) in [
      (Landmarks.rightEyeOuterCorner, -50, 0), (Landmarks.rightEyeInnerCorner, -17, 0),
      (Landmarks.leftEyeInnerCorner, 17, 0), (Landmarks.leftEyeOuterCorner, 50, 0),
      (Landmarks.rightLowerLid, -33.5, 5), (Landmarks.leftLowerLid, 33.5, 5), (Landmarks.noseBase, 0, 50),
      (Landmarks.upperLipTop, 0, 66), (Landmarks.mouthRight, -mouthWidth / 2, 75),
      (Landmarks.mouthLeft, mouthWidth / 2, 75),
    ] as [(Int, Float, Float)] {
      points[index] = Point3D(x: scale * x * cosf(angle), y: scale * y, z: scale * x * sinf(angle))
    }
    return Landmarks(points: points, confidence: 1)
  }

  private static func expressions(smile: Float) -> Expressions {
    var values = [Float](repeating: 0.05, count: Expressions.count)
    values[44] = smile
    values[45] = smile
    return Expressions(values: values)
  }

  @Test func aSmileRisesWithItsCoefficientsAndTheMouthsWidth() throws {
    func smile(_ value: Float, mouthWidth: Float = 50) throws -> Float {
      try #require(Smile.probability(Self.expressions(smile: value), Self.face(mouthWidth: mouthWidth)))
    }
    let steps = try [Float(0), 0.1, 0.5, 0.9, 1].map { value in try smile(value) }
    #expect(steps == steps.sorted() && steps[0] < 0.2 && steps[4] > 0.9)
    let widths = try [Float(40), 50, 60, 70].map { width in try smile(0.5, mouthWidth: width) }
    #expect(widths == widths.sorted() && widths[0] < 0.5 && widths[3] > 0.9)
  }

  @Test func turningAndScalingAFaceLeavesItsSmile() throws {
    let expressions = Self.expressions(smile: 0.4)
    let straight = try #require(Smile.probability(expressions, Self.face()))
    for (angle, scale) in [(0.6, 1), (-0.6, 1), (0, 3), (0.3, 0.25)] as [(Float, Float)] {
      let other = try #require(Smile.probability(expressions, Self.face(turnedBy: angle, scale: scale)))
      #expect(abs(other - straight) < 1e-3)
    }
  }

  @Test func smileWithoutAFaceIsUnknown() {
    let expressions = Self.expressions(smile: 0.4)
    #expect(Smile.probability(Expressions(values: []), Self.face()) == nil)
    #expect(Smile.probability(expressions, Landmarks(points: [], confidence: 1)) == nil)
    #expect(Smile.probability(expressions, Self.face(scale: 0)) == nil)
    #expect(Smile.probability(expressions, Self.face(scale: .nan)) == nil)
    #expect(Smile.probability(Self.expressions(smile: .nan), Self.face()) == nil)
    #expect(Expressions(values: [Float](repeating: 0, count: 52))["noSuchName"] == nil)
  }

  /// The coefficients and lids of photos: the first five have closed eyes, the others narrow or laughing open ones.
  @Test(arguments: [
    (blink: 0.54 as Float, gap: 0.12 as Float, isClosed: true), (0.42, 0.13, true), (0.36, 0.14, true),
    (0.61, 0.09, true), (0.88, 0.06, true), (0.34, 0.28, false), (0.56, 0.26, false), (0.30, 0.20, false),
    (0.11, 0.32, false),
  ])
  func halfOpenDividesClosedEyesFromOpenOnes(blink: Float, gap: Float, isClosed: Bool) throws {
    var values = [Float](repeating: 0.05, count: Expressions.count)
    (values[9], values[10]) = (blink, 0.1)
    var face = Self.face()
    let (left, right) = (Float(33.5), Float(-33.5))
    for (lid, x, y) in [
      (Landmarks.leftUpperLid, left, 5 - 33 * gap), (Landmarks.rightUpperLid, right, 5 - 33 * 0.3),
    ] {
      face.points[lid] = Point3D(x: x, y: y, z: 0)
    }
    let eyes = try #require(Eyes(Expressions(values: values), face))
    #expect((eyes.leftOpen < Eyes.closedBelow) == isClosed)
    #expect(eyes.rightOpen > 0.8 && eyes.rightOpen <= 1 && eyes.leftOpen >= 0)
  }

  @Test func opennessWithoutLidsIsUnknown() {
    let expressions = Self.expressions(smile: 0)
    #expect(Eyes(expressions, Landmarks(points: [], confidence: 1)) == nil)
    #expect(Eyes(expressions, Self.face(scale: 0)) == nil)
    #expect(Eyes(Expressions(values: []), Self.face()) == nil)
  }
}
