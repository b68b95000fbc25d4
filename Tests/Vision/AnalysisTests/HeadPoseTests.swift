import Analysis
import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct HeadPoseTests {
  /// R = Rz(roll) Ry(−yaw) Rx(−pitch) written out, one turn after the other; angles in degrees.
  private static func turned(_ point: SIMD3<Float>, yaw: Float, pitch: Float, roll: Float) -> SIMD3<Float> {
    func turn(_ a: Float, _ b: Float, by degrees: Float) -> (Float, Float) {
      let angle = degrees * .pi / 180
      return (a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle))
    }
    var p = point
    (p.y, p.z) = turn(p.y, p.z, by: -pitch)
    (p.z, p.x) = turn(p.z, p.x, by: -yaw)
    (p.x, p.y) = turn(p.x, p.y, by: roll)
    return p
  }

  /// The inner corners of the eyes, which poses are not fitted to, but whose line with the outer ones shows the
  /// roll.
  private static let innerCorners = [
    (index: Landmarks.rightEyeInnerCorner, position: SIMD3<Float>(-0.35, -0.63, 0)),
    (index: Landmarks.leftEyeInnerCorner, position: SIMD3<Float>(0.35, -0.63, 0)),
  ]

  /// A face whose points above the tip of the nose are the canonical ones, turned and placed in a picture.
  private static func landmarks(
    yaw: Float, pitch: Float, roll: Float, scale: Float = 80, depth: Float = 1
  ) -> Landmarks {
    var points = [Point3D](repeating: Point3D(x: 0, y: 0, z: 0), count: Landmarks.count)
    for (index, position) in CanonicalFace.points.map({ ($0.index, $0.position) }) + innerCorners {
      let place = turned(position, yaw: yaw, pitch: pitch, roll: roll) * scale
      points[index] = Point3D(x: place.x + 300, y: place.y + 200, z: place.z * depth)
    }
    return Landmarks(points: points, confidence: 1)
  }

  @Test(
    arguments: [
      (0, 0, 0), (30, 0, 0), (-30, 0, 0), (0, 20, 0), (0, -20, 0), (0, 0, 45), (0, 0, -170), (25, -15, 30),
      (-50, 25, -80), (70, 5, 3),
    ] as [(Float, Float, Float)])
  func poseOfASyntheticFaceIsRecovered(yaw: Float, pitch: Float, roll: Float) throws {
    // The network's depth is unreliable: half or twice of it must make no difference.
    for depth in [Float(1), 0.7, 1.5] {
      let face = Self.landmarks(yaw: yaw, pitch: pitch, roll: roll, depth: depth)
      let pose = try #require(HeadPose.fit(face))
      let tolerance: Float = depth == 1 ? 0.05 : 2
      #expect(abs(pose.yaw - yaw) < tolerance, "\(pose) depth \(depth)")
      #expect(abs(pose.pitch - pitch) < tolerance, "\(pose) depth \(depth)")
      #expect(abs(pose.roll - roll) < tolerance, "\(pose) depth \(depth)")
    }
  }

  /// A picture that is turned shows another roll, and the same yaw and pitch.
  @Test func turningThePictureChangesTheRollAlone() throws {
    let face = Self.landmarks(yaw: 40, pitch: -20, roll: 10)
    for degrees in stride(from: Float(-150), through: 150, by: 50) {
      var turned = face
      for index in face.points.indices {
        let point = face.points[index]
        let place = Self.turned(SIMD3(point.x, point.y, 0), yaw: 0, pitch: 0, roll: degrees)
        turned.points[index] = Point3D(x: place.x, y: place.y, z: point.z)
      }
      let pose = try #require(HeadPose.fit(turned))
      #expect(abs(pose.yaw - 40) < 0.1 && abs(pose.pitch + 20) < 0.1, "\(pose) turned by \(degrees)°")
      #expect(
        abs((pose.roll - 10 - degrees).remainder(dividingBy: 360)) < 0.1, "\(pose) turned by \(degrees)°")
    }
  }

  /// Whatever the other points of the face say.
  @Test func rollIsThatOfTheLineThroughTheEyes() throws {
    var face = Self.landmarks(yaw: 0, pitch: 0, roll: 12)
    let straight = Self.landmarks(yaw: 0, pitch: 0, roll: 0)
    let corners = [
      Landmarks.rightEyeOuterCorner, Landmarks.rightEyeInnerCorner, Landmarks.leftEyeInnerCorner,
      Landmarks.leftEyeOuterCorner,
    ]
    for index in face.points.indices where !corners.contains(index) {
      face.points[index] = straight.points[index]
    }
    #expect(abs(try #require(HeadPose.fit(face)).roll - 12) < 0.01)
  }

  /// The nose and the cheeks are where people and their smiles differ.
  @Test func noseAndCheeksDoNotCount() throws {
    var face = Self.landmarks(yaw: 20, pitch: -10, roll: 5)
    let before = try #require(HeadPose.fit(face))
    let free = CanonicalFace.points.filter { $0.weight == 0 }
    #expect(free.contains { $0.index == 195 } && free.contains { $0.index == 330 })
    for point in free {
      face.points[point.index].x += 30
      face.points[point.index].y -= 20
    }
    #expect(try #require(HeadPose.fit(face)) == before)
  }

  /// A roll that is not the rotation's own leaves the head looking to where the rotation turns it.
  @Test func anglesKeepTheDirection() throws {
    var rotation = Rotation(quaternion: SIMD4(1, 0, 0, 0))
    let columns = rotation.rows.map { Self.turned($0, yaw: 35, pitch: 20, roll: 10) }
    rotation.rows = (0..<3).map { row in SIMD3(columns[0][row], columns[1][row], columns[2][row]) }
    let looking = rotation(SIMD3(0, 0, -1))
    let own = try #require(Pose(rotation))
    #expect(abs(own.yaw - 35) < 0.01 && abs(own.pitch - 20) < 0.01 && abs(own.roll - 10) < 0.01)
    for roll: Float in [-60, 0, 14, 170] {
      let pose = try #require(Pose(rotation, roll: roll))
      #expect(pose.roll == roll)
      let told = Self.turned(SIMD3(0, 0, -1), yaw: pose.yaw, pitch: pose.pitch, roll: pose.roll)
      #expect(abs((told - looking).min()) < 1e-4 && abs((told - looking).max()) < 1e-4, "\(pose)")
    }
    #expect(Pose(rotation, roll: .nan) == nil)
  }

  /// The documentation of `Pose`, in pixels: the bridge of the nose protrudes from the face.
  @Test func signsAreThoseOfTheDocumentation() {
    func bridge(_ landmarks: Landmarks) -> Point { landmarks.points[9].point }
    func middle(_ landmarks: Landmarks) -> Point {
      let points = CanonicalFace.points.map { landmarks.points[$0.index] }
      let count = Float(points.count)
      return Point(x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
    }
    let straight = Self.landmarks(yaw: 0, pitch: 0, roll: 0)
    let left = Self.landmarks(yaw: 20, pitch: 0, roll: 0)
    #expect(bridge(left).x - middle(left).x > bridge(straight).x - middle(straight).x + 5)
    let up = Self.landmarks(yaw: 0, pitch: 20, roll: 0)
    #expect(bridge(up).y - middle(up).y < bridge(straight).y - middle(straight).y - 5)
    // Clockwise, the subject's left eye, at the picture's right, moves down.
    let tilted = Self.landmarks(yaw: 0, pitch: 0, roll: 20)
    #expect(tilted.points[263].y > tilted.points[33].y + 5)
  }

  @Test func pointsInOnePlaceHaveNoPose() {
    #expect(HeadPose.fit(.flat) == nil)
    #expect(HeadPose.fit(Landmarks(points: [], confidence: 1)) == nil)
    var broken = Self.landmarks(yaw: 0, pitch: 0, roll: 0)
    broken.points[33].x = .nan
    #expect(HeadPose.fit(broken) == nil)
  }
}
