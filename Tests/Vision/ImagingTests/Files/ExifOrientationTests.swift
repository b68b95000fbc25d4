import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct ExifOrientationTests {
  private func orientation(_ file: [UInt8]) throws(Status) -> Orientation? {
    try file.borrowed { file throws(Status) in try ImageDecoder.decode(file).orientation }
  }

  @Test func orientationIsReadFromPNG() throws {
    #expect(try orientation(try Fixture.image("exif_6.png")) == .right)
  }

  @Test(arguments: ["quarters.jpg", "rgb.png"])
  func fileWithoutExifHasNoOrientation(name: String) throws {
    #expect(try orientation(try Fixture.image(name)) == nil)
  }

  @Test(arguments: [UInt8(0), 9, 255])
  func unknownOrientationIsIgnored(value: UInt8) throws {
    #expect(try orientation(try jpeg(exif: exif(value))) == nil)
    #expect(try orientation(try jpeg(exif: exif(3))) == .down)
  }

  /// Comments and XMP (also an APP1) may precede EXIF.
  @Test func segmentsBeforeExifAreSkipped() throws {
    let comment = segment(0xFE, Array("made by hand".utf8))
    let xmp = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
    let profile = segment(0xE2, [UInt8](repeating: 7, count: 300))
    for before in [comment, xmp, profile, comment + xmp + profile] {
      #expect(try orientation(try jpeg(exif: before + exif(8))) == .left)
    }
  }

  @Test func damagedExifIsIgnored() throws {
    let whole = exif(6)
    for count in 10..<whole.count - 1 {
      let cut = segment(0xE1, Array(whole[4..<count]))
      let seen = try orientation(try jpeg(exif: cut))
      #expect(seen == nil || seen == .right, "cut to \(count)")
    }
  }

  @Test func aDamagedPNGChunkIsNothing() throws {
    for data in [[], [0x49], Array("MM\0*".utf8), [UInt8](repeating: 0xFF, count: 70_000)] {
      #expect(try orientation(try PNGBytes.inserting("eXIf", data, into: "rgb.png")) == nil)
    }
  }

  /// The file quarters.jpg with these segments first.
  private func jpeg(exif: [UInt8]) throws -> [UInt8] {
    var file = try Fixture.image("quarters.jpg")
    file.insert(contentsOf: exif, at: 2)
    return file
  }

  /// An APP1 segment with the orientation `value`. Source: TIFF 6.0, section 2.
  private func exif(_ value: UInt8) -> [UInt8] {
    let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0]
    return segment(0xE1, Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0])
  }

  private func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
    let length = data.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + data
  }
}
