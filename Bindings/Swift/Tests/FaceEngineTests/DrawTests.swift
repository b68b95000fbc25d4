import FaceEngine
import FaceEngineDraw
import Foundation
import Testing

@Suite struct DrawTests {
  private let photo = Image.file(Support.photo)

  /// How many pixels of the picture differ from the photo's.
  private func changed(_ draw: (inout Picture, Faces) throws -> Void) async throws -> Int {
    let faces = try await FaceEngine.load().faces(in: photo, [.landmarks, .pose, .transform])
    var picture = try Picture(photo)
    let before = try picture.pixels(.gray)
    try draw(&picture, faces)
    return try zip(before, picture.pixels(.gray)).count { $0 != $1 }
  }

  @Test func marksChangePixels() async throws {
    let boxes = try await changed { picture, faces in try picture.draw(faces) }
    #expect(boxes > 1000)
    let labelled = try await changed { picture, faces in
      try picture.draw(faces, labels: ["Grace"], style: DrawStyle(font: "@cairo:"))
    }
    #expect(labelled > boxes)
    let mesh = try await changed { picture, faces in try picture.draw(faces, style: DrawStyle(marks: .mesh)) }
    #expect(mesh > boxes)
    let none = try await changed { picture, faces in try picture.draw(faces, style: DrawStyle(marks: [])) }
    #expect(none == 0)
    let mask = try await changed { picture, _ in
      try picture.draw(Circle(x: 256, y: 256, radius: 100), hollow: true)
    }
    #expect(mask > 100_000)
    let text = try await changed { picture, _ in
      try picture.draw("Hello", at: Point(x: 50, y: 50), style: DrawStyle(textSize: 40, font: "@cairo:"))
    }
    #expect(text > 100)
    let overlay = Image.pixels(
      [UInt8](repeating: 255, count: 64 * 32 * 4), PixelLayout(.rgba, width: 64, height: 32))
    let worn = try await changed { picture, faces in try picture.draw(overlay: overlay, on: faces[0]) }
    #expect(worn > 1000)
    let pasted = try await changed { picture, _ in
      try picture.draw(overlay, in: Box(x: 0, y: 0, width: 100, height: 100))
    }
    #expect((9000...10_300).contains(pasted))
  }

  /// Nothing of the face's pixels remains where landmarks and an image are drawn over the cover.
  @Test func coversHideFaces() async throws {
    let blurred = try await changed { picture, faces in try picture.cover(faces) }
    #expect(blurred > 30_000)
    let marked = try await changed { picture, faces in
      try picture.draw(faces, style: DrawStyle(marks: .blur))
      let plain = try picture.pixels()
      var other = try Picture(photo)
      try other.cover(faces)
      #expect(try other.pixels() == plain)
      try other.draw(faces, style: DrawStyle(marks: [.pixelate, .landmarkLines]))
      #expect(try other.pixels() != plain)
    }
    #expect(marked == blurred)
    let black = DrawColour(rawValue: 0xff)
    var picture = try Picture(photo)
    let faces = try await FaceEngine.load().faces(in: photo)
    try picture.cover(faces, style: DrawStyle(marks: .pixelate, coverShape: .box, coverColour: black))
    let (pixels, box) = (try picture.pixels(.gray), faces[0].box)
    for y in Int(box.y)..<Int(box.y + box.height) {
      #expect(pixels[(y * picture.size.width + Int(box.x))...].prefix(Int(box.width)).allSatisfy { $0 == 0 })
    }
    let white = Image.pixels([UInt8](repeating: 255, count: 768), PixelLayout(.rgb, width: 16, height: 16))
    try picture.cover(faces, with: white)
    #expect(try picture.pixels(.gray)[(Int(box.y) + 9) * picture.size.width + Int(box.x) + 9] == 255)
  }

  @Test func cropsHaveTheirSizes() async throws {
    let faces = try await FaceEngine.load().faces(in: photo, .landmarks)
    let avatar = try Picture(portraitFrom: photo, of: faces, options: CropOptions(width: 120, height: 160))
    #expect(avatar.size == Size(width: 120, height: 160))
    let aligned = try Picture(alignedFrom: photo, of: faces[0])
    #expect(aligned.size == Size(width: 112, height: 112))
    await fails(with: .notFound) {
      let none = try await FaceEngine.load().faces(in: photo, options: DetectOptions(minFaceSize: 5000))
      _ = try Picture(portraitFrom: photo, of: none)
    }
  }

  @Test func picturesAreSaved() async throws {
    let path = try Support.folder() + "/drawn.png"
    var picture = try Picture(photo)
    try picture.draw(Circle(x: 256, y: 256, radius: 100))
    try picture.save(path)
    #expect(try Picture(.file(path)).pixels() == picture.pixels())
    #expect(throws: FaceError.self) { try Picture(.file(Support.photo)).save("/none/a.png") }
  }

  @Test func coloursHaveNames() throws {
    #expect(try DrawColour("orange") == DrawColour(rawValue: 0xffa5_00ff))
    #expect(throws: FaceError.self) { try DrawColour("no colour") }
    #expect(DrawColour(ofID: 1) != DrawColour(ofID: 2))
  }
}
