import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

/// Files that are made from files: transparency, profile and resolution stay.
@Suite struct PictureCopyTests {
  private func canvas(_ file: [UInt8], _ orientation: Orientation? = nil) throws(Status) -> Canvas {
    try file.borrowed { bytes throws(Status) in
      var image = ImageInput(.encoded(bytes))
      image.orientation = orientation
      return try Canvas(on: try PictureCopy(of: image))
    }
  }

  /// Colours multiplied by alpha, then alpha.
  private func pixels(_ file: [UInt8]) throws(Status) -> [UInt8] {
    try file.borrowed { bytes throws(Status) in
      try TransparentPicture(ImageInput(.encoded(bytes))).bitmap.bytes()
    }
  }

  @Test(arguments: ["rgba.png", "rgba.webp", "palette.png", "rgb.png", "rgb.webp"])
  func aCopyHasTheTransparencyOfItsFile(name: String) throws {
    let file = try Fixture.image(name)
    let canvas = try canvas(file)
    #expect(canvas.isTransparent == name.hasPrefix("rgba"))
    let (before, after) = (try pixels(file), try pixels(try canvas.file(.png)))
    #expect(before.count == after.count)
    for (place, (old, new)) in zip(before, after).enumerated() {
      #expect(abs(Int(old) - Int(new)) <= (place % 4 == 3 ? 0 : 1), "byte \(place)")
    }
    let webP = try pixels(try canvas.file(.webP))
    #expect(stride(from: 3, to: before.count, by: 4).allSatisfy { webP[$0] == before[$0] })
  }

  /// A mark is opaque where it is drawn. JPEGs, and the pixels that programs see, have a white background.
  @Test func marksAreDrawnOnTransparency() throws {
    let canvas = try canvas(try Fixture.image("rgba.png"))
    canvas.fillRectangle(Box(x: 14, y: 2, width: 10, height: 10), colour: Colour(red: 1, green: 0, blue: 0))
    let png = try pixels(try canvas.file(.png))
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(png[4 * (37 * y + x)..<4 * (37 * y + x) + 4]) }
    #expect(pixel(18, 6) == [0, 0, 255, 255] && pixel(18, 18) == [0, 0, 0, 0])
    let shown = try canvas.withBitmap { (bitmap) throws(Status) in Picture(bitmap) }
    #expect(shown[18, 6] == RGB(255, 0, 0) && shown[18, 18] == RGB(255, 255, 255))
    let jpeg = try canvas.file(.jpeg).decoded()
    #expect(jpeg[18, 20].distance(to: RGB(255, 255, 255)) <= 3)
  }

  @Test(arguments: [PictureFormat.png, .jpeg, .webP])
  func theProfileAndTheResolutionStay(format: PictureFormat) throws {
    let file = ICCProfile.adding(ICCProfile.rgb, toJPEG: try Fixture.image("quarters.jpg"))
    for (orientation, x) in [(Orientation.up, 200.0), (.right, 100)] {
      let read = try canvas(file, orientation).file(format).borrowed { file throws(Status) in
        try ImageDecoder.metadata(of: file)
      }
      #expect(read.profile == ICCProfile.rgb)
      #expect(format == .webP || abs((read.resolution?.x ?? 0) - x / 0.0254) < 1)
    }
  }

  /// Otherwise a gamma that the file also states would be applied twice: once here, and once by its profile.
  @Test func pixelsWithAProfileStayAsTheyAre() throws {
    let bitmap = try Picture.noise(20, 20, seed: 5).bitmap()
    let profile = ICCProfile.rgb.withUnsafeBytes { PictureMetadata(profile: $0, nil) }
    var file = try PNGEncoder.encode(bitmap, profile)
    // The chunk gAMA, of 0.55556 (gamma 1.8), after the header.
    let chunk: [UInt8] = [0, 0, 0, 4] + Array("gAMA".utf8) + [0, 0, 0xD9, 4] + [0xDC, 0xB2, 0xDA, 0x02]
    file.insert(contentsOf: chunk, at: 33)
    let copy = try canvas(file).withBitmap { (bitmap) throws(Status) in Picture(bitmap) }
    #expect(copy == Picture(bitmap))
  }
}
