import Analysis
import FaceCore
import Foundation
import Testing

@Suite struct GazeTests {
  private static let size = PixelSize(width: 1280, height: 720)

  /// A head with eyes that turn in it.
  private struct Head {
    var yaw: Float = 0
    var pitch: Float = 0
    /// The position in the camera's space.
    var place = SIMD3<Float>(0, 0, -60)
    /// The offset as in `Gaze`, for this person.
    var toCenter = Gaze.toCenter
    var toIris = Gaze.toIris

    /// The head is turned to the picture's right, then up.
    func turned(_ v: SIMD3<Float>) -> SIMD3<Float> {
      let (a, b) = (yaw * .pi / 180, pitch * .pi / 180)
      let up = SIMD3(v.x, v.y * cos(b) + v.z * sin(b), v.z * cos(b) - v.y * sin(b))
      return SIMD3(up.x * cos(a) + up.z * sin(a), up.y, up.z * cos(a) - up.x * sin(a))
    }

    var transform: HeadTransform {
      let columns = [SIMD3<Float>(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)].map(turned)
      func row(_ index: Int) -> SIMD4<Float> {
        SIMD4(columns[0][index], columns[1][index], columns[2][index], place[index])
      }
      return HeadTransform(x: row(0), y: row(1), z: row(2))
    }

    /// The landmarks that the camera sees when both eyes look at `target`, and the true directions, left
    /// first.
    func looking(at target: SIMD3<Float>) -> (Landmarks, [SIMD3<Float>]) {
      let focal = HeadTransform.focalLength(GazeTests.size)
      func seen(_ p: SIMD3<Float>) -> Point3D {
        Point3D(
          x: Float(GazeTests.size.width) / 2 - focal * p.x / p.z,
          y: Float(GazeTests.size.height) / 2 + focal * p.y / p.z, z: 0)
      }
      var points = [Point3D](repeating: seen(place), count: Landmarks.count)
      var directions: [SIMD3<Float>] = []
      for (side, outer, inner, iris) in [(1, 263, 362, 473), (-1, 33, 133, 468)] as [(Float, Int, Int, Int)] {
        let (outside, inside) = (SIMD3(side * 4.45, 0, 0.0), SIMD3(side * 1.75, 0, 0.6))
        let center =
          turned((outside + inside) / 2 + toCenter * SIMD3(side, 1, -1)) + place
        let line = target - center
        let direction = line / (line * line).sum().squareRoot()
        directions.append(direction)
        points[outer] = seen(turned(outside) + place)
        points[inner] = seen(turned(inside) + place)
        points[iris] = seen(center + direction * toIris)
      }
      return (Landmarks(points: points, confidence: 1), directions)
    }
  }

  private static func degrees(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float {
    acos(min(1, (a * b).sum())) * 180 / .pi
  }

  private static let targets: [SIMD3<Float>] = [
    .zero, SIMD3(17, -1, 0), SIMD3(-17, -1, 0), SIMD3(17, -20, 0), SIMD3(-17, -20, 0), SIMD3(0, 25, 0),
  ]

  private static let turns: [(yaw: Float, pitch: Float)] = [
    (0, 0), (25, 0), (-25, 0), (0, 20), (0, -20), (30, -15), (-35, 10),
  ]

  /// The largest error of the mean of both eyes over all turns and targets.
  private func largestError(_ person: Head) throws -> Float {
    var largest: Float = 0
    for turn in Self.turns {
      for target in Self.targets {
        var head = person
        (head.yaw, head.pitch) = turn
        let (landmarks, directions) = head.looking(at: target)
        let gaze = try #require(Gaze.fit(landmarks, head.transform, in: Self.size))
        largest = max(
          largest,
          Self.degrees(
            normalised(gaze.left.direction + gaze.right.direction), normalised(directions[0] + directions[1]))
        )
      }
    }
    return largest
  }

  /// A person whose eyes are as assumed, for all directions of head and eyes.
  @Test(arguments: [SIMD3<Float>(0, 0, -60), SIMD3(15, 10, -50), SIMD3(-20, -5, -90)])
  func gazeOfEyesAsAssumedIsAccurate(place: SIMD3<Float>) throws {
    #expect(try largestError(Head(place: place)) < 1.3)
  }

  /// One millimetre of an eye is some six degrees, by which people differ.
  @Test(
    arguments: [
      (SIMD3(0.145, 0.285, 0.35), 1, 7), (SIMD3(0.145, 0.185, 0.55), 1, 7),
      (SIMD3(0.145, 0.185, 0.35), 1.15, 5), (SIMD3(0.145, 0.185, 0.35), 0.85, 5),
    ] as [(SIMD3<Float>, Float, Float)])
  func eyesOfOtherFormsAreOffByDegrees(toCenter: SIMD3<Float>, toIris: Float, most: Float) throws {
    let error = try largestError(Head(toCenter: toCenter, toIris: toIris))
    #expect(error < most && error > 1)
  }

  @Test func aScreenHasItsCorners() throws {
    let screen = Screen(width: 34, height: 20, gap: 1)
    // For the person who sits there, the screen's left edge is at the picture's right.
    for (target, expected) in [
      (SIMD3(17, -1, 0), Point(x: 0, y: 0)), (SIMD3(-17, -1, 0), Point(x: 1, y: 0)),
      (SIMD3(17, -21, 0), Point(x: 0, y: 1)), (SIMD3(0, -11, 0), Point(x: 0.5, y: 0.5)),
      (SIMD3(-34, -11, 0), Point(x: 1.5, y: 0.5)),
    ] as [(SIMD3<Float>, Point)] {
      let from = SIMD3<Float>(3, 2, -55)
      let eye = Gaze.Eye(center: from, direction: normalised(target - from))
      let found = try #require(Gaze(left: eye, right: eye).point(on: screen))
      #expect(abs(found.x - expected.x) < 1e-3 && abs(found.y - expected.y) < 1e-3, "\(target)")
    }
    let away = Gaze.Eye(center: SIMD3(0, 0, -55), direction: SIMD3(0, 0, -1))
    #expect(Gaze(left: away, right: away).point(on: screen) == nil)
    let along = Gaze.Eye(center: SIMD3(0, 0, -55), direction: SIMD3(1, 0, 0))
    #expect(Gaze(left: along, right: along).point(on: screen) == nil)
    let line = Screen(topLeft: .zero, topRight: SIMD3(1, 0, 0), bottomLeft: SIMD3(2, 0, 0))
    #expect(Gaze(left: away, right: away).point(on: line) == nil)
  }

  @Test func gazeValuesAreGroupedByEye() {
    let values = (1...12).map { Float($0) }
    let gaze = Gaze(values: values)
    #expect(gaze.values == values && Gaze.count == 12)
    #expect(gaze.left.center == SIMD3(1, 2, 3) && gaze.right.direction == SIMD3(10, 11, 12))
  }

  @Test func gazeWithoutLandmarksIsUnknown() {
    #expect(Gaze.fit(Landmarks(points: [], confidence: 1), Head().transform, in: Self.size) == nil)
  }

  private func normalised(_ v: SIMD3<Float>) -> SIMD3<Float> { v / (v * v).sum().squareRoot() }
}
