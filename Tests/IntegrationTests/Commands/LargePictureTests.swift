import Foundation
import TestSupport
import Testing

/// Panoramas and pictures of large sensors, in this process and at an engine.
@Suite struct LargePictureTests {
  private let folder: TemporaryFolder
  private let engine: RunningEngine

  init() throws {
    folder = try TemporaryFolder()
    engine = try RunningEngine()
  }

  /// A grayscale picture with the photo at one place.
  private func picture(_ size: String, _ name: String, at place: String) throws -> String {
    let path = folder.path(name)
    let inputs = ["-f", "lavfi", "-i", "color=gray:s=\(size)", "-i", Checkout.photo]
    try Clips.ffmpeg(inputs + ["-filter_complex", "[0][1]overlay=\(place)", "-frames:v", "1", path])
    return path
  }

  private func answers(_ arguments: [String]) throws -> [Line] {
    try [["--model", Checkout.model], ["--socket", engine.socket]].map { source in
      let command = try Command.faceEngine(["detect", "--json"] + source + arguments).succeeded()
      return try #require(try command.json.first)
    }
  }

  @Test(arguments: ["panorama.jpg", "panorama.png"])
  func aPanoramaIsSearched(name: String) throws {
    let panorama = try picture("10000x3000", name, at: "9000:1500")
    let found = try answers([panorama, "--region", "8900,1400,1000,1000"])
    for answer in found {
      #expect(answer.width == 10_000 && answer.height == 3000)
      let face = try #require(answer.found.first)
      #expect(abs(face.box.x - 9183) < 15 && abs(face.box.y - 1619) < 15)
    }
    #expect(found[0].found == found[1].found)
  }

  /// The picture has more pixels than are held in whole: it is decoded at half of its size, and the face is
  /// found in its place. In another format it is refused, and so is the whole picture.
  @Test func aJPEGOfTheLargestSidesIsSearchedAtHalfItsSize() throws {
    let large = try picture("16384x4112", "large.jpg", at: "15000:3000")
    for answer in try answers([large, "--region", "14900,2900,900,900", "--max-side", "native"]) {
      #expect(answer.width == 16_384 && answer.height == 4112)
      let face = try #require(answer.found.first)
      #expect(abs(face.box.x - 15_183) < 20 && abs(face.box.y - 3119) < 20)
      #expect(abs(face.box.width - 171) < 30)
    }
    let drawn = try Command.faceEngine(
      ["draw", large, "--model", Checkout.model, "-o", folder.path("drawn.png")])
    #expect(drawn.status == 1 && drawn.errors.contains("67108864"))
    try Command.faceEngine(
      [
        "crop", large, "--region", "14900,2900,900,900", "--margin", "0.3", "--model", Checkout.model, "-o",
        folder.path("crop.png"),
      ]).succeeded()
    let again = try Command.faceEngine(["detect", "--model", Checkout.model, folder.path("crop.png")])
    #expect(again.output.contains("1 face"))
  }
}
