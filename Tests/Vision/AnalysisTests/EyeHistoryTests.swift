import Analysis
import FaceCore
import Testing

/// The gaps and the network's openness are those of the two people of a clip, with six blinks counted by eye.
@Suite struct EyeHistoryTests {
  /// A face with only eyes: 20 wide, the lids apart by fractions of that.
  private static func landmarks(_ left: Float, _ right: Float) -> Landmarks {
    var points = [Point3D](repeating: Point3D(x: 0, y: 0, z: 0), count: Landmarks.count)
    points[Landmarks.leftEyeOuterCorner] = Point3D(x: 80, y: 50, z: 0)
    points[Landmarks.leftEyeInnerCorner] = Point3D(x: 60, y: 50, z: 0)
    points[Landmarks.rightEyeInnerCorner] = Point3D(x: 40, y: 50, z: 0)
    points[Landmarks.rightEyeOuterCorner] = Point3D(x: 20, y: 50, z: 0)
    for (lid, x, y) in [
      (Landmarks.leftUpperLid, Float(70), -left), (Landmarks.leftLowerLid, 70, left),
      (Landmarks.rightUpperLid, 30, -right), (Landmarks.rightLowerLid, 30, right),
    ] {
      points[lid] = Point3D(x: x, y: 50 + 10 * y, z: 0)
    }
    return Landmarks(points: points, confidence: 1)
  }

  private static func eyes(_ left: Float, _ right: Float) -> Eyes { Eyes(leftOpen: left, rightOpen: right) }

  private func opened(_ frames: Int = 10, gap: Float = 0.35) -> EyeHistory {
    var history = EyeHistory()
    for _ in 0..<frames { _ = history.relative(Self.eyes(0.9, 0.9), Self.landmarks(gap, gap)) }
    return history
  }

  @Test func networksOpennessIsUsedUntilEnoughIsKnown() {
    var history = EyeHistory()
    for _ in 0..<5 {
      #expect(history.relative(Self.eyes(0.9, 0.8), Self.landmarks(0.35, 0.3)) == Self.eyes(0.9, 0.8))
    }
    #expect(history.relative(Self.eyes(0.9, 0.8), Self.landmarks(0.35, 0.3)) == Self.eyes(1, 1))
  }

  /// The network's readings of shut eyes, and the gaps of the same eyes open and shut.
  @Test(arguments: [
    (open: SIMD2<Float>(0.38, 0.35), shut: SIMD2<Float>(0.15, 0.11), read: SIMD2<Float>(0.50, 0.51)),
    (SIMD2(0.34, 0.43), SIMD2(0.16, 0.20), SIMD2(0.53, 0.39)),
    (SIMD2(0.35, 0.43), SIMD2(0.18, 0.19), SIMD2(0.53, 0.36)),
  ])
  func eyesThatAreShutAreClosed(open: SIMD2<Float>, shut: SIMD2<Float>, read: SIMD2<Float>) {
    var history = EyeHistory()
    for _ in 0..<8 { _ = history.relative(Self.eyes(0.93, 0.9), Self.landmarks(open.x, open.y)) }
    let closed = history.relative(Self.eyes(read.x, read.y), Self.landmarks(shut.x, shut.y))
    #expect(max(closed.leftOpen, closed.rightOpen) < Eyes.closedBelow)
    let again = history.relative(Self.eyes(0.85, 0.86), Self.landmarks(open.x * 0.9, open.y * 0.9))
    #expect(min(again.leftOpen, again.rightOpen) > 0.8)
  }

  /// Shut eyes never become the usual ones, however long they stay shut.
  @Test func eyesThatStayShutStayClosed() {
    var history = opened()
    for _ in 0..<300 {
      let eyes = history.relative(Self.eyes(0.5, 0.5), Self.landmarks(0.14, 0.14))
      #expect(max(eyes.leftOpen, eyes.rightOpen) < 0.3)
    }
  }

  /// Narrow eyes, or eyes seen from above, are as open as this person's are.
  @Test func narrowEyesAreOpenEyes() {
    var history = opened(gap: 0.2)
    let open = history.relative(Self.eyes(0.66, 0.66), Self.landmarks(0.2, 0.2))
    #expect(open == Self.eyes(1, 1))
    let shut = history.relative(Self.eyes(0.4, 0.4), Self.landmarks(0.09, 0.09))
    #expect(max(shut.leftOpen, shut.rightOpen) < Eyes.closedBelow)
  }

  /// The head turns: from then on gaps are smaller, which the network still calls open.
  @Test func usualGapFollowsAHeadThatTurns() {
    var history = opened(60)
    #expect(history.relative(Self.eyes(0.8, 0.8), Self.landmarks(0.2, 0.2)).leftOpen < 0.5)
    for _ in 0..<31 { _ = history.relative(Self.eyes(0.8, 0.8), Self.landmarks(0.2, 0.2)) }
    #expect(history.relative(Self.eyes(0.8, 0.8), Self.landmarks(0.2, 0.2)) == Self.eyes(1, 1))
  }

  @Test func eyesAreMeasuredIndependently() {
    var history = opened()
    let wink = history.relative(Self.eyes(0.3, 0.9), Self.landmarks(0.1, 0.35))
    #expect(wink.leftOpen < 0.1 && wink.rightOpen == 1)
  }

  @Test func invalidLandmarksLeaveTheEyesUnchanged() {
    var history = opened()
    let eyes = Self.eyes(0.4, 0.6)
    #expect(history.relative(eyes, Landmarks(points: [], confidence: 1)) == eyes)
    #expect(history.relative(eyes, Self.landmarks(.nan, 0.3)) == eyes)
    #expect(history.relative(eyes, Self.landmarks(0, 0)) == eyes)
  }
}
