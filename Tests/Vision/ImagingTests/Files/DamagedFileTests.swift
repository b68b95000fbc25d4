import FaceCore
import Imaging
import TestSupport
import Testing

/// Files of every kind, cut and changed: a picture or a status, never a crash or a read beyond the end.
@Suite struct DamagedFileTests {
  /// The kinds that this process decodes, and how many of the last bytes of each every pixel does without. JPEGs are
  /// cut in `JPEGTests`.
  static let files = [
    ("rgb.png", 16), ("rgb_interlaced.png", 16), ("palette.png", 16), ("rgb.webp", 16), ("rgba.webp", 16),
    ("quarters.webp", 16), ("rgb.bmp", 1), ("rgb_top_down.bmp", 1), ("rgb.tiff", .max), ("palette.gif", .max),
    ("animated.gif", .max), ("quarters.heic", .max), ("quarters.avif", .max),
  ]

  /// A cut may spare every pixel; otherwise it must be refused, never shown as gray.
  @Test(arguments: files) func everyCutIsRefusedOrGivesTheWholePicture(name: String, spared: Int) throws {
    let file = try Fixture.image(name)
    let whole = try file.decoded()
    for count in stride(from: 0, to: file.count, by: spared == .max ? 7 : 1) {
      do throws(Status) {
        #expect(try Array(file.prefix(count)).decoded() == whole, "cut to \(count) bytes")
        #expect(file.count - count <= spared, "cut to \(count) bytes")
      } catch {
        #expect(
          [.invalidArgument, .failedPrecondition].contains(error.code), "cut to \(count) bytes: \(error)")
      }
    }
    let half = Array(file.prefix(file.count / 2))
    #expect(failure { () throws(Status) in _ = try half.decoded() } != nil || name == "animated.gif")
  }

  @Test(
    arguments: files.map(\.0) + [
      "quarters_420.jpg", "quarters_cmyk.jpg", "quarters_ycck.jpg", "animated.webp", "animated.png",
    ]) func changedBytesNeverCrash(name: String) throws
  {
    let whole = try Fixture.image(name)
    var generator = SeededGenerator(seed: 51)
    for _ in 0..<400 {
      do throws(Status) {
        try generator.changed(whole).borrowed { bytes throws(Status) in
          let input = try NetworkInput(ImageInput(.encoded(bytes)), maxSide: 32, multiple: 32)
          #expect(input.pixels.size == input.letterbox.content)
        }
      } catch {
        #expect(
          [.invalidArgument, .outOfRange, .unimplemented, .failedPrecondition].contains(error.code),
          "\(error)")
      }
    }
  }
}
