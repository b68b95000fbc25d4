import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct ImageDecoderTests {
  /// The sender closes the file properly after half the picture.
  @Test func aJPEGThatEndsEarlyWithItsEndMarkerIsRefused() throws {
    let file = try Fixture.image("quarters.jpg")
    let scan = try #require(JPEGBytes.firstSegment(0xDA, in: file))
    expectFailure(.invalidArgument) { try (file.prefix(scan + 20) + [0xFF, 0xD9]).decoded() }
  }

  /// The warning about stray bytes comes first and must not hide the one about missing data.
  @Test func aCutJPEGWithStrayBytesIsRefused() throws {
    var file = try Fixture.image("quarters.jpg")
    let table = try #require(JPEGBytes.firstSegment(0xDB, in: file))
    file.insert(contentsOf: [0, 0, 0, 0], at: table)
    let scan = try #require(JPEGBytes.firstSegment(0xDA, in: try Fixture.image("quarters.jpg"))) + 4
    expectFailure(.invalidArgument) { try Array(file.prefix(scan + 20)).decoded() }
  }

  @Test func aPNGWithADamagedByteIsRefused() throws {
    var file = try Fixture.image("rgb.png")
    file[file.count / 2] ^= 0x10
    expectFailure(.invalidArgument) { try file.decoded() }
  }

  /// Sizes of more pixels than there are data, beyond the limits, and without pixels.
  @Test(arguments: [
    (64, 64, StatusCode.invalidArgument), (16_385, 23, .outOfRange), (8192, 8193, .outOfRange),
    (100_000, 100_000, .outOfRange), (37, 15, .outOfRange), (0, 23, .invalidArgument),
    (0x8000_0000, 23, .invalidArgument),
  ])
  func aWrongSizeInAPNGIsRefused(width: UInt32, height: UInt32, code: StatusCode) throws {
    expectFailure(code) { try PNGBytes.withSize(width, height).decoded() }
  }

  @Test(arguments: [
    (48, 320, StatusCode.invalidArgument), (480, 32, .invalidArgument), (65_500, 65_500, .outOfRange),
    (15, 32, .outOfRange), (48, 0, .invalidArgument),
  ])
  func aWrongSizeInAJPEGIsRefused(width: Int, height: Int, code: StatusCode) throws {
    var file = try Fixture.image("quarters.jpg")
    let frame = try #require(JPEGBytes.firstSegment(0xC0, in: file))
    file.replaceSubrange(
      frame + 5..<frame + 9, with: [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) })
    expectFailure(code) { try file.decoded() }
  }

  @Test func otherFilesAreRefusedByTheirFirstBytes() {
    for file in [[], [0xFF], [0xFF, 0xD8], Array("GIF90a".utf8), [UInt8](repeating: 0, count: 4096)] {
      expectFailure(.invalidArgument) { try file.decoded() }
    }
    expectFailure("no bytes") { try [UInt8]().decoded() }
    expectFailure("does not begin like a JPEG") { try Array("GIF90a".utf8).decoded() }
  }
}
