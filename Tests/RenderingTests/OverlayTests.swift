import FaceCore
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

  /// The overlay's eyes are placed on the face's, however the face is turned and scaled.
  @Test(arguments: [Float(1), 0.4, 3], [Float(0), 0.7, -2.5])
  func eyesComeToEyes(scale: Float, sine: Float) {
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

  /// Whether the overlay is mirrored, and whether the face's points are as a mirror shows them: it is never upside down.
  @Test(arguments: [false, true], [false, true])
  func itIsNeverUpsideDown(mirroredOverlay: Bool, mirroredFace: Bool) throws {
    let mirror = AffineMap(scaleX: -1, dx: 100)
    let face = mirroredFace ? Self.face.map { mirror($0) } : Self.face
    var overlay = Overlay()
    overlay.isMirrored = mirroredOverlay
    let map = try #require(overlay.map(Self.size, on: face))
    let (top, bottom) = (map(Point(x: 40, y: 0)), map(Point(x: 40, y: 40)))
    #expect(top.y < bottom.y)
    let (left, right) = (map(Point(x: 20, y: 20)), map(Point(x: 60, y: 20)))
    #expect((left.x > right.x) == mirroredOverlay)
    #expect(close(mirroredOverlay ? right : left, Point(x: 30, y: 40)))
  }

  @Test func eyesWithoutDistanceAreRefused() throws {
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

  /// What is transparent lets the ground through; half cover mixes.
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

  /// Transparent PNG and WebP keep their alpha; in a JPEG all is covered.
  @Test(arguments: ["rgba.png", "rgba.webp", "quarters.jpg"])
  func filesKeepTheirAlpha(name: String) throws {
    let (lowest, same) = try Fixture.image(name).borrowed { file throws(Status) in
      let picture = try TransparentPicture(ImageInput(.encoded(file)))
      let pixels = picture.bitmap.pixels
      let alphas = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
      let multiplied = alphas.indices.allSatisfy { index in
        (0..<3).allSatisfy { pixels[4 * index + $0] <= alphas[index] }
      }
      return (alphas.min() ?? 0, multiplied)
    }
    #expect(same)
    #expect((lowest < 255) == name.hasPrefix("rgba"))
  }
}
