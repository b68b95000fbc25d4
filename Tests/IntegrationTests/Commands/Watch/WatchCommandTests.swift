import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch` as its user runs it: streams piped in, folders, signals, readers that go away.
@Suite struct WatchCommandTests {
  static let header = "YUV4MPEG2 W512 H600 F25:1 Cmono\n"

  /// The photo as frames of a Y4M stream: gray, so that a test makes them without any tool.
  static func grayStream(_ count: Int) throws -> Data {
    let folder = try TemporaryFolder()
    let path = folder.path("photo.pgm")
    try #require(try Command.run("djpeg", ["-grayscale", "-outfile", path, Checkout.photo]).status == 0)
    let pixels = try Data(contentsOf: URL(filePath: path)).suffix(512 * 600)
    var stream = Data(header.utf8)
    for _ in 0..<count { stream += Data("FRAME\n".utf8) + pixels }
    return stream
  }

  static func watch(_ arguments: [String], input: Data? = nil) throws -> Command {
    let folder = try TemporaryFolder()
    return try Command.run(
      Checkout.engine, ["watch", "--min-hits", "1"] + arguments,
      environment: ["XDG_RUNTIME_DIR": folder.path],
      input: input)
  }

  /// The error has GStreamer's command, quoted for a shell.
  @Test(arguments: [
    ("rtsp://camera.lan/1?a=1&b=2", "rtspsrc location='rtsp://camera.lan/1?a=1&b=2' ! decodebin"),
    ("https://site.lan/it's.m3u8", "uridecodebin uri='https://site.lan/it'\\''s.m3u8'"),
  ])
  func networkStreamsAreGStreamers(address: String, line: String) throws {
    let command = try Self.watch([address])
    #expect(command.status == 2, "\(command.errors)")
    let whole = "gst-launch-1.0 --messages \(line) ! videoconvert ! faceengine ! fakesink"
    #expect(command.errors.contains(whole), "\(command.errors)")
  }

  @Test func everyFrameOfAStreamIsAnswered() throws {
    let command = try Self.watch(["--model", Checkout.model, "-"], input: try Self.grayStream(5)).succeeded()
    let frames = try command.json
    #expect(frames.map(\.frame) == [1, 2, 3, 4, 5])
    #expect(frames.map(\.timestamp) == [0, 40_000_000, 80_000_000, 120_000_000, 160_000_000])
    #expect(frames.allSatisfy { $0.dropped == 0 && $0.width == 512 && $0.height == 600 && $0.image == nil })
    // One person is followed.
    #expect(frames.allSatisfy { $0.faces?.map(\.id) == [1] })
    #expect(command.errors.contains("5 frames searched") && command.errors.contains("0 dropped, 0 failed"))
  }

  @Test func rawPixelsAreTheSameFrames() throws {
    let stream = try Self.grayStream(3)
    var raw = Data()
    for index in 0..<3 {
      let start = Self.header.utf8.count + index * (6 + 512 * 600) + 6
      raw += stream[start..<start + 512 * 600]
    }
    let options = ["--model", Checkout.model, "--pose"]
    let y4m = try Self.watch(options + ["-"], input: stream)
    let pixels = try Self.watch(
      options + ["--raw", "gray:512x600", "--fps", "25", "-"], input: raw)
    #expect(y4m.status == 0 && pixels.status == 0, "\(pixels.errors)")
    #expect(y4m.output == pixels.output && y4m.lines.count == 3)
    #expect(y4m.output.contains("\"pose\""))
    let folder = try TemporaryFolder()
    try raw.write(to: URL(filePath: folder.path("pixels")))
    try stream.write(to: URL(filePath: folder.path("stream")))
    let file = try Self.watch(
      options + ["--raw", "gray:512x600", "--fps", "25", folder.path("pixels")])
    #expect(file.output == y4m.output)
    #expect(try Self.watch(options + [folder.path("stream")]).output == y4m.output)
  }

  @Test func aFolderIsWatchedInOrder() throws {
    let folder = try TemporaryFolder()
    for name in ["b.jpg", "a.jpg"] {
      try FileManager.default.copyItem(atPath: Checkout.photo, toPath: folder.path(name))
    }
    try FileManager.default.copyItem(atPath: Checkout.otherPhoto, toPath: folder.path("c.png"))
    try folder.write("d.png", "no picture".utf8)
    let command = try Self.watch(["--model", Checkout.model, folder.path])
    #expect(command.status == 1)
    let frames = try command.json
    #expect(frames.map(\.image) == ["a.jpg", "b.jpg", "c.png", "d.png"].map { folder.path($0) })
    #expect(frames.prefix(2).map { $0.faces?.map(\.id) } == [[1], [1]])
    #expect(
      frames[3].faces == nil && frames[3].error?.message.isEmpty == false
        && frames[3].error?.code == "INVALID_ARGUMENT")
    #expect(command.errors.contains("3 frames searched") && command.errors.contains("1 failed"))
  }

  /// One program searches in process, one sends its frames to an engine: the results have the same bits.
  @Test func framesThroughASocketGiveTheSameResults() throws {
    let engine = try RunningEngine()
    let stream = try Self.grayStream(4)
    let options = ["--all"]
    let here = try Self.watch(["--model", Checkout.model] + options + ["-"], input: stream)
    let there = try Self.watch(["--through", engine.socket] + options + ["-"], input: stream)
    #expect(here.status == 0 && there.status == 0, "\(there.errors)")
    #expect(here.output == there.output)
    #expect(here.lines.count == 4)
  }

  @Test func annotatedOutputIsAValidStream() throws {
    let folder = try TemporaryFolder()
    try Self.grayStream(3).write(to: URL(filePath: folder.path("gray.y4m")))
    try Command.run(
      "bash",
      ["-c", "'\(Checkout.engine)' watch --model '\(Checkout.model)' --y4m gray.y4m > marked.y4m"],
      in: folder.path
    ).succeeded()
    let marked = try Data(contentsOf: URL(filePath: folder.path("marked.y4m")))
    let end = try #require(marked.firstIndex(of: 0x0A))
    let header = String(decoding: marked[..<end], as: UTF8.self)
    #expect(header.hasPrefix("YUV4MPEG2 W512 H600 F25:1 ") && header.contains(" C420jpeg "))
    #expect(marked.count == header.utf8.count + 1 + 3 * (6 + 512 * 600 * 3 / 2))
    // The stream is watched again: it has a box around the face, and the face. Green is far from gray.
    let again = try Self.watch(["--model", Checkout.model, "-"], input: marked)
    #expect(try again.json.map { $0.faces?.count } == [1, 1, 1])
    let chroma = marked[(end + 1 + 6 + 512 * 600)...].prefix(512 * 600 / 2)
    #expect(chroma.count { $0 < 100 } > 500)
  }

  /// B3: faces are covered while they are seen, and for a while after they are lost.
  @Test func coveredFacesStayCovered() throws {
    let folder = try TemporaryFolder()
    let size = 512 * 600
    // Noise in the middle of a face hides it from the detector.
    var stream = try Self.grayStream(12)
    var generator = SeededGenerator(seed: 1)
    for frame in 3..<12 {
      let start = Self.header.utf8.count + frame * (6 + size) + 6
      for y in 120..<340 {
        for x in 170..<360 { stream[start + y * 512 + x] = UInt8.random(in: 16...235, using: &generator) }
      }
    }
    try stream.write(to: URL(filePath: folder.path("gray.y4m")))
    let line = "'\(Checkout.engine)' watch --model '\(Checkout.model)' --min-hits 1 --y4m"
    func lumas(_ options: String) throws -> [Data] {
      try Command.run("bash", ["-c", "\(line) \(options) gray.y4m > out.y4m"], in: folder.path).succeeded()
      let out = try Data(contentsOf: URL(filePath: folder.path("out.y4m")))
      let start = try #require(out.firstIndex(of: 0x0A)) + 1
      return (0..<12).map { frame in
        let first = start + frame * (6 + size * 3 / 2) + 6
        return Data(out[first..<first + size])
      }
    }
    /// How uneven the middle of the face is: neighbouring pixels of a blurred one are alike.
    func steps(_ luma: Data) -> Int {
      (180..<280).reduce(0) { sum, y in
        (220..<310).reduce(sum) { max($0, abs(Int(luma[y * 512 + $1]) - Int(luma[y * 512 + $1 + 1]))) }
      }
    }
    // At 25 frames a second, 0.2 s are five frames after the last one with the face.
    let held = try lumas("--blur --cover-hold 0.2").map { steps($0) <= 12 }
    #expect(held == (0..<12).map { $0 < 8 })
    #expect(try lumas("--pixelate --cover-hold 0").map { steps($0) <= 100 } == (0..<12).map { $0 < 3 })
    let refused = try Self.watch(["--blur", "gray.y4m"])
    #expect(refused.status == 2 && refused.errors.contains("--y4m"), "\(refused.errors)")
  }

  // MARK: Ends

  @Test(arguments: [SIGINT, SIGTERM])
  func signalEndsWatchCleanly(signal: Int32) throws {
    let watch = try RunningWatch(["--model", Checkout.model, "-"])
    try watch.write(try Self.grayStream(2))
    #expect(try watch.line()?.contains("\"frame\": 1") == true)
    #expect(try watch.line()?.contains("\"frame\": 2") == true)
    // Watch now waits for input that does not come.
    watch.signal(signal)
    #expect(try watch.line() == nil)
    #expect(watch.wait() == 0)
    #expect(watch.errors.contains("2 frames searched"))
  }

  @Test func readerThatGoesAwayEndsWatch() throws {
    let watch = try RunningWatch(["--model", Checkout.model, "-"])
    let stream = try Self.grayStream(1)
    try watch.write(stream)
    _ = try watch.line()
    try watch.closeOutput()
    // Watch notices with the next result.
    try watch.write(stream.dropFirst(Self.header.utf8.count))
    #expect(watch.wait() == 0)
    #expect(watch.errors.contains("frames searched"))
  }

  @Test func stalledReaderDoesNotKeepWatchFromEnding() throws {
    // Annotated frames fill every pipe at once.
    let watch = try RunningWatch(["--model", Checkout.model, "--y4m", "-"])
    try watch.write(try Self.grayStream(1))
    _ = try watch.line()  // its header: the rest stays in the pipe
    try watch.waitUntilOutputIsFull()
    watch.signal(SIGTERM)
    #expect(watch.wait() == 1)
    #expect(watch.errors.contains("before all frames were searched"))
  }

  @Test func truncatedStreamIsAFailure() throws {
    let command = try Self.watch(
      ["--model", Checkout.model, "-"], input: try Self.grayStream(3).dropLast(1000))
    #expect(command.status == 1)
    #expect(command.lines.count == 2)
    #expect(command.errors.contains("frame 3"))
  }

  @Test(arguments: ["no stream at all\n", ""])
  func inputThatIsNoStreamIsReported(text: String) throws {
    let command = try Self.watch(["--model", Checkout.model, "-"], input: Data(text.utf8))
    #expect(command.status == 1 && command.output.isEmpty)
    #expect(command.errors.contains("stream"))
  }

  // MARK: Usage

  @Test func anInputThatIsNotThereIsNamed() throws {
    for path in ["/no/such/file", "/dev/video99"] {
      let command = try Self.watch(["--model", Checkout.model, path])
      #expect(command.status == 1 && command.errors.contains(path))
    }
  }
}
