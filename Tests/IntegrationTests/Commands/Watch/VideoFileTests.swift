import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch` of a video file, which ffmpeg decodes.
@Suite struct VideoFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip of six frames of the photo.
  private func clip(_ name: String) throws -> String {
    let path = folder.path(name)
    let command = try Command.run(
      "ffmpeg",
      [
        "-v", "error", "-loop", "1", "-framerate", "25", "-i", Checkout.photo, "-frames:v", "6", "-pix_fmt",
        "yuv420p", path,
      ])
    try #require(command.status == 0, "\(command.errors)")
    return path
  }

  @Test(arguments: ["clip.mp4", "a clip: -é.MKV"])
  func framesOfAVideoFileAreSearched(name: String) throws {
    let command = try WatchCommandTests.watch(["--model", Checkout.model, try clip(name)])
    #expect(command.status == 0, "\(command.errors)")
    let frames = try WatchCommandTests.frames(command.lines)
    #expect(frames.map(\.timestamp) == (0..<6).map { $0 * 40_000_000 })
    #expect(frames.allSatisfy { $0.width == 512 && $0.faces?.map(\.id) == [1] })
  }

  @Test func undecodableVideoIsAFailure() throws {
    let broken = try folder.write("broken.mp4", Data("no video".utf8))
    let command = try WatchCommandTests.watch(["--model", Checkout.model, broken])
    #expect(command.status == 1 && command.errors.contains("ffmpeg could not decode \(broken)"))
    let missing = try WatchCommandTests.watch(["--model", Checkout.model, folder.path("none.mp4")])
    #expect(missing.status == 1 && missing.errors.contains("none.mp4: open failed: No such file"))
  }

  /// The message says what to install, and the command for a machine that has it.
  @Test func missingFfmpegIsReportedWithAnEquivalentCommand() throws {
    let path = try clip("clip.mp4")
    let command = try Command.run(
      Checkout.engine, ["watch", "--model", Checkout.model, path],
      environment: ["XDG_RUNTIME_DIR": folder.path, "PATH": folder.path("nothing")])
    #expect(command.status == 1)
    #expect(command.errors.contains("install the Debian package ffmpeg"))
    #expect(
      command.errors.contains("ffmpeg -i \(path) -pix_fmt yuv420p -f yuv4mpegpipe - | face-engine watch -"))
  }
}
