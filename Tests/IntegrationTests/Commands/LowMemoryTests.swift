import FaceCore
import Foundation
import TestSupport
import Testing

/// With too little memory there is an answer or an error that says so. The limits of address space reach from
/// what the program itself needs to what every model needs.
@Suite(.needsRealModel, .needsAnalysisModels) struct LowMemoryTests {
  private func run(_ mebibytes: Int, _ arguments: [String]) throws -> Command {
    try Command.run(
      "/bin/sh",
      ["-c", "ulimit -c 0; ulimit -v \(mebibytes * 1024); exec \"$0\" \"$@\"", Checkout.engine] + arguments)
  }

  /// Models of 20 MB are loaded, some of them at the first call that needs them.
  @Test(arguments: [52, 60, 68, 76, 84, 92, 100, 116, 132])
  func modelsAreLoadedOrRefused(mebibytes: Int) throws {
    let command = try run(
      mebibytes,
      ["detect", "--accuracy", "high", "--landmarks", "--expressions", Checkout.photo])
    #expect([0, 1].contains(command.status), "\(command.errors)")
    if command.status == 1 { #expect(command.errors.contains("no memory"), "\(command.errors)") }
  }

  /// A picture of 5000×5000 pixels takes 100 MB, and more inside its decoder.
  @Test(arguments: [(72, "jpg"), (104, "jpg"), (136, "jpg"), (72, "png"), (168, "png")])
  func picturesAreDecodedOrRefused(mebibytes: Int, kind: String) throws {
    let folder = try TemporaryFolder()
    let picture = "\(folder.path)/large.\(kind)"
    try Clips.ffmpeg(["-f", "lavfi", "-i", "color=gray:size=5000x5000", "-frames:v", "1", picture])
    let command = try run(mebibytes, ["detect", "--max-side", "native", picture])
    #expect([0, 1].contains(command.status), "\(command.errors)")
    if command.status == 1 { #expect(command.errors.contains("no memory"), "\(command.errors)") }
  }
}
