import FaceCore
import Foundation
import Imaging
import Rendering
import TestSupport
import Testing

/// Compares pictures with those of Tests/Fixtures/golden, which were checked by eye. To write them anew (look
/// at each one then):
///
///     FACE_ENGINE_RENEW_GOLDEN=1 swift test -c release --filter GoldenTests
@Suite struct GoldenTests {
  /// The face in pixels of Examples/photos/grace_hopper.jpg, as YuNet finds it.
  static let face: Face = {
    var face = Face(
      box: Box(x: 183, y: 120, width: 170, height: 212), confidence: 0.9,
      points: FivePoints(
        leftEye: Point(x: 307, y: 195), rightEye: Point(x: 227, y: 193), noseTip: Point(x: 267, y: 241),
        mouthLeft: Point(x: 302, y: 269), mouthRight: Point(x: 229, y: 268)))
    face.track = Track(id: 12, frameCount: 3)
    face.pose = Pose(yaw: 0.3, pitch: 2, roll: -2)
    return face
  }()

  /// A part of the photo at half its size, with its face, through the crop that portraits use.
  static func photo(_ draw: (borrowing Canvas, Face) throws(Status) -> Void) throws -> [UInt8] {
    try Fixture.photo("grace_hopper.jpg").borrowed { file throws(Status) in
      let picture = try UprightImage(ImageInput(.encoded(file)), willCrop: true)
      let canvas = try Canvas(
        on: try picture.crop(PixelSize(width: 160, height: 160), toImage: Self.shown.inverse))
      try draw(canvas, Self.shown(Self.face))
      return try canvas.png()
    }
  }

  /// The map from pixels of the photo.
  private static let shown = AffineMap(scaleX: 0.5, scaleY: 0.5, dx: -53, dy: -36)

  static var style: FaceStyle {
    var style = FaceStyle().scaled(by: 0.5)
    style.textSize = 14
    style.font = "@cairo:"
    return style
  }

  static func compare(_ name: String, _ png: [UInt8]) throws {
    let path = "\(Fixture.repository)/Tests/Fixtures/golden/\(name).png"
    if ProcessInfo.processInfo.environment["FACE_ENGINE_RENEW_GOLDEN"] != nil {
      try Data(png).write(to: URL(filePath: path))
    }
    let (found, expected) = (
      try png.decoded(), try Fixture.bytes("Tests/Fixtures/golden/\(name).png").decoded()
    )
    try #require(found.size == expected.size)
    // Other versions of Cairo smooth edges slightly differently; another place or colour is a larger
    // difference.
    var (sum, far) = (0, 0)
    for y in 0..<found.size.height {
      for x in 0..<found.size.width {
        let distance = found[x, y].distance(to: expected[x, y])
        sum += distance
        if distance > 48 { far += 1 }
      }
    }
    let pixels = found.size.width * found.size.height
    #expect(far * 1000 < pixels, "\(name): \(far) of \(pixels) pixels are others; look at it, then renew it")
    #expect(sum < pixels, "\(name): pixels differ by \(Double(sum) / Double(pixels)) on average")
  }

  /// The dense points of the photo, moved with the face.
  static func withLandmarks(_ face: Face) -> Face {
    var marked = face
    marked.landmarks = landmarks.map {
      Landmarks(points: $0.points.map { shown($0) }, confidence: 1)
    }
    return marked
  }

  /// The points in pixels of the photo; `nil` if their file cannot be read, which fails every test that draws
  /// them.
  static let landmarks: Landmarks? = {
    guard let file = try? Fixture.bytes("Tests/Fixtures/golden/landmarks.txt") else { return nil }
    let points = String(decoding: file, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").compactMap { Float($0) } }.filter { $0.count == 3 }
      .map { Point3D(x: $0[0], y: $0[1], z: $0[2]) }
    return points.count == Landmarks.count ? Landmarks(points: points, confidence: 1) : nil
  }()

  /// Marks on the photo's face: the picture's name, the marks, and how face and style differ.
  static let styles: [(name: String, marks: FaceStyle.Marks, change: @Sendable (inout Face, inout FaceStyle) -> Void)] =
    [
      ("box_and_points", [.boxes, .points], { _, _ in }),
      ("corners_id_angles", [.corners, .ids, .angles], { _, _ in }),
      ("landmark_lines", .landmarkLines, { _, style in style.lineWidth = Self.style.lineWidth }),
      ("filled_box", [.filled, .boxes], { _, _ in }),
      ("blur", .blurred, { _, _ in }), ("pixelate", .pixelated, { _, _ in }),
      ("cover_box", .pixelated, { _, style in (style.cover.cells, style.cover.shape) = (4, .box) }),
      ("cover_colour", [.blurred, .boxes], { _, style in style.cover.colour = Colour(rgba: 0x0000_00FF) }),
      ("turned_box", [.turnedBoxes], { face, _ in face.pose = Pose(yaw: 35, pitch: 0, roll: -12) }),
      ("axes", [.boxes, .axes], { face, _ in face.pose = Pose(yaw: 35, pitch: 10, roll: -12) }),
      ("mesh", .mesh, { _, _ in }), ("contours", .contours, { _, _ in }), ("irises", .irises, { _, _ in }),
      ("mesh_contours_irises", [.mesh, .contours, .irises], { _, _ in }),
      (
        "plate", [.corners, .ids, .confidences, .angles],
        { _, style in (style.coloursByID, style.plates, style.textSize) = (true, true, 10) }
      ),
    ]

  @Test(arguments: styles.indices) func marks(index: Int) throws {
    let (name, marks, change) = Self.styles[index]
    var style = Self.style
    (style.marks, style.meshWidth, style.lineWidth) = (marks, 0.7, 1.5)
    try Self.compare(
      name,
      try Self.photo { canvas, face in
        var face = Self.withLandmarks(face)
        change(&face, &style)
        canvas.draw([face], labels: name == "plate" ? ["Grace"] : [], style: style)
      })
  }

  /// A detector alone gives no pose.
  @Test(arguments: [FaceStyle.Marks.turnedBoxes, [.turnedBoxes, .filled], [.turnedBoxes, .boxes]])
  func turnedBoxWithoutPoseIsUpright(marks: FaceStyle.Marks) throws {
    func drawn(_ marks: FaceStyle.Marks) throws -> [UInt8] {
      try Self.photo { canvas, face in
        var style = Self.style
        style.marks = marks
        var face = face
        face.pose = nil
        canvas.draw([face], style: style)
      }
    }
    #expect(try drawn(marks) == drawn(marks.subtracting(.turnedBoxes).union(.boxes)))
  }

  @Test func hollowMask() throws {
    let circle = Circle(center: Point(x: 80, y: 85), radius: 65)
    try Self.compare(
      "hollow_mask", try Self.photo { canvas, _ in canvas.drawMask(circle, hollow: true, style: Self.style) })
  }

  @Test(arguments: [false, true]) func glasses(mirrored: Bool) throws {
    let png = try Fixture.bytes("Examples/overlays/glasses.png").borrowed { file throws(Status) in
      try TransparentPicture(ImageInput(.encoded(file)))
    }
    let overlay = adjusted(Overlay()) { $0.isMirrored = mirrored }
    try Self.compare(
      mirrored ? "glasses_mirrored" : "glasses",
      try Self.photo { (canvas, face) throws(Status) in
        var turned = face
        turned.pose = nil  // as of a detector alone
        turned.points?.leftEye.y += 12  // a tilted head
        try canvas.drawOverlay(png, overlay, on: turned)
      })
  }

  @Test(arguments: ["portrait", "portrait_with_margin", "aligned"]) func crops(name: String) throws {
    let png = try Fixture.photo("grace_hopper.jpg").borrowed { file throws(Status) in
      let picture = try UprightImage(ImageInput(.encoded(file)), willCrop: true)
      if name == "aligned", let points = Self.face.points {
        return try Canvas(on: try picture.aligned(points, AlignedCrop())).png()
      }
      let crop =
        name == "portrait"
        ? FaceCrop(size: PixelSize(width: 160, height: 160))
        : FaceCrop(size: PixelSize(width: 120, height: 160), margin: 0.3, headroom: 0.1)
      return try Canvas(on: try picture.portrait(of: Self.face.box, crop)).png()
    }
    try Self.compare(name, png)
  }
}
