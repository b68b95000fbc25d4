import Analysis
import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct ExpectedPointErrorTests {
  /// A grid 100 pixels wide in which the eyes' outer corners are 100 apart.
  private static func landmarks(moved: Float = 0, scale: Float = 1) -> Landmarks {
    var points = (0..<Landmarks.count).map { index in
      Point3D(x: Float(index % 22) * 5 * scale, y: Float(index / 22) * 5 * scale, z: 0)
    }
    points[Landmarks.rightEyeOuterCorner] = Point3D(x: 0, y: 30 * scale, z: 0)
    points[Landmarks.leftEyeOuterCorner] = Point3D(x: 100 * scale, y: 30 * scale, z: 0)
    for index in 200..<Landmarks.count { points[index].x += moved * scale }
    return Landmarks(points: points, confidence: 1)
  }

  /// The errors of the points when other crops show these.
  private static func errors(_ points: Landmarks = landmarks(), beside others: [Landmarks]) throws -> [Float] {
    try #require(ExpectedPointError.estimate(points, beside: others, detected: nil)).values
  }

  @Test func pointsThatMoveAreLessPrecise() throws {
    let still = try Self.errors(beside: [Self.landmarks(), Self.landmarks()])
    let moving = try Self.errors(beside: [Self.landmarks(moved: 3), Self.landmarks(moved: -3)])
    #expect(still.count == Landmarks.count && still.allSatisfy { $0 > 0 })
    for index in 0..<200 { #expect(still[index] <= moving[index]) }
    for index in 200..<Landmarks.count { #expect(moving[index] > 1.5 * still[index]) }
    // The corner of an eye is known more precisely than the outline of the cheek.
    #expect(still[133] < still[58] && still[362] < still[288])
  }

  /// Behind a mask the lips move together, and one that happens to stay is no better known than the others.
  @Test func aStillPointOfAPartThatMovesIsLessPrecise() throws {
    let lips = [
      61, 291, 39, 269, 37, 267, 0, 84, 314, 17, 181, 405, 78, 308, 82, 312, 87, 317, 14,
    ]
    var moved = Self.landmarks()
    for index in lips { moved.points[index].x += 4 }
    let (still, moving) = (try Self.errors(beside: [Self.landmarks()]), try Self.errors(beside: [moved]))
    #expect(moving[13] > still[13] + 1)
    for index in [133, 362, 4] { #expect(moving[index] == still[index]) }
  }

  /// Errors are in pixels, so a face drawn twice as large has twice the error.
  @Test func precisionIsInPixels() throws {
    let small = try Self.errors(beside: [Self.landmarks(moved: 1)])
    let large = try Self.errors(Self.landmarks(scale: 2), beside: [Self.landmarks(moved: 1, scale: 2)])
    for (one, two) in zip(small, large) { #expect(abs(two - 2 * one) < 1e-3) }
  }

  @Test func singleCropIsLessPreciseAndPointsNeedExtent() throws {
    let (alone, still) = (try Self.errors(beside: []), try Self.errors(beside: [Self.landmarks()]))
    #expect(zip(alone, still).allSatisfy { $0 > $1 })
    #expect(ExpectedPointError.estimate(.flat, beside: [], detected: nil) == nil)
  }

  /// Where the detector's points contradict the mesh, every point is doubtful, however still it stands.
  @Test func detectorThatContradictsMakesPointsLessPrecise() throws {
    let landmarks = Self.landmarks()
    func estimate(_ detected: FivePoints?) throws -> [Float] {
      try #require(ExpectedPointError.estimate(landmarks, beside: [landmarks], detected: detected)).values
    }
    let same = try #require(FivePoints(landmarks))
    let alone = try estimate(nil)
    #expect(try estimate(same) == alone)
    // On clear faces, too, the two differ a little.
    #expect(try estimate(same.map { Point(x: $0.x + 20, y: $0.y) }) == alone)
    let far = try estimate(same.map { Point(x: $0.x + 80, y: $0.y) })
    #expect(zip(far, alone).allSatisfy { $0 > $1 + 50 })
    #expect(try estimate(same.map { Point(x: .nan, y: $0.y) }) == alone)
  }

  /// The eyes of a profile stand behind each other: in the picture they are close, its errors are not small.
  @Test func depthOfTheEyesCounts() throws {
    var profile = Self.landmarks()
    profile.points[Landmarks.leftEyeOuterCorner] = Point3D(x: 0, y: 30, z: 100)
    let (frontal, turned) = (
      try Self.errors(beside: [Self.landmarks()]), try Self.errors(profile, beside: [profile])
    )
    #expect(abs(turned[Landmarks.noseTip] - frontal[Landmarks.noseTip]) < 0.1)
  }
}

/// The real networks on a photo that is made worse.
@Suite(.needsAnalysisModels) struct DegradedPointPrecisionTests {
  private static let mouth = [61, 291, 0, 17, 13, 14]
  private static let eyes = [33, 133, 362, 263]

  /// Returns the mean expected error of some points of the astronaut's face, in pixels.
  private static func expected(_ picture: Picture, _ indices: [Int]) throws -> Float {
    let analyzer = try RealAnalyzer.make()
    let found = try picture.withUpright(willCrop: true) { image throws(Status) in
      try analyzer.complete(Astronaut.face, .precision, .upright, in: image)
    }
    let values = try #require(found.precision).values
    return indices.reduce(0) { $0 + values[$1] } / Float(indices.count)
  }

  @Test func coveredMouthIsLessPrecise() throws {
    let photo = try Astronaut.photo()
    let covered = Picture(photo.size.width, photo.size.height) { x, y in
      (180..<262).contains(x) && (120..<185).contains(y) ? RGB(120, 170, 200) : photo[x, y]
    }
    #expect(try Self.expected(covered, Self.mouth) > 1.6 * Self.expected(photo, Self.mouth))
    #expect(try Self.expected(covered, Self.eyes) < 1.2 * Self.expected(photo, Self.eyes))
  }

  @Test func blurredFaceIsLessPrecise() throws {
    let photo = try Astronaut.photo()
    let blurred = photo.blurred(reach: 5, times: 2)
    let all = Array(0..<Landmarks.count)
    #expect(try Self.expected(blurred, all) > 1.6 * Self.expected(photo, all))
  }
}
