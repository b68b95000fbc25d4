import Analysis
import FaceCore
import Foundation
import Testing

@Suite struct HeadTransformTests {
  private static let size = PixelSize(width: 1280, height: 720)

  /// Rows of Ry(−yaw) Rx(−pitch) Rz(roll) with axes that go right, down and away; angles in degrees.
  private static func rotation(yaw: Float, pitch: Float, roll: Float) -> [SIMD3<Float>] {
    func turn(_ a: Float, _ b: Float, by degrees: Float) -> (Float, Float) {
      let angle = degrees * .pi / 180
      return (a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle))
    }
    let columns = [SIMD3<Float>(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)].map { axis -> SIMD3<Float> in
      var p = axis
      (p.x, p.y) = turn(p.x, p.y, by: roll)
      (p.y, p.z) = turn(p.y, p.z, by: -pitch)
      (p.z, p.x) = turn(p.z, p.x, by: -yaw)
      return p
    }
    return (0..<3).map { row in SIMD3(columns[0][row], columns[1][row], columns[2][row]) }
  }

  /// The camera's view of the canonical face.
  private static func seen(_ rotation: [SIMD3<Float>], _ place: SIMD3<Float>, depth: Float = 1) -> Landmarks {
    let focal = HeadTransform.focalLength(size)
    var points = [Point3D](repeating: Point3D(x: 0, y: 0, z: 0), count: Landmarks.count)
    for ((index, _, _), position) in zip(CanonicalFace.points, HeadTransform.model) {
      let p = SIMD3(
        (rotation[0] * position).sum(), (rotation[1] * position).sum(), (rotation[2] * position).sum())
      let there = p + place
      points[index] = Point3D(
        x: focal * there.x / there.z + Float(size.width) / 2,
        y: focal * there.y / there.z + Float(size.height) / 2, z: focal * p.z / place.z * depth)
    }
    return Landmarks(points: points, confidence: 1)
  }

  @Test(
    arguments: [
      (0, 0, 0), (30, 0, 0), (-30, 0, 0), (0, 20, 0), (0, -20, 0), (0, 0, 45), (0, 0, -170), (25, -15, 30),
      (-50, 25, -80),
    ] as [(Float, Float, Float)])
  func transformOfASyntheticFaceIsRecovered(yaw: Float, pitch: Float, roll: Float) throws {
    let given = Self.rotation(yaw: yaw, pitch: pitch, roll: roll)
    for place in [SIMD3<Float>(0, 0, 60), SIMD3(-25, 10, 70), SIMD3(40, -20, 150)] {
      for depth in [Float(1), 0.7] {
        let found = try #require(HeadTransform.fit(Self.seen(given, place, depth: depth), in: Self.size))
        let tolerance: Float = 1e-3
        let signs: [Float] = [1, -1, -1]
        for (row, line) in [found.x, found.y, found.z].enumerated() {
          for column in 0..<3 {
            let expected = signs[row] * signs[column] * given[row][column]
            #expect(abs(line[column] - expected) < tolerance, "\(row), \(column) of \(found) at \(place)")
          }
          #expect(abs(line.w - signs[row] * place[row]) < 0.01 * place.z)
        }
        #expect(found.w == SIMD4(0, 0, 0, 1))
      }
    }
  }

  @Test func transformValuesAreRowMajor() {
    let transform = HeadTransform(x: SIMD4(1, 2, 3, 4), y: SIMD4(5, 6, 7, 8), z: SIMD4(9, 10, 11, 12))
    #expect(HeadTransform.count == 16)
    #expect(transform.values == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 1])
    #expect(HeadTransform(values: transform.values) == transform)
  }

  @Test func coincidentPointsHaveNoTransform() {
    #expect(HeadTransform.fit(.flat, in: Self.size) == nil)
    #expect(HeadTransform.fit(Landmarks(points: [], confidence: 1), in: Self.size) == nil)
  }
}
