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
    try Clips.ffmpeg(
      ["-loop", "1", "-framerate", "25", "-i", Checkout.photo, "-vf", "hue=h=n", "-frames:v", "6"]
        + ["-pix_fmt", "yuv420p", path])
    return path
  }

  @Test(arguments: ["clip.mp4", "a clip: -é.MKV"])
  func framesOfAVideoFileAreSearched(name: String) throws {
    let command = try WatchCommandTests.watch(["--model", Checkout.model, try clip(name)])
    #expect(command.status == 0, "\(command.errors)")
    let frames = try command.json
    #expect(frames.map(\.timestamp) == (0..<6).map { $0 * 40_000_000 })
    #expect(frames.allSatisfy { $0.width == 512 && $0.faces?.map(\.id) == [1] })
  }

  /// Frames at uneven times, as phones, browsers and cameras write them; B-frames; a gap of a minute; a rate of
  /// 30000/1001. What is right is what ffprobe reads of the packets.
  @Test(arguments: [
    ("recorder.webm", "settb=1/1000,setpts='floor(N*33.3+21*random(1))'", ["-enc_time_base", "1/1000"]),
    (
      "burst.mov", "settb=1/90000,setpts='if(lt(N,30),N*1500,45000+(N-30)*45000)'",
      ["-enc_time_base", "1/90000", "-video_track_timescale", "90000"]
    ),
    (
      "gap.ts", "settb=1/90000,setpts='N*3600+if(gte(N,9),5400000,0)'",
      ["-enc_time_base", "1/90000", "-c:v", "libx264", "-bf", "3"]
    ),
    ("usual.mp4", "fps=30000/1001", ["-c:v", "libx264", "-bf", "3"]),
  ])
  func eachFrameIsSearchedOnceWithItsOwnTime(name: String, filter: String, options: [String]) throws {
    let path = folder.path(name)
    try Clips.ffmpeg(
      [
        "-loop", "1", "-framerate", "30", "-i", Checkout.photo, "-frames:v", "40", "-vf",
        "scale=160:188,\(filter)",
      ]
        + ["-fps_mode", "passthrough", "-pix_fmt", "yuv420p"] + options + [path])
    if name.hasSuffix("webm") { try forgetDuration(of: path) }
    let probe = try Command.run(
      "ffprobe",
      ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path])
    let times = probe.lines.compactMap { Double($0.prefix { $0 != "," }) }.sorted()
    try #require(times.count == 40)
    let command = try WatchCommandTests.watch(["--model", Checkout.model, path])
    let frames = try command.json
    #expect(command.status == 0 && frames.map(\.frame) == Array(1...40), "\(command.errors)")
    #expect(zip(frames, times).allSatisfy { abs(Double($0.timestamp ?? 0) / 1e9 - ($1 - times[0])) < 2e-6 })
    #expect(command.errors.contains("40 frames searched") && !command.errors.contains("nanosecond"))

    // A player that shows each frame of the constant rate for as long shows these at their times.
    let marked = try Command.run(
      "bash",
      [
        "-c",
        "$0 watch --model $1 --y4m $2 | ffprobe -v error -count_frames -show_entries stream=nb_read_frames,r_frame_rate -of csv=p=0 -",
      ]
        + [Checkout.engine, Checkout.model, path], environment: ["XDG_RUNTIME_DIR": folder.path])
    let numbers = marked.output.split { !$0.isNumber }.compactMap { Double($0) }
    try #require(numbers.count == 3, "\(marked)")
    let gap = name == "gap.ts" ? 50.04 : 0  // all but ten seconds of it are left out
    #expect(abs((numbers[2] - 1) * numbers[1] / numbers[0] - (times[39] - times[0] - gap)) < 0.2)
  }

  /// Removes the duration of all frames from a WebM file, which recorders of live pictures do not know.
  private func forgetDuration(of path: String) throws {
    var data = try Data(contentsOf: URL(filePath: path))
    let place = try #require(data.firstRange(of: Data([0x23, 0xE3, 0x83])))
    let length = 4 + Int(data[place.upperBound] & 0x7F)
    // An element that stands for nothing, of the same length.
    data[place.lowerBound] = 0xEC
    data[place.lowerBound + 1] = UInt8(0x80 | (length - 2))
    try data.write(to: URL(filePath: path))
  }

  /// A head has the same pose in pixels that are no squares; all coordinates are those of the frame.
  @Test func theShapeOfPixelsIsRespected() throws {
    func frame(_ name: String, _ options: [String] = []) throws -> Line {
      let command = try WatchCommandTests.watch(
        ["--model", Checkout.model, "--pose", folder.path(name)] + options)
      #expect(command.status == 0 && command.lines.count == 2, "\(name): \(command.errors)")
      return try #require(try command.json.last)
    }
    for (name, filter) in [("plain.mp4", "setsar=1"), ("film.mp4", "scale=288:600,setsar=16/9")] {
      try Clips.ffmpeg(
        [
          "-loop", "1", "-i", Checkout.photo, "-frames:v", "2", "-vf", filter, "-pix_fmt", "yuv420p",
          folder.path(name),
        ])
    }
    try Clips.ffmpeg(["-i", folder.path("film.mp4"), folder.path("film.y4m")])
    let plain = try frame("plain.mp4")
    for name in ["film.mp4", "film.y4m"] {
      let found = try frame(name)
      try #require(found.width == 288 && found.found.count == 1 && plain.found.count == 1)
      let (face, expected) = (found.found[0], plain.found[0])
      for angle in [\Line.Pose.yaw, \.pitch, \.roll] {
        let (one, other) = (
          try #require(face.pose)[keyPath: angle], try #require(expected.pose)[keyPath: angle]
        )
        #expect(abs(one - other) < 2, "\(name): \(angle)")
      }
      #expect(abs(face.box.x * 16 / 9 - expected.box.x) < 12)
      #expect(abs(face.box.width * 16 / 9 - expected.box.width) < 12)
      // Whoever knows better says so.
      #expect(try #require(try frame(name, ["--pixel-aspect", "1"]).found.first?.pose).yaw > 4)
    }
    let marked = try shell("$0 watch --model $1 --y4m $2 | head -1", folder.path("film.mp4"))
    #expect(marked.output.contains(" W288 H600 F25:1 Ip A16:9 "), "\(marked.output)")
    // A check has square pixels, since it shows its picture to people.
    let check = try shell("$0 watch --model $1 --check $2", folder.path("film.mp4"))
    #expect(check.status == 0 && check.lines.count > 2 && !check.output.contains("error"), "\(check)")
    let refused = try shell("$0 watch --model $1 --check $2", folder.path("film.y4m"))
    #expect(refused.status == 1 && refused.output.contains("scale=iw*sar:ih,setsar=1"), "\(refused)")
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
    ("kill -KILL $$", "ffmpeg was killed while it decoded"),
    ("kill -TERM $$", "ffmpeg was ended while it decoded"),
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
