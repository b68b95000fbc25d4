import Foundation
import TestSupport
import Testing

/// Tests `face-engine detect` as its user runs it.
@Suite struct DetectCommandTests {
  /// An engine that is stopped, or in a debugger, accepts connections.
  @Test func aDefaultEngineThatDoesNotAnswerIsPassedOver() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder)
    engine.signal(SIGSTOP)
    defer { engine.signal(SIGCONT) }
    let command = try Command.run(
      Checkout.engine, ["detect", Checkout.photo], environment: ["XDG_RUNTIME_DIR": folder.path])
    #expect(command.status == 0 && command.output.contains("1 face"), "\(command.errors)")
    #expect(command.errors.contains("\(engine.socket) does not answer; loading the model here"))
  }

  /// The names that the flags add, and that a face has no others.
  @Test(arguments: [
    ([], []), (["--pose"], ["pose"]), (["--quality"], ["quality"]),
    (["--landmarks"], ["regions", "depth", "landmarksConfidence"]),
    (["--constellation", "76"], ["constellation"]), (["--constellation", "98"], ["constellation"]),
    (["--screen", "34x19.5,1"], ["gaze"]),
    (
      ["--constellation", "65", "--landmarks"], ["constellation", "regions", "depth", "landmarksConfidence"]
    ),
    (["--expressions"], ["smile", "mouthOpen", "eyesOpen", "blendshapes"]),
    (
      ["--all"],
      [
        "regions", "depth", "landmarksConfidence", "pose", "smile", "mouthOpen", "eyesOpen", "blendshapes",
        "quality", "transform", "isoQuality", "precision", "gaze",
      ]
    ),
  ])
  func flagsAddTheirMembersToTheJSON(flags: [String], names: [String]) throws {
    let command = try Command.faceEngine(["detect", "--json", Checkout.photo] + flags).succeeded()
    let line = try #require(command.lines.first)
    let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let face = try #require((answer?["faces"] as? [[String: Any]])?.first)
    #expect(Set(face.keys) == Set(["box", "confidence", "points"] + names))
    if let regions = face["regions"] as? [String: [[Double]]] {
      #expect(regions.count == 13 && regions["allPoints"]?.count == 478)
      #expect(regions["leftEye"]?.allSatisfy { $0.count == 2 } == true)
    }
    if let gaze = face["gaze"] as? [String: Any] {
      #expect(Set(gaze.keys) == (flags == ["--all"] ? ["left", "right"] : ["left", "right", "lookAt"]))
      let eye = try #require(gaze["left"] as? [String: [Double]])
      #expect(eye["centre"]?.count == 3 && eye["direction"]?.count == 3)
    }
    if let constellation = face["constellation"] as? [String: Any] {
      let regions = try #require(constellation["regions"] as? [String: [[Double]]])
      #expect(regions.count == 13 && regions["allPoints"]?.count == Int(flags[1]))
      #expect(constellation["count"] as? Int == Int(flags[1]))
      let paths = try #require(constellation["paths"] as? [String: String])
      #expect(
        paths["leftEye"] == "closed" && paths["faceContour"] == "open" && paths["leftPupil"] == "disconnected"
      )
    }
    if let blendshapes = face["blendshapes"] as? [String: Double] { #expect(blendshapes.count == 52) }
  }

  @Test func jsonIsOneObjectALine() throws {
    let command = try Command.faceEngine(["detect", "--json", Checkout.photo, Checkout.otherPhoto])
      .succeeded()
    let answers = try command.json
    #expect(answers.map(\.image) == [Checkout.photo, Checkout.otherPhoto])
    #expect(answers.map(\.width) == [512, 512])
    #expect(answers.map(\.height) == [600, 512])
    let face = try #require(answers[0].found.first)
    #expect(answers[0].found.count == 1)
    #expect(face.confidence > 0.9)
    #expect(Set(face.points.keys) == ["leftEye", "rightEye", "noseTip", "mouthLeft", "mouthRight"])
  }

  @Test func runningEngineIsFoundAtTheStandardSocket() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder)
    // No model is loaded: without the engine this would fail.
    let environment = ["XDG_RUNTIME_DIR": folder.path, "FACE_ENGINE_MODELS": "/nowhere"]
    let command = try Command.run(Checkout.engine, ["detect", Checkout.photo], environment: environment)
      .succeeded()
    #expect(command.output.contains("1 face"))
    #expect(engine.end(with: SIGTERM) == 0)
    #expect(
      try Command.run(Checkout.engine, ["detect", Checkout.photo], environment: environment).status == 1)
  }

  @Test func tableShowsEachFace() throws {
    let command = try Command.faceEngine(["detect", Checkout.photo]).succeeded()
    #expect(command.lines[0].hasSuffix("512×600, 1 face"))
    #expect(command.lines[1].contains("confidence"))
    #expect(command.lines.count == 3)
  }

  @Test(arguments: [
    ["detect", "--annotate"], ["detect", "--dump-input"], ["draw", "-o"], ["crop", "-o"],
    ["check", "--still", "--picture"], ["check", "--still", "--crop"], ["watch", "--check", "--picture"],
  ])
  func pictureIsNotWrittenWithTheExtensionOfAnotherFormat(command: [String]) throws {
    let folder = try TemporaryFolder()
    for name in ["out.gif", "out"] {
      let run = try Command.faceEngine(command + [folder.path(name), Checkout.photo])
      #expect(run.status == 2 && run.errors.contains("name it .png, .jpg or .webp"), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path(name)))
    }
  }

  @Test(arguments: [("out.JPG", [0xFF, 0xD8]), ("out.webp", Array("RIFF".utf8)), ("out.png", [0x89, 0x50])])
  func annotatedPictureHasTheFormatOfItsName(name: String, start: [UInt8]) throws {
    let folder = try TemporaryFolder()
    let picture = folder.path(name)
    #expect(try Command.faceEngine(["detect", "--annotate", picture, Checkout.photo]).status == 0)
    #expect(try Data(contentsOf: URL(filePath: picture)).starts(with: start))
    let again = try Command.faceEngine(["detect", "--json", picture])
    let line = try #require(try again.json.first)
    // Drawn boxes hide no face, since the original picture is searched.
    #expect(line.found.count == 1 && line.width == 512 && line.height == 600)
  }

  /// Read as pixels of a smaller size, it would be a picture without faces.
  @Test func rawFileOfALargerSizeIsRefused() throws {
    let folder = try TemporaryFolder()
    let pixels = folder.path("pixels")
    try Data(count: 512 * 600 * 3).write(to: URL(fileURLWithPath: pixels))
    #expect(try Command.faceEngine(["detect", "--raw", "rgb:512x600", pixels]).status == 0)
    let command = try Command.faceEngine(["detect", "--raw", "rgb:256x600", pixels])
    #expect(command.status == 1 && command.errors.contains("256×600 RGB pixels have 460800"))
  }

  @Test(arguments: ["detect", "watch", "check", "draw", "crop", "quality", "serve", "bench"])
  func helpExplainsEachValueAndNamesTheDefault(subcommand: String) throws {
    let help = try Command.faceEngine(["help", subcommand]).output
    #expect(subcommand == "serve" || help.contains("balanced          - right for nearly all pictures"))
    let lines = help.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(!lines.contains { $0.hasSuffix("  -") }, "a value without a description")
    let text = lines.joined(separator: " ")
    #expect(!text.contains(") (default: "), "two defaults")
    for flag in ["--overflow <", "--preset <"] {
      guard let part = text.components(separatedBy: flag).dropFirst().first else { continue }
      #expect(!part.prefix(200).contains("(default: 0)"), "a number as the default of \(flag)")
    }
  }

  /// Standard error says that a file has more pages than the one that is searched; raw pixels have no pages.
  @Test func pagesOfATIFFAreReported() throws {
    let folder = try TemporaryFolder()
    let (scan, photo) = (folder.path("scan.tif"), folder.path("photo.tif"))
    try Data(TIFFPage.file([TIFFPage(64, [254: 2]), TIFFPage(32, [254: 2])])).write(to: URL(filePath: scan))
    try Data(TIFFPage.file([TIFFPage(32, [254: 1]), TIFFPage(64)])).write(to: URL(filePath: photo))
    let command = try Command.faceEngine(["detect", "--json", "--model", Checkout.model, scan, photo])
    #expect(
      command.status == 0
        && command.lines.allSatisfy { $0.contains("\"width\":64") || $0.contains("\"width\": 64") })
    #expect(command.errors == "face-engine: \(scan): has 2 pages; the first full one is used\n")
    let raw = try Command.faceEngine(
      ["detect", "--json", "--model", Checkout.model, "--raw", "gray:142x110", scan])
    #expect(raw.errors.isEmpty)
  }
}
