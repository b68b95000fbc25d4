import Analysis
import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct PointPrecisionTests {
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

  @Test func pointsThatMoveAreLessPrecise() throws {
    let still = try #require(
      PointPrecision.estimate(Self.landmarks(), beside: [Self.landmarks(), Self.landmarks()]))
    let moving = try #require(
      PointPrecision.estimate(
        Self.landmarks(), beside: [Self.landmarks(moved: 3), Self.landmarks(moved: -3)]))
    #expect(still.values.count == Landmarks.count && still.values.allSatisfy { $0 > 0 })
    for index in 0..<200 { #expect(still.values[index] == moving.values[index]) }
    for index in 200..<Landmarks.count { #expect(moving.values[index] > 1.5 * still.values[index]) }
  }

  /// Errors are in pixels, so a face drawn twice as large has twice the error.
  @Test func precisionIsInPixels() throws {
    let small = try #require(
      PointPrecision.estimate(Self.landmarks(), beside: [Self.landmarks(moved: 1)]))
    let large = try #require(
      PointPrecision.estimate(Self.landmarks(scale: 2), beside: [Self.landmarks(moved: 1, scale: 2)]))
    for (one, two) in zip(small.values, large.values) { #expect(abs(two - 2 * one) < 1e-3) }
  }

  /// The corner of an eye is known more precisely than the outline of the cheek.
  @Test func precisionDiffersBetweenPoints() throws {
    let found = try #require(PointPrecision.estimate(Self.landmarks(), beside: [Self.landmarks()]))
    #expect(found.values[133] < found.values[58] && found.values[362] < found.values[288])
  }

  @Test func singleCropIsLessPreciseAndPointsNeedExtent() throws {
    let alone = try #require(PointPrecision.estimate(Self.landmarks(), beside: []))
    let still = try #require(PointPrecision.estimate(Self.landmarks(), beside: [Self.landmarks()]))
    #expect(zip(alone.values, still.values).allSatisfy { $0 > $1 })
    let flat = Landmarks(
      points: [Point3D](repeating: Point3D(x: 5, y: 5, z: 0), count: Landmarks.count), confidence: 1)
    #expect(PointPrecision.estimate(flat, beside: []) == nil)
  }
}
