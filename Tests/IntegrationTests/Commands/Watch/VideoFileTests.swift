import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch` of a video file, which ffmpeg decodes.
@Suite struct VideoFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip of six frames of the photo, in changing colours.
  private func clip(_ name: String) throws -> String {
    let path = folder.path(name)
    let command = try Command.run(
      "ffmpeg",
      [
        "-v", "error", "-loop", "1", "-framerate", "25", "-i", Checkout.photo, "-vf", "hue=h=n", "-frames:v",
        "6",
        "-pix_fmt", "yuv420p", path,
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

  /// A video is known by its bytes, also under another name.
  @Test(arguments: ["mjpeg", "h264", "asf", "mxf", "vob", "nut", "flv", "ts", "apng", "gif", "avi"])
  func videosAreKnownByTheirContents(format: String) throws {
    let path = try clip("clip.\(format)")
    for name in ["clip.\(format)", "recording"] {
      if !FileManager.default.fileExists(atPath: folder.path(name)) {
        try FileManager.default.copyItem(atPath: path, toPath: folder.path(name))
      }
      let command = try WatchCommandTests.watch(["--model", Checkout.model, folder.path(name)])
      #expect(command.status == 0, "\(name): \(command.errors)")
      #expect(command.lines.count == 6, "\(name)")
    }
  }

  /// From a pipe, which ffmpeg reads through the command, and from a file, in which it can seek.
  @Test(arguments: ["mp4", "mjpeg", "ts", "mkv", "y4m"])
  func videoIsReadFromStandardInput(format: String) throws {
    let path = try clip("clip.\(format)")
    for line in ["cat $2 | $0 watch --model $1 -", "$0 watch --model $1 - <$2"] {
      let command = try shell(line, path)
      #expect(command.status == 0 && command.lines.count == 6, "\(line): \(command.errors)")
    }
  }

  @Test func aPictureOnStandardInputIsOneFrame() throws {
    let command = try shell("cat $2 | $0 watch --model $1 -", Checkout.photo)
    #expect(command.status == 0 && command.lines.count == 1, "\(command.errors)")
  }

  private func shell(_ line: String, _ path: String) throws -> Command {
    try Command.run(
      "bash", ["-c", line, Checkout.engine, Checkout.model, path],
      environment: ["XDG_RUNTIME_DIR": folder.path])
  }

  /// A camera's photo has a preview of another size behind it, or other views, which a marker announces.
  @Test func photosWithMorePicturesBehindThemArePhotos() throws {
    let photo = try Data(contentsOf: URL(filePath: Checkout.photo))
    let preview = try Data(contentsOf: URL(filePath: "Tests/Fixtures/images/quarters.jpg".fromCheckout))
    let views = photo.prefix(2) + [0xFF, 0xE2, 0, 6] + Data("MPF\0".utf8) + photo.dropFirst(2)
    for (name, file) in [
      ("preview", photo + preview), ("views", views + photo), ("trailer", photo + Data("SEFT".utf8) + photo),
    ] {
      let path = try folder.write(name, file)
      let command = try WatchCommandTests.watch(["--model", Checkout.model, path])
      #expect(command.status == 0 && command.lines.count == 1, "\(name): \(command.errors)")
    }
  }

  @Test func aVideoAmongPicturesIsAFailure() throws {
    let path = try clip("clip.mjpeg")
    let command = try WatchCommandTests.watch(["--model", Checkout.model, Checkout.photo, path])
    #expect(command.status == 1 && command.lines.count == 2)
    #expect(command.lines[1].contains("a video of JPEG pictures; give it as the only input"))
  }

  @Test func aStreamThatIsNoVideoIsAFailure() throws {
    let noise = try folder.write(
      "noise", Data((0..<4000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }))
    let command = try shell("cat $2 | $0 watch --model $1 -", noise)
    #expect(command.status == 1 && command.errors.contains("ffmpeg could not decode standard input"))
  }

  @Test func undecodableVideoIsAFailure() throws {
    let broken = try folder.write("broken.mp4", Data("no video".utf8))
    let command = try WatchCommandTests.watch(["--model", Checkout.model, broken])
    #expect(command.status == 1 && command.errors.contains("ffmpeg could not decode \(broken)"))
    let missing = try WatchCommandTests.watch(["--model", Checkout.model, folder.path("none.mp4")])
    #expect(missing.status == 1 && missing.errors.contains("none.mp4: open failed: No such file"))
  }

  /// The end of ffmpeg, and what is said of it.
  @Test(arguments: [
    ("kill -KILL $$", "ffmpeg was killed while it decoded"), ("kill -TERM $$", "ffmpeg was ended while it decoded"),
    ("exit 255", "ffmpeg was ended while it decoded"), ("kill -SEGV $$", "ffmpeg could not decode"),
  ])
  func onlyAFailureOfFfmpegItselfIsTheVideosFault(_ line: String, _ said: String) throws {
    let program = try folder.write("ffmpeg", Array("#!/bin/sh\n\(line)\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let command = try Command.run(
      Checkout.engine, ["watch", "--model", Checkout.model, try folder.write("video.mp4", [0])],
      environment: ["XDG_RUNTIME_DIR": folder.path, "PATH": folder.path])
    #expect(command.status == 1 && command.errors.contains(said), "\(command.errors)")
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
