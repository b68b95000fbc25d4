import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct NetworkInputTests {
  /// The upright pixels, at full size, of a file in Tests/Fixtures/images.
  private func upright(_ name: String, given: Orientation? = nil) throws -> Picture {
    try Fixture.image(name).borrowed { file throws(Status) in
      let image = ImageInput(.encoded(file), orientation: given)
      return Picture(try NetworkInput(image, maxSide: 0, multiple: 32).intoBitmap())
    }
  }

  /// Each file stores the same pixels with another orientation.
  @Test(arguments: Orientation.allCases)
  func aFileIsTurnedAsItsExifSays(orientation: Orientation) throws {
    let shown = try upright("exif_\(orientation.rawValue).jpg")
    #expect(shown.size == orientation.uprightSize(of: JPEGTests.size))
    #expect(
      shown.stored(orientation).distance(to: JPEGTests.picture) <= JPEGTests.tolerance, "\(orientation)")
  }

  @Test(arguments: Orientation.allCases)
  func aGivenOrientationWinsOverExif(given: Orientation) throws {
    let shown = try upright("exif_6.jpg", given: given)
    #expect(shown.stored(given).distance(to: JPEGTests.picture) <= JPEGTests.tolerance)
    let png = try upright("exif_6.png", given: given)
    #expect(png.stored(given) == PNGTests.picture(PNGTests.rgb))
  }

  /// The thinnest allowed image: its short side is scaled to one pixel and padded.
  @Test func thinImageIsAccepted() throws {
    let sliver = Picture(8192, 16) { _, _ in RGB(10, 20, 30) }
    let shown = try sliver.withView(.bgr) { view throws(Status) in
      let input = try NetworkInput(ImageInput(.pixels(view)), maxSide: 16, multiple: 32)
      #expect(input.letterbox.input == PixelSize(width: 32, height: 32))
      return Picture(try input.intoBitmap())
    }
    #expect(shown == Picture(16, 1) { _, _ in RGB(10, 20, 30) })
  }
}
