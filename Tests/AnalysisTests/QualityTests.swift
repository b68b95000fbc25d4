import Analysis
import FaceCore
import Glibc
import Imaging
import TestSupport
import Testing

@Suite struct QualityTests {
  private func luma(_ picture: Picture) throws -> FaceLuma {
    FaceLuma(try picture.bitmap())
  }

  /// Each pixel the mean of the nine around it, `times` over.
  private static func blurred(_ picture: Picture, times: Int) -> Picture {
    var result = picture
    for _ in 0..<times {
      let source = result
      result = Picture(source.size.width, source.size.height) { x, y in
        var sum = 0
        for row in y - 1...y + 1 {
          for column in x - 1...x + 1 {
            sum += Int(
              source[min(max(column, 0), source.size.width - 1), min(max(row, 0), source.size.height - 1)]
                .green)
          }
        }
        let mean = UInt8(sum / 9)
        return RGB(mean, mean, mean)
      }
    }
    return result
  }

  @Test func sharpnessFallsWithBlurAndDoesNotAskForContrast() throws {
    let size = QualityMeasurement.cropSide
    let grain = Picture.noise(size, size, seed: 2)
    let scene = Picture(size, size) { x, y in
      let base = 90 + (x / 20 + y / 20) % 2 * 50
      let value = UInt8(base + Int(grain[x, y].green) / 16)
      return RGB(value, value, value)
    }
    let steps = try [0, 1, 3, 8].map {
      QualityMeasurement.sharpness(try luma(Self.blurred(scene, times: $0)))
    }
    #expect(steps == steps.sorted(by: >) && Set(steps).count == steps.count && steps[3] < steps[0] / 2)
    let flat = Picture(size, size) { x, y in
      let value = UInt8(100 + Int(scene[x, y].green) / 4)
      return RGB(value, value, value)
    }
    #expect(abs(QualityMeasurement.sharpness(try luma(flat)) - steps[0]) < 0.3)
    let grey = Picture(size, size) { _, _ in RGB(90, 90, 90) }
    #expect(QualityMeasurement.sharpness(try luma(grey)) == 0)
  }

  @Test(
    arguments: [(0, 0), (50, 0.5), (80, 1), (128, 1), (180, 1), (212, 0.5), (255, 0)] as [(UInt8, Float)])
  func exposureIsBestInTheMiddle(value: UInt8, expected: Float) throws {
    let picture = Picture(64, 64) { _, _ in RGB(value, value, value) }
    #expect(abs(QualityMeasurement.exposure(try luma(picture)) - expected) < 0.02)
  }

  @Test func poseAndFramingFollowTheirRules() {
    #expect(QualityMeasurement.facing(Pose(yaw: 0, pitch: 0, roll: 0)) == 1)
    #expect(QualityMeasurement.facing(Pose(yaw: -22.5, pitch: 0, roll: 0)) == 0.5)
    #expect(QualityMeasurement.facing(Pose(yaw: 40, pitch: -40, roll: 0)) == 0)
    let size = PixelSize(width: 100, height: 100)
    func face(outside: Int) -> Landmarks {
      Landmarks(
        points: (0..<Landmarks.count).map { Point3D(x: $0 < outside ? -5 : 50, y: 50, z: 0) }, confidence: 1)
    }
    #expect(QualityMeasurement.framing(face(outside: 0), size) == 1)
    #expect(abs(QualityMeasurement.framing(face(outside: 119), size) - 0.502) < 0.01)
    #expect(QualityMeasurement.framing(face(outside: 400), size) == 0)
  }

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

  /// A face that looks straight into the camera, its eyes' outer corners 100 apart; turned about the vertical axis.
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

  @Test func aSmileOfNoFaceIsNotKnown() {
    let expressions = Self.expressions(smile: 0.4)
    #expect(Smile.probability(Expressions(values: []), Self.face()) == nil)
    #expect(Smile.probability(expressions, Landmarks(points: [], confidence: 1)) == nil)
    #expect(Smile.probability(expressions, Self.face(scale: 0)) == nil)
    #expect(Smile.probability(expressions, Self.face(scale: .nan)) == nil)
    #expect(Smile.probability(Self.expressions(smile: .nan), Self.face()) == nil)
    #expect(Expressions(values: [Float](repeating: 0, count: 52))["noSuchName"] == nil)
  }
}
