import FaceCore
import Glibc
import Imaging
import Rendering
import TestSupport
import Testing

@Suite struct OverlayTests {
  private static let size = PixelSize(width: 80, height: 40)
  private static let face = FivePoints(
    leftEye: Point(x: 70, y: 40), rightEye: Point(x: 30, y: 40), noseTip: Point(x: 50, y: 55),
    mouthLeft: Point(x: 65, y: 75), mouthRight: Point(x: 35, y: 75))

  private func close(_ a: Point?, _ b: Point) -> Bool {
    guard let a else { return false }
    return abs(a.x - b.x) < 1e-3 && abs(a.y - b.y) < 1e-3
  }

  /// The overlay's eyes are placed on those of the face, however the face is turned and scaled.
  @Test(arguments: [Float(1), 0.4, 3], [Float(0), 0.7, -2.5])
  func overlayEyesAreMappedToTheFacesEyes(scale: Float, sine: Float) {
    let turn = AffineMap(
      xx: Double(scale), xy: Double(-sine), dx: 200, yx: Double(sine), yy: Double(scale), dy: 100)
    let face = Self.face.map { turn($0) }
    var overlay = Overlay()
    overlay.leftEye = Point(x: 0.8, y: 0.4)
    overlay.rightEye = Point(x: 0.3, y: 0.6)
    let map = overlay.map(Self.size, on: face)
    #expect(close(map?(Point(x: 64, y: 16)), face.leftEye))
    #expect(close(map?(Point(x: 24, y: 24)), face.rightEye))
  }

  /// With the overlay mirrored or not, and the face's points as in a mirror or not, it is never upside down.
  @Test(arguments: [false, true], [false, true])
  func overlayIsNeverUpsideDown(mirroredOverlay: Bool, mirroredFace: Bool) throws {
    let mirror = AffineMap(scaleX: -1, dx: 100)
    let face = mirroredFace ? Self.face.map { mirror($0) } : Self.face
    let overlay = adjusted(Overlay()) { $0.isMirrored = mirroredOverlay }
    let map = try #require(overlay.map(Self.size, on: face))
    let (top, bottom) = (map(Point(x: 40, y: 0)), map(Point(x: 40, y: 40)))
    #expect(top.y < bottom.y)
    let (left, right) = (map(Point(x: 20, y: 20)), map(Point(x: 60, y: 20)))
    #expect((left.x > right.x) == mirroredOverlay)
    #expect(close(mirroredOverlay ? right : left, Point(x: 30, y: 40)))
  }

  /// A head turned by a yaw, then rolled, at 40 cm before the middle of the picture, and the middles of its
  /// eyes there.
  private func turned(yaw: Float, roll: Float, mirrored: Bool = false) -> Face {
    let (cy, sy) = (cosf(yaw * .pi / 180), sinf(yaw * .pi / 180))
    let (cr, sr) = (cosf(roll * .pi / 180), sinf(roll * .pi / 180))
    let (x, z) = (SIMD4<Float>(cy, 0, sy, 0), SIMD4<Float>(-sy, 0, cy, -40))
    let y = SIMD4<Float>(0, 1, 0, 0)
    let transform = HeadTransform(x: cr * x + sr * y, y: cr * y - sr * x, z: z)
    let focal = Float(Self.picture.height) / 2 / tanf(31.5 * .pi / 180)
    func place(_ point: SIMD4<Float>) -> Point {
      let depth = -(transform.z * point).sum()
      let across = (transform.x * point).sum() / depth * focal
      return Point(
        x: Float(Self.picture.width) / 2 + (mirrored ? -across : across),
        y: Float(Self.picture.height) / 2 - (transform.y * point).sum() / depth * focal)
    }
    var face = Face(
      box: Box(x: 0, y: 0, width: 0, height: 0), confidence: 1,
      points: FivePoints(
        leftEye: place(SIMD4(3.05, 0, 0.3, 1)), rightEye: place(SIMD4(-3.05, 0, 0.3, 1)),
        noseTip: place(SIMD4(0, -4, 2, 1)), mouthLeft: place(SIMD4(2.5, -7, 0, 1)),
        mouthRight: place(SIMD4(-2.5, -7, 0, 1))))
    face.transform = transform
    return face
  }

  private static let picture = PixelSize(width: 400, height: 300)

  /// Glasses with thin ends: 80×40 pixels, with arms of 8 pixels at each side.
  private func glasses<Value>(_ body: (borrowing TransparentPicture) throws -> Value) throws -> Value {
    var bytes = [UInt8](repeating: 0, count: 80 * 40 * 4)
    for y in 0..<40 {
      for x in 0..<80 where (8..<72).contains(x) || (18..<22).contains(y) {
        bytes[(y * 80 + x) * 4 + 3] = 255
      }
    }
    return try body(
      try bytes.borrowed { bytes throws(Status) in
        try TransparentPicture(
          ImageInput(.pixels(try ImageView(format: .rgba, width: 80, height: 40, bytes: bytes))))
      })
  }

  /// On a face that looks into the camera both arms show a little; on a turned one, the nearer arm shows.
  @Test(arguments: [Float(0), 40, -40, 75], [Float(0), 20, -40, 90, 180])
  func theFarArmIsHidden(yaw: Float, roll: Float) throws {
    try glasses { glasses in
      let face = turned(yaw: yaw, roll: roll)
      let head = try #require(HeadView(face, in: Self.picture))
      let seen = Overlay().parts(glasses, on: head)
      let parts = try #require(seen)
      // When the head turns to the subject's left, which is at the overlay's right, its right side is
      // visible.
      #expect(parts.map(\.source.x) == (yaw == 0 ? [0, 72, 8] : yaw > 0 ? [0, 8] : [72, 8]))
      var flat = Overlay()
      flat.arms = -1
      let whole = flat.parts(glasses, on: head)
      #expect(whole?.map(\.source.width) == [80])
      flat.arms = 0.25
      let middle = flat.parts(glasses, on: head)
      #expect(middle?.last?.source.width == 40)
    }
  }

  /// The front is in front of the eyes: displaced by its distance from them, and as large as they are apart.
  @Test(arguments: [Float(0), 40, -40], [Float(0), 20, -90])
  func frontIsDrawnInFrontOfTheEyes(yaw: Float, roll: Float) throws {
    for mirrored in [false, true] { try expectFrontBeforeEyes(yaw: yaw, roll: roll, mirrored: mirrored) }
  }

  private func expectFrontBeforeEyes(yaw: Float, roll: Float, mirrored: Bool) throws {
    try glasses { glasses in
      let face = turned(yaw: yaw, roll: roll, mirrored: mirrored)
      let points = try #require(face.points)
      let head = try #require(HeadView(face, in: Self.picture))
      #expect(head.isMirrored == mirrored)
      let overlay = adjusted(Overlay()) { $0.isMirrored = mirrored }
      let parts = overlay.parts(glasses, on: head)
      let front = try #require(parts?.last)
      let left = try #require(front.map(Point(x: 60, y: 20)))
      let right = try #require(front.map(Point(x: 20, y: 20)))
      let seen = hypotf(points.leftEye.x - points.rightEye.x, points.leftEye.y - points.rightEye.y)
      let drawn = hypotf(left.x - right.x, left.y - right.y)
      #expect(abs(drawn / seen - 1) < 0.08, "\(drawn) \(seen)")
      // The distance is 1.9 cm.
      let centimetre = seen / 6.1 / cosf(yaw * .pi / 180)
      let shift = hypotf(
        (left.x + right.x - points.leftEye.x - points.rightEye.x) / 2,
        (left.y + right.y - points.leftEye.y - points.rightEye.y) / 2)
      #expect(abs(shift - 1.9 * abs(sinf(yaw * .pi / 180)) * centimetre) < 0.15 * centimetre, "\(shift)")
    }
  }

  /// Without a transform the angles give the perspective; without either the overlay is flat.
  @Test func anglesReplaceAMissingTransform() throws {
    var face = turned(yaw: 30, roll: 0)
    let exact = try #require(HeadView(face, in: Self.picture))
    face.transform = nil
    #expect(HeadView(face, in: Self.picture) == nil)
    face.pose = Pose(yaw: 30, pitch: 0, roll: 0)
    let estimated = try #require(HeadView(face, in: Self.picture))
    for point in [SIMD3<Float>(0, 0, 0), SIMD3(5, -3, -2), SIMD3(-7, 2, 6)] {
      let (a, b) = (exact.project(point), estimated.project(point))
      #expect(abs(a.x / a.z - b.x / b.z) < 3 && abs(a.y / a.z - b.y / b.z) < 3)
    }
    face.pose = Pose(yaw: .nan, pitch: 0, roll: 0)
    #expect(HeadView(face, in: Self.picture) == nil)
    face.transform = HeadTransform(x: .zero, y: .zero, z: .zero)
    #expect(HeadView(face, in: Self.picture) == nil)
  }

  @Test func coincidentEyesAreRefused() throws {
    var face = Face(box: Box(x: 0, y: 0, width: 10, height: 10), confidence: 1, points: nil)
    func code(_ face: Face) throws -> StatusCode? {
      let picture = Picture(40, 40) { _, _ in RGB(0, 0, 0) }
      return try picture.withView(.bgra, padding: 0) { view throws(Status) in
        let canvas = try Canvas(try picture.bitmap())
        let source = try TransparentPicture(ImageInput(.pixels(view)))
        do throws(Status) {
          try canvas.drawOverlay(source, Overlay(), on: face)
          return nil
        } catch {
          return error.code
        }
      }
    }
    #expect(try code(face) == .failedPrecondition)
    for value in [Float(5), .nan, .infinity] {
      face.points = Self.face.map { _ in Point(x: value, y: value) }
      #expect(try code(face) == .invalidArgument)
    }
    face.points = Self.face
    #expect(try code(face) == nil)
  }

  /// Transparent pixels show the ground; half cover mixes.
  @Test func alphaIsKept() throws {
    var bytes = [UInt8](repeating: 0, count: 40 * 40 * 4)
    for x in 0..<40 {
      for y in 0..<40 {
        let first = (y * 40 + x) * 4
        bytes[first] = 255  // red
        bytes[first + 3] = x < 13 ? 0 : x < 26 ? 128 : 255
      }
    }
    let canvas = try Canvas(try Picture(40, 40) { _, _ in RGB(0, 200, 0) }.bitmap())
    try bytes.borrowed { bytes throws(Status) in
      let view = try ImageView(format: .rgba, width: 40, height: 40, bytes: bytes)
      canvas.drawImage(
        try TransparentPicture(ImageInput(.pixels(view))), in: Box(x: 0, y: 0, width: 40, height: 40))
    }
    let picture = try canvas.withBitmap { (bitmap) throws(Status) in Picture(bitmap) }
    #expect(picture[5, 20] == RGB(0, 200, 0))
    #expect(picture[20, 20].distance(to: RGB(128, 100, 0)) <= 2)
    #expect(picture[33, 20].distance(to: RGB(255, 0, 0)) <= 1)
  }
}
