import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

@Suite struct PictureFormatTests {
  /// Four bands of colour, whose fourth bytes are nothing.
  private func canvas(_ size: PixelSize = PixelSize(width: 80, height: 60)) throws(Status) -> Canvas {
    let bitmap = try Bitmap(size: size)
    for index in bitmap.pixels.indices {
      bitmap.pixels[index] = UInt8(index / bitmap.stride * 4 / size.height * 60)
    }
    return try Canvas(on: bitmap)
  }

  @Test(arguments: [("a.png", 0), ("a.jpg", 3), ("b.c/A.JPEG", 3), ("a.webp", 6), ("a.WebP", 6)])
  func theNameSaysTheFormat(name: String, tolerance: Int) throws {
    let canvas = try canvas()
    let file = try canvas.file(try PictureFormat(ofFile: name))
    let starts: [String: [UInt8]] = ["p": [0x89, 0x50], "j": [0xFF, 0xD8], "w": Array("RIFF".utf8)]
    let letter = try #require(name.split(separator: ".").last?.lowercased().prefix(1))
    #expect(file.starts(with: try #require(starts[String(letter)])))
    let picture = try file.decoded()
    #expect(picture.size == canvas.size)
    for row in [7, 22, 37, 52] {
      let grey = UInt8(row * 4 / 60 * 60)
      #expect(picture[40, row].distance(to: RGB(grey, grey, grey)) <= tolerance)
    }
  }

  @Test(arguments: [
    "a.gif", "a", "png", "a.png/b", "a.jpg.bak", "a.tiff", "", ".", "/dev/shm/x.gif", "/dev/x.gif",
    "a.jp\u{EFEB}g",
  ])
  func otherNamesAreRefused(name: String) throws {
    let status = failure { () throws(Status) in _ = try PictureFormat(ofFile: name) }
    #expect(status?.code == .invalidArgument)
    #expect(status?.message.hasSuffix("saved as PNG, JPEG or WebP; name it .png, .jpg or .webp") == true)
  }

  @Test func aPictureTooLargeForWebPIsRefused() throws {
    let canvas = try canvas(PixelSize(width: 16384, height: 16))
    expectFailure(.outOfRange) { try canvas.file(.webP) }
    #expect(try !canvas.file(.jpeg).isEmpty)
  }
}
