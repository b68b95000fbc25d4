import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch --best`: which frame's picture of a face is saved, when, and where.
@Suite struct WatchBestTests {
  private static let (width, height) = (512, 600)

  /// Mean of the pixels up to `reach` to each side, first along the rows, then along the columns.
  private static func blurred(_ pixels: [UInt8], _ reach: Int) -> [UInt8] {
    func along(_ source: [UInt8], _ step: Int, _ length: Int, _ starts: [Int]) -> [UInt8] {
      var target = source
      for start in starts {
        for index in 0..<length {
          let near = max(0, index - reach)...min(length - 1, index + reach)
          let sum = near.reduce(0) { $0 + Int(source[start + $1 * step]) }
          target[start + index * step] = UInt8(sum / near.count)
        }
      }
      return target
    }
    let rows = along(pixels, 1, width, (0..<height).map { $0 * width })
    return along(rows, width, height, Array(0..<width))
  }

  /// A stream of the photo: each letter is a frame with it strongly (B) or slightly (b) blurred, sharp (S), or without
  /// anybody (.).
  private static func stream(_ script: String) throws -> Data {
    let one = try WatchCommandTests.grayStream(1)
    let sharp = [UInt8](one.suffix(width * height))
    let frames: [Character: [UInt8]] = [
      "S": sharp, "b": blurred(sharp, 2), "B": blurred(sharp, 5), ".": [UInt8](repeating: 90, count: sharp.count),
    ]
    var stream = Data(WatchCommandTests.header.utf8)
    for letter in script { stream += Data("FRAME\n".utf8) + (frames[letter] ?? []) }
    return stream
  }

  private static func watch(_ script: String, _ folder: TemporaryFolder, _ options: [String]) throws -> Command {
    let common = ["--best", folder.path, "--max-missed-frames", "1", "--detection-interval", "1"]
    return try WatchCommandTests.watch(common + options + ["-"], input: try stream(script)).succeeded()
  }

  /// The sharp frame is the third one, 80 ms after the first.
  @Test func sharpestFrameIsSavedWhenTheFaceLeaves() throws {
    let engine = try RunningEngine()
    var outputs: [[String]] = []
    for how in [["--model", Checkout.model], ["--through", engine.socket]] {
      let folder = try TemporaryFolder()
      let command = try Self.watch("BbSB...", folder, how + ["--best-size", "128"])
      let lines = try command.json
      let place = try #require(lines.firstIndex { $0.event == "best" })
      let best = lines[place]
      #expect(lines.count == 8 && lines[place - 1].left == [1])
      #expect(best.timestamp == 80_000_000 && best.hasLeft == true && best.face?.id == 1)
      #expect(best.face == lines[2].faces?.first && (best.score ?? 0) > 0.2)
      #expect(best.picture == folder.path("face1.jpg"))
      let pixels = folder.path("face1.ppm")
      try Command.run("djpeg", ["-outfile", pixels, folder.path("face1.jpg")]).succeeded()
      #expect(try Data(contentsOf: URL(filePath: pixels)).starts(with: Data("P6\n128 128\n".utf8)))
      outputs.append(command.lines.map { $0.replacingOccurrences(of: folder.path, with: "") })
    }
    #expect(outputs[0] == outputs[1])
  }

  /// A second run keeps the pictures of the first, since its ids begin at 1 again.
  @Test func facesInViewAreSavedWhenTheInputEnds() throws {
    let folder = try TemporaryFolder()
    for name in ["face1.jpg", "face1-2.jpg"] {
      let best = try Self.watch("bS", folder, ["--model", Checkout.model]).json.filter { $0.event == "best" }
      #expect(best.map(\.picture) == [folder.path(name)])
      #expect(best.map(\.hasLeft) == [false] && best.map(\.timestamp) == [40_000_000])
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.sorted() == ["face1-2.jpg", "face1.jpg"])
  }

  @Test(arguments: [
    (["--best", "/no/such/folder"], "existing folder"),
    (["--best", ".", "--best-size", "8"], "best_size"),
    (["--best", ".", "--best-margin", "5"], "best_margin"),
    (["--best", ".", "--check"], "--check"),
  ])
  func mistakesAreRefused(options: [String], word: String) throws {
    let command = try WatchCommandTests.watch(options + ["-"], input: Data())
    #expect(command.status == 2 && command.errors.contains(word), "\(command.errors)")
  }
}
