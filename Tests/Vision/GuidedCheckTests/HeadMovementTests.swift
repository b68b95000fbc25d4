import FaceCore
import GuidedCheck
import Testing

/// Nod and shake: movements of a head, which a picture cannot do.
@Suite struct HeadMovementTests {
  /// Shows the face at these angles, 0.2 s each, and then at rest.
  private func isDone(
    _ action: CheckAction, _ angles: [Float], rest: Float = 0, depth: Float = 1, seconds: Double = 0.2,
    _ change: (inout CheckOptions) -> Void = { _ in }
  ) throws -> Bool {
    let script = try Script.checking([action]) { options in
      (options.timeout, options.maxPitch, options.maxYaw) = (.zero, 90, 90)
      change(&options)
    }
    func face(_ angle: Float) -> Face {
      Script.face(yaw: action == .nod ? 0 : angle, pitch: action == .nod ? angle : 0, depth: depth)
    }
    // The rest of before is forgotten.
    try script.frames(4, [face(rest)])
    for angle in angles { try script.frames(seconds, [face(angle)]) }
    try script.frames(0.2, [face(rest)])
    return script.last?.report.actionsDone == 1
  }

  @Test func headIsLoweredOrRaised() throws {
    #expect(try isDone(.nod, [-7, -14, -7]))
    #expect(try isDone(.nod, [7, 14, 7]))
    #expect(try isDone(.nod, [-14, 14]))
    #expect(try !isDone(.nod, [-8, 8, -8]))
  }

  @Test func headTurnsToBothSides() throws {
    #expect(try isDone(.shake, [14, -14]))
    #expect(try isDone(.shake, [-14, 0, 14, 0]))
    #expect(try !isDone(.shake, [14, 0, 14, 0]))
    #expect(try !isDone(.shake, [-30, 0, -30]))
    #expect(try !isDone(.shake, [8, -8, 8, -8]))
  }

  @Test(arguments: [CheckAction.nod, .shake])
  func amplitudeFollowsTheOptions(action: CheckAction) throws {
    #expect(try !isDone(action, [19, -19]) { $0.turnAngle = 40 })
    #expect(try isDone(action, [21, -21]) { $0.turnAngle = 40 })
  }

  /// Whoever holds a telephone low shows another pitch at rest.
  @Test func angleCountsFromTheOwnRest() throws {
    #expect(try isDone(.nod, [0], rest: 12))
    #expect(try !isDone(.nod, [5], rest: 12))
    #expect(try isDone(.shake, [17, -5], rest: 6))
    #expect(try !isDone(.shake, [13, -11], rest: 6))
  }

  @Test(arguments: [CheckAction.nod, .shake])
  func aSlowMovementDoesNotCount(action: CheckAction) throws {
    #expect(try isDone(action, [14, -14], seconds: 0.7))
    #expect(try !isDone(action, [14, -14], seconds: 3.2))
  }

  /// The pose that is measured of a tilted photo may follow it; its points remain those of a plane.
  @Test(arguments: [CheckAction.nod, .shake])
  func aFlatFaceDoesNotCount(action: CheckAction) throws {
    for angle: Float in [10, 20, 30, 45] { #expect(try !isDone(action, [angle, -angle], depth: 0)) }
  }

  @Test func aTurnIsNoNodAndANodNoShake() throws {
    for action in [CheckAction.nod, .shake] {
      let script = try Script.checking([action])
      for sign: Float in [1, -1] {
        let (more, less) = (sign * 18, sign * 12)
        try script.frames(
          0.2, [Script.face(yaw: action == .nod ? more : less, pitch: action == .nod ? less : more)])
      }
      try script.frames(0.2, [Script.face()])
      #expect(script.last?.report.actionsDone == 0)
    }
  }

  @Test func pointsAreNeededOnlyForMovements() throws {
    func needed(_ action: CheckAction) throws -> FaceOutputs {
      try Script.checking([action]).check.neededOutputs
    }
    #expect(try needed(.nod).contains([.pose, .landmarks]) && needed(.shake).contains([.pose, .landmarks]))
    #expect(try !needed(.turnLeft).contains(.landmarks))
  }
}

/// What tells a head from a picture of one.
@Suite struct ParallaxTests {
  private func head(yaw: Float, pitch: Float, depth: Float = 1) -> [Point3D] {
    Landmarks.head(x: 300, y: 200, side: 180, yaw: yaw, pitch: pitch, depth: depth).points
  }

  @Test func aHomographyLeavesNothing() throws {
    let points = head(yaw: 5, pitch: 3)
    let moved = points.map { point in
      let depth = 1 + point.x / 900 - point.y / 1100
      return Point3D(
        x: (1.2 * point.x - 0.3 * point.y + 50) / depth, y: (0.2 * point.x + 0.8 * point.y - 9) / depth, z: 0)
    }
    #expect(try #require(Parallax.amount(from: points, to: moved)) < 1e-4)
    #expect(try #require(Parallax.amount(from: points, to: points)) < 1e-4)
  }

  @Test func aTurnedHeadLeavesMoreTheFartherItTurns() throws {
    let rest = head(yaw: 0, pitch: 0)
    var last: Float = 0
    for angle: Float in [5, 10, 20, 30] {
      let (nod, turn) = (
        try #require(Parallax.amount(from: rest, to: head(yaw: 0, pitch: angle))),
        try #require(Parallax.amount(from: rest, to: head(yaw: angle, pitch: 0)))
      )
      #expect(min(nod, turn) > last)
      last = max(nod, turn)
    }
  }

  @Test func pointsThatAreNoFaceHaveNone() {
    let points = head(yaw: 0, pitch: 0)
    let flat = Array(repeating: Point3D(x: 5, y: 5, z: 0), count: points.count)
    var broken = points
    broken[33].x = .nan
    for wrong in [[], flat, broken] {
      #expect(Parallax.amount(from: points, to: wrong) == nil)
      #expect(Parallax.amount(from: wrong, to: points) == nil)
    }
  }
}
