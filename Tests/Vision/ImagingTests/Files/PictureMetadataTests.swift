import FaceCore
import Imaging
import TestSupport
import Testing

/// What files say about their pixels is read, and written to files that are made from them.
@Suite struct PictureMetadataTests {
  private typealias Resolution = PictureMetadata.Resolution

  private static let written: PictureMetadata = ICCProfile.rgb.withUnsafeBytes {
    PictureMetadata(profile: $0, Resolution(x: 200 / 0.0254, y: 100 / 0.0254))
  }

  private func metadata(_ file: [UInt8]) throws(Status) -> PictureMetadata {
    try file.borrowed { file throws(Status) in try ImageDecoder.metadata(of: file) }
  }

  private func expect(_ resolution: PictureMetadata.Resolution?, _ x: Double, _ y: Double) {
    #expect(abs((resolution?.x ?? 0) - x / 0.0254) < 1 && abs((resolution?.y ?? 0) - y / 0.0254) < 1)
  }

  @Test func theyAreWrittenAndRead() throws {
    let bitmap = try Picture.noise(21, 33, seed: 1).bitmap()
    for file in [
      try JPEGEncoder.encode(bitmap, quality: 90, Self.written), try PNGEncoder.encode(bitmap, Self.written),
    ] {
      let read = try metadata(file)
      #expect(read.profile == ICCProfile.rgb)
      expect(read.resolution, 200, 100)
    }
    #expect(try metadata(try PNGEncoder.encode(bitmap)) == PictureMetadata())
    #expect(try metadata(try JPEGEncoder.encode(bitmap, quality: 90)) == PictureMetadata())
  }

  /// An opaque WebP and one whose header is there already, for its transparency.
  @Test(arguments: [false, true])
  func aWebPHasItsProfileAndItsPixels(hasAlpha: Bool) throws {
    let bitmap = try Picture(34, 20) { _, _ in RGB(200, 100, 50) }.bitmap()
    for place in stride(from: 3, to: bitmap.pixels.count, by: 4) { bitmap.pixels[place] = hasAlpha ? 128 : 0 }
    let file = try WebPEncoder.encode(bitmap, quality: 90, hasAlpha: hasAlpha, Self.written)
    #expect(try metadata(file).profile == ICCProfile.rgb)
    let picture = try file.decoded()
    let expected = hasAlpha ? RGB(227, 177, 152) : RGB(200, 100, 50)
    #expect(picture.distance(to: Picture(34, 20) { _, _ in expected }) <= 4)
  }

  /// libpng rejects what is no profile; the pixels are saved all the same.
  @Test func aProfileThatMakesNoSenseIsLeftOut() throws {
    let bitmap = try Picture.noise(21, 33, seed: 1).bitmap()
    var profile = ICCProfile.rgb
    profile[131] = 99  // tags that are not there
    let file = try profile.borrowed { bytes throws(Status) in
      try PNGEncoder.encode(bitmap, PictureMetadata(profile: bytes, nil))
    }
    #expect(try metadata(file).profile.isEmpty)
    let decoded = try file.decoded()
    #expect(decoded == Picture(bitmap))
  }

  /// The pixels of inks and greys become red, green and blue, which such a profile does not describe.
  @Test(arguments: [("RGB ", true), ("CMYK", false), ("GRAY", false)])
  func onlyAProfileOfRGBIsKept(space: String, isKept: Bool) throws {
    let profile = ICCProfile.bytes(space)
    for name in ["quarters.jpg", "quarters_cmyk.jpg", "quarters_gray.jpg"] {
      let read = try metadata(ICCProfile.adding(profile, toJPEG: try Fixture.image(name)))
      #expect(read.profile == (isKept ? profile : []), "\(name)")
      expect(read.resolution, 200, 100)
    }
  }

  @Test func otherKindsAreRead() throws {
    // 300 and 150 pixels a centimetre: numbers and their denominators at the end of the file.
    var tiff = TIFFPage.file([TIFFPage(16, [282: 0, 283: 0, 296: 3])])
    for (tag, value) in [(0x1A, 300), (0x1B, 150)] {
      let entry = try #require(tiff.indices.dropLast(4).first { tiff[$0..<$0 + 4] == [UInt8(tag), 1, 4, 0] })
      tiff[entry + 2] = 5
      tiff.replaceSubrange(entry + 8..<entry + 12, with: PNGBytes.bigEndian(UInt32(tiff.count)).reversed())
      tiff += PNGBytes.bigEndian(UInt32(value)).reversed() + [1, 0, 0, 0]
    }
    #expect(try metadata(tiff).resolution == Resolution(x: 30_000, y: 15_000))
    for name in ["quarters.heic", "quarters.avif", "rgb.bmp", "palette.gif", "rgb.webp", "exif_6.jpg"] {
      #expect(try metadata(try Fixture.image(name)).profile.isEmpty, "\(name)")
    }
  }

  /// Widths and heights exchange their places when a picture is turned.
  @Test func aResolutionIsTurned() {
    #expect(Self.written.upright(.right).resolution == Resolution(x: 100 / 0.0254, y: 200 / 0.0254))
    #expect(Self.written.upright(.down) == Self.written)
    #expect(Resolution(x: .infinity, y: 1) == nil && Resolution(x: 0, y: 1) == nil)
  }
}
