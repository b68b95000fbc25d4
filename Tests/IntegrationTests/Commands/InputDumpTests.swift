import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// `face-engine detect --dump-input` saves what the network sees, pixel for pixel.
@Suite struct InputDumpTests {
  private let folder: TemporaryFolder
  private let dump: String

  init() throws {
    folder = try TemporaryFolder()
    dump = folder.path("input.png")
  }

  private func save(_ arguments: [String]) throws -> Command {
    try Command.faceEngine(["detect", "--model", Checkout.model, "--dump-input", dump] + arguments)
  }

  /// Blue, green and red of every pixel.
  private struct Colours: Equatable {
    let size: PixelSize
    let bytes: [UInt8]

    init(_ bitmap: borrowing Bitmap) {
      size = bitmap.size
      let pixels = Array(bitmap.pixels)
      bytes = pixels.indices.filter { $0 % Bitmap.bytesPerPixel < 3 }.map { pixels[$0] }
    }

    init(file: String) throws {
      self = try Data(contentsOf: URL(filePath: file)).withUnsafeBytes { file throws(Status) in
        Colours(try ImageDecoder.decode(file).bitmap)
      }
    }
  }

  /// The network takes 320×224: raw pixels are saved unchanged, and so are those of the PNG made of them.
  @Test func aPictureOfTheNetworksSizeComesOutAsItIs() throws {
    let size = PixelSize(width: 320, height: 224)
    let bytes = (0..<size.width * size.height).flatMap { index -> [UInt8] in
      let (x, y) = (index % size.width, index / size.width)
      return [UInt8(x * 7 % 256), UInt8(y), UInt8((x * y + 3 * x) % 256)]
    }
    let raw = folder.path("pixels.raw")
    try Data(bytes).write(to: URL(filePath: raw))
    #expect(try save(["--raw", "bgr:320x224", raw]).status == 0)
    let first = try Colours(file: dump)
    #expect(first.size == size && first.bytes == bytes)
    let picture = folder.path("picture.png")
    try FileManager.default.moveItem(atPath: dump, toPath: picture)
    #expect(try save([picture]).status == 0)
    #expect(try Colours(file: dump) == first)
  }

  /// Scaled and padded: 512×600 pixels at a long side of 320 are 273×320, and 288 is divisible by 32.
  @Test(arguments: [
    (["--max-side", "320"], 320, 288, 320), ([], 1024, 512, 608), (["--accuracy", "low"], 448, 384, 448),
    (["--accuracy", "high"], 0, 512, 608),
  ])
  func aScaledPictureIsTheNetworksInput(arguments: [String], maxSide: Int, width: Int, height: Int) throws {
    #expect(try save(arguments + [Checkout.photo]).status == 0)
    let input = try Data(contentsOf: URL(filePath: Checkout.photo)).withUnsafeBytes { file throws(Status) in
      Colours(try NetworkInput(ImageInput(.encoded(file)), maxSide: maxSide, multiple: 32).padded())
    }
    #expect(input.size == PixelSize(width: width, height: height))
    #expect(try Colours(file: dump) == input)
  }

  @Test func dumpInputRequiresOneImageAndNoSocket() throws {
    let elsewhere = try save(["--socket", folder.path("none"), Checkout.photo])
    #expect(elsewhere.status == 2 && elsewhere.errors.contains("--socket"))
    #expect(try save([Checkout.photo, Checkout.otherPhoto]).status == 2)
  }
}
