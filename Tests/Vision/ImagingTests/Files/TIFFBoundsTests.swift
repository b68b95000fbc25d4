import FaceCore
import Imaging
import TestSupport
import Testing

/// What is decoded of a TIFF is in proportion to the picture and to the file.
@Suite struct TIFFBoundsTests {
  private func pixels(
    _ width: Int, _ height: Int, _ samples: (_ x: Int, _ y: Int) -> [UInt8]
  ) -> [UInt8] {
    (0..<width * height).flatMap { samples($0 % width, $0 / width) }
  }

  private func parts(_ colour: RGB) -> [UInt8] { [colour.red, colour.green, colour.blue] }

  @Test func aFourthSampleIsAlpha() throws {
    var file = TIFFBytes(
      37, 23, samples: 4,
      data: pixels(37, 23) { x, y in parts(PNGTests.rgb(x, y)) + [x < 20 ? 255 : 0] })
    file.setStrip(rows: 23)
    let expected = PNGTests.picture { x, y in x < 20 ? PNGTests.rgb(x, y) : RGB(255, 255, 255) }
    #expect(try file.bytes.decoded() == expected)
  }

  /// Tiles of 32², which reach beyond the picture.
  @Test func tilesAreDecoded() throws {
    let tile = 32 * 32 * 3
    let data = (0..<6).flatMap { index in
      pixels(32, 32) { x, y in parts(PNGTests.rgb(index % 3 * 32 + x, index / 3 * 32 + y)) }
    }
    var file = TIFFBytes(80, 50, data: data)
    file.set(.tileWidth, [32])
    file.set(.tileHeight, [32])
    file.set(.tileOffsets, (0..<6).map { TIFFBytes.start + $0 * tile })
    file.set(.tileSizes, Array(repeating: tile, count: 6))
    #expect(try file.bytes.decoded() == Picture(80, 50, PNGTests.rgb))
  }

  @Test func inksAreDecoded() throws {
    var file = TIFFBytes(
      20, 20, samples: 4, colours: .inks,
      data: pixels(20, 20) { x, _ in x < 10 ? [255, 0, 0, 0] : [0, 0, 0, 255] })
    file.setStrip(rows: 20)
    #expect(try file.bytes.decoded() == Picture(20, 20) { x, _ in x < 10 ? RGB(0, 255, 255) : RGB(0, 0, 0) })
  }

  @Test(arguments: [16, 17, 1000])
  func samplesAreBounded(count: Int) throws {
    var file = TIFFBytes(
      16, 16, samples: count,
      data: pixels(16, 16) { _, _ in [10, 20, 30, 255] + [UInt8](repeating: 9, count: count - 4) })
    file.setStrip(rows: 16)
    if count <= 16 {
      #expect(try file.bytes.decoded() == Picture(16, 16) { _, _ in RGB(10, 20, 30) })
    } else {
      expectFailure(.outOfRange, "more than 16 samples") { try file.bytes.decoded() }
    }
  }

  /// The picture is a column at the left of tiles that are all the same part of the file.
  @Test func tilesAreInProportionToThePicture() {
    var file = TIFFBytes(16, 16_000, data: [UInt8](repeating: 0, count: 16_384 * 16 * 3))
    file.set(.tileWidth, [16_384])
    file.set(.tileHeight, [16])
    file.set(.tileOffsets, Array(repeating: TIFFBytes.start, count: 1000))
    file.set(.tileSizes, Array(repeating: 16, count: 1000))
    expectFailure(.outOfRange, "far larger than the picture") { try file.bytes.decoded() }
  }

  @Test func stripsShareLittleOfTheirData() throws {
    var file = TIFFBytes(64, 1024, data: [UInt8](repeating: 7, count: 16_384))
    file.set(.rowsOfStrip, [1])
    file.set(.stripOffsets, Array(repeating: TIFFBytes.start, count: 1024))
    file.set(.stripSizes, Array(repeating: 64 * 3, count: 1024))
    _ = try file.bytes.decoded()
    file.set(.stripSizes, Array(repeating: 16_384, count: 1024))
    expectFailure(.outOfRange, "share their data") { try file.bytes.decoded() }
  }

  @Test func theDirectoryIsInProportionToTheFile() throws {
    var file = TIFFBytes(64, 64, data: [UInt8](repeating: 0, count: 64 * 64 * 3))
    file.setStrip(rows: 64)
    _ = try file.bytes.decoded()
    file.add(40_000, [1, 2, 3])
    var bytes = file.bytes
    let entry = try #require(bytes.indices.dropLast(4).first { bytes[$0..<$0 + 4] == [0x40, 0x9C, 4, 0] })
    bytes.replaceSubrange(entry + 4..<entry + 8, with: [0xFF, 0xFF, 0xFF, 0x3F])
    expectFailure(.outOfRange, "larger than the file") { try bytes.decoded() }
    for tag in 0..<1100 { file.add(41_000 + tag, [0]) }
    expectFailure("more than 1024 entries") { try file.bytes.decoded() }
  }
}
