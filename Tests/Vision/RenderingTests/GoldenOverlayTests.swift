import FaceCore
import Foundation
import Imaging
import Rendering
import TestSupport
import Testing

/// Glasses on turned heads, compared as in `GoldenTests`.
@Suite struct GoldenOverlayTests {
  /// The transform of the photo's face, as the engine measures it.
  private static let transform = HeadTransform(
    x: SIMD4(0.9990, -0.0433, -0.0098, 0.558), y: SIMD4(0.0397, 0.9696, -0.2414, 7.980),
    z: SIMD4(0.0200, 0.2408, 0.9704, -37.477))
  private static let photo = PixelSize(width: 512, height: 600)
  private static let cell = PixelSize(width: 130, height: 130)

  /// The photo turned clockwise by these degrees, with the dense points and the transform.
  @Test func glassesFollowTheRoll() throws {
    try expect("glasses_roll", [-90, -40, -20, 0, 20, 40, 90]) { degrees, glasses, show throws(Status) in
      let (cosine, sine) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
      let (scale, side) = (0.7, 420)
      let middle = Double(side) / 2
      var toCanvas = AffineMap(
        xx: scale * cosine, xy: -scale * sine, dx: 0, yx: scale * sine, yy: scale * cosine, dy: 0)
      let centre = toCanvas(Double(Self.photo.width) / 2, Double(Self.photo.height) / 2)
      (toCanvas.dx, toCanvas.dy) = (middle - centre.x, middle - centre.y)
      let picture = try self.photo(PixelSize(width: side, height: side), toImage: toCanvas.inverse)
      var face = toCanvas(try self.face())
      let (c, s) = (Float(cosine), Float(sine))
      let (x, y) = (Self.transform.x, Self.transform.y)
      face.transform = HeadTransform(x: c * x + s * y, y: c * y - s * x, z: Self.transform.z)
      try picture.drawOverlay(glasses, Overlay(), on: face)
      try show(picture, face.box.center)
    }
  }

  /// No photo of the repository shows a turned head, so the dense points of one are turned about the head's
  /// middle.
  @Test func glassesFollowTheYaw() throws {
    try expect("glasses_yaw", [-40, 0, 40]) { degrees, glasses, show throws(Status) in
      let (side, scale) = (260, Float(0.55))
      let (c, s) = (Float(cos(degrees * .pi / 180)), Float(sin(degrees * .pi / 180)))
      guard let landmarks = GoldenTests.landmarks else {
        throw Status(.notFound, "Tests/Fixtures/golden/landmarks.txt is not there")
      }
      let middle = GoldenTests.face.box.center
      let depth: Float = 60  // the head's middle is that far behind the points' zero
      let turned = landmarks.points.map { point in
        let (x, z) = (point.x - middle.x, point.z - depth)
        return Point3D(
          x: Float(side) / 2 + scale * (c * x - s * z), y: Float(side) / 2 + scale * (point.y - middle.y),
          z: scale * (s * x + c * z))
      }
      var face = Face(box: Box(x: 0, y: 0, width: 0, height: 0), confidence: 1, points: nil)
      face.landmarks = Landmarks(points: turned, confidence: 1)
      face.points = face.landmarks.flatMap { FivePoints($0) }
      face.transform = HeadTransform(x: SIMD4(c, 0, s, 0), y: SIMD4(0, 1, 0, 1), z: SIMD4(-s, 0, c, -38))
      let canvas = try Canvas(try Picture(side, side) { _, _ in RGB(40, 44, 52) }.bitmap())
      let style = adjusted(FaceStyle()) { ($0.marks, $0.meshWidth) = (.mesh, 0.6) }
      canvas.draw([face], style: style)
      try canvas.drawOverlay(glasses, Overlay(), on: face)
      try show(canvas, Point(x: Float(side) / 2, y: Float(side) / 2 - 12))
    }
  }

  /// One picture with all angles side by side.
  private func expect(
    _ name: String, _ angles: [Double],
    draw: (
      Double, borrowing TransparentPicture, (borrowing Canvas, Point) throws(Status) -> Void
    ) throws(Status) -> Void
  ) throws {
    let glasses = try Fixture.bytes("Examples/overlays/glasses.png").borrowed { file throws(Status) in
      try TransparentPicture(ImageInput(.encoded(file)))
    }
    let row = try Canvas(
      try Picture(Self.cell.width * angles.count, Self.cell.height) { _, _ in RGB(0, 0, 0) }.bitmap())
    for (place, angle) in angles.enumerated() {
      let target = Box(
        x: Float(place * Self.cell.width), y: 0, width: Float(Self.cell.width),
        height: Float(Self.cell.height))
      try draw(angle, glasses) { (canvas, centre) throws(Status) in
        let part = AffineMap(
          dx: Double(centre.x) - Double(Self.cell.width) / 2,
          dy: Double(centre.y) - Double(Self.cell.height) / 2)
        try canvas.withView { view throws(Status) in
          let cut = try Canvas(
            on: try UprightImage(ImageInput(.pixels(view)), willCrop: true).crop(Self.cell, toImage: part))
          try cut.withView { view throws(Status) in
            row.drawImage(try TransparentPicture(ImageInput(.pixels(view))), in: target)
          }
        }
      }
    }
    try GoldenTests.compare(name, try row.png())
  }

  private func photo(_ size: PixelSize, toImage: AffineMap) throws(Status) -> Canvas {
    do {
      return try Fixture.photo("grace_hopper.jpg").borrowed { file throws(Status) in
        let picture = try UprightImage(ImageInput(.encoded(file)), willCrop: true)
        return try Canvas(on: try picture.crop(size, toImage: toImage))
      }
    } catch let status as Status {
      throw status
    } catch {
      throw Status(.notFound, "\(error)")
    }
  }

  private func face() throws(Status) -> Face {
    var face = GoldenTests.face
    face.landmarks = GoldenTests.landmarks
    guard let landmarks = face.landmarks, let points = FivePoints(landmarks) else {
      throw Status(.notFound, "Tests/Fixtures/golden/landmarks.txt is not there")
    }
    face.points = points
    return face
  }
}
