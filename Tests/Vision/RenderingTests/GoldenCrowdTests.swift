import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

/// Sixty faces in one picture, compared as in `GoldenTests`.
@Suite struct GoldenCrowdTests {
  private static let size = PixelSize(width: 640, height: 420)

  /// The heads of both photos alternate, in rows that come nearer from the back to the front, each slightly
  /// displaced: which photo it is from, and the map from that photo.
  private static let people: [(isFirst: Bool, map: AffineMap)] = {
    var random: UInt64 = 1
    func next() -> Double {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(random >> 40) / Double(1 << 24) - 0.5
    }
    return (0..<60).map { number in
      let (row, column) = (number / 12, number % 12)
      let isFirst = (row + column).isMultiple(of: 2)
      let box = isFirst ? first : second
      let scale = (26 + 3 * Double(row) + 3 * next()) / Double(box.width)
      let x = 30 + (Double(column) + (row.isMultiple(of: 2) ? 0 : 0.3) + 0.2 * next()) * 52
      let y = 45 + 82 * Double(row) + 20 * next()
      return (
        isFirst,
        AffineMap(
          scaleX: scale, scaleY: scale, dx: x - scale * Double(box.center.x),
          dy: y - scale * Double(box.center.y))
      )
    }
  }()

  /// The faces of the photos.
  private static let (first, second) = (GoldenTests.face.box, Box(x: 176, y: 61, width: 92, height: 118))

  /// The visible part of a photo: the head around a face.
  private static func head(_ face: Box) -> Box {
    Box(
      x: face.x - 0.3 * face.width, y: face.y - 0.35 * face.height, width: 1.6 * face.width,
      height: 1.55 * face.height)
  }

  private static let faces = people.enumerated().map { number, person in
    var face = Face(
      box: person.map(person.isFirst ? first : second), confidence: 0.6 + 0.006 * Float((number * 17) % 60),
      points: nil)
    face.track = Track(id: UInt64(number + 1), frameCount: 3)
    return face
  }

  @Test func labelsOfSixtyFacesAreReadable() throws {
    var style = FaceStyle()
    style.marks = [.boxes, .ids]
    style.scalesToFaces = true
    style.coloursByID = true
    style.plates = true
    style.font = "@cairo:"
    let first = try head("grace_hopper.jpg", Self.first)
    let second = try head("astronaut.png", Self.second)
    let canvas = try Canvas(
      try Picture(Self.size.width, Self.size.height) { _, _ in RGB(60, 64, 72) }.bitmap())
    for person in Self.people {
      if person.isFirst {
        canvas.drawImage(first, in: person.map(Self.head(Self.first)))
      } else {
        canvas.drawImage(second, in: person.map(Self.head(Self.second)))
      }
    }
    canvas.draw(Self.faces, style: style)
    try GoldenTests.compare("crowd", try canvas.png())
  }

  private func head(_ photo: String, _ face: Box) throws -> TransparentPicture {
    let box = Self.head(face)
    return try Fixture.photo(photo).borrowed { file throws(Status) in
      let size = PixelSize(width: Int(box.width.rounded()), height: Int(box.height.rounded()))
      let bitmap = try UprightImage(ImageInput(.encoded(file)), willCrop: true)
        .crop(size, toImage: AffineMap(dx: Double(box.x), dy: Double(box.y)))
      return try TransparentPicture(ImageInput(.pixels(try bitmap.view)))
    }
  }
}
