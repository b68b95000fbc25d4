import Foundation
import TestSupport
import Testing

/// `face-engine check`, in process and with `--socket`.
@Suite struct CheckCommandTests {
  private func frames(_ clip: String, in folder: TemporaryFolder) throws -> [String] {
    try Clips.ffmpeg(["-i", "\(Clips.folder)/\(clip).gif", folder.path("%04d.png")])
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".png") }.sorted().map { folder.path($0) }
  }

  /// The events without those for drawing.
  private func said(_ events: [Line]) -> [String] {
    events.compactMap { event in
      event.event == "draw" ? nil : event.state ?? event.tip ?? event.code ?? event.event
    }
  }

  @Test func framesThatEndBeforeTheCheckAreReported() throws {
    let command = try Command.faceEngine(["check", Checkout.photo])
    #expect(command.status == 1 && command.errors.contains("the frames ended before the check finished"))
  }

  /// The circle is around a man who tilts his head, beside a woman who does so as well.
  @Test(.needsClips)
  func clipOfAStillPersonGivesAPicture() throws {
    let folder = try TemporaryFolder()
    let pictures = try TemporaryFolder()
    let frames = try frames("head-pose-face-detection-female-and-male", in: folder)
    let engine = try RunningEngine()
    let options = [
      "--fps", "12", "--mask", "336,105,60", "--max-other-face", "1", "--max-roll", "45", "--max-yaw", "40",
      "--crop-size", "256",
    ]
    var taken: [[Data]] = []
    for source in [["--model", Checkout.model], ["--socket", engine.socket]] {
      let (picture, crop) = (pictures.path("picture.png"), pictures.path("crop.png"))
      let command = try Command.faceEngine(
        ["check"] + source + options + ["--picture", picture, "--crop", crop] + frames
      ).succeeded()
      let events = try command.json
      let states = events.compactMap(\.state)
      #expect(states == ["waiting", "start", "checking", "finish"])
      #expect(events.last?.event == "result" && events.last?.width == 480)
      let progress = events.compactMap(\.progress)
      #expect(progress.last == 1 && progress.first == 0)
      let found = try Command.faceEngine(["detect", "--json", "--model", Checkout.model, picture, crop])
      #expect(found.lines.count == 2)
      #expect(found.lines[0].contains("\"width\": 480") && found.lines[1].contains("\"width\": 256"))
      #expect(found.lines[1].contains("\"box\""))
      taken.append(try [picture, crop].map { try Data(contentsOf: URL(filePath: $0)) })
      try FileManager.default.removeItem(atPath: picture)
    }
    #expect(taken[0] == taken[1], "pixel for pixel")
  }

  @Test func aPhotoIsCheckedByItself() throws {
    let right = try Command.faceEngine(
      ["check", "--still", "--model", Checkout.model, "--mask", "268,227,160", Checkout.photo]).succeeded()
    #expect(said(try right.json) == ["finish", "done", "result"])
    let wrong = try Command.faceEngine(
      ["check", "--still", "--model", Checkout.model, Checkout.otherPhoto, Checkout.photo])
    #expect(wrong.status == 1)
    let events = try wrong.json
    #expect(events.filter { $0.event == "failed" }.map(\.code) == ["not_right", "not_right"])
    #expect(
      events.filter { $0.event == "tip" && $0.image == Checkout.otherPhoto }.map(\.tip).contains(
        "come_closer"))
  }

  /// The head in the photo is turned by less than 5° and tilted by more than 2°.
  @Test func aPresetsLimitsAreChangedByFlags() throws {
    func check(_ flags: [String]) throws -> Command {
      try Command.faceEngine(
        ["check", "--still", "--model", Checkout.model, "--mask", "268,227,160"] + flags + [Checkout.photo])
    }
    #expect(try check(["--preset", "iso"]).status == 0)
    let tilted = try check(["--preset", "iso", "--max-roll", "1"])
    #expect(tilted.status == 1)
    #expect(
      try tilted.json.compactMap(\.tip).contains("tilt_right")
        != tilted.json.compactMap(\.tip).contains("tilt_left"))
  }

  /// The same pictures in process and through the socket, pixel for pixel, of a file that has an orientation.
  @Test func photoGivesTheSamePicturesInProcessAndConnected() throws {
    let engine = try RunningEngine()
    let folder = try TemporaryFolder()
    for (name, source) in [("here", ["--model", Checkout.model]), ("there", ["--socket", engine.socket])] {
      try Command.faceEngine(
        ["check", "--still"] + source + ["--mask", "244,227,160", "--orientation", "2"]
          + [
            "--picture", folder.path("\(name).png"), "--crop", folder.path("\(name)-crop.png"),
            Checkout.photo,
          ]
      ).succeeded()
    }
    for end in [".png", "-crop.png"] {
      let here = try Data(contentsOf: URL(filePath: folder.path("here\(end)")))
      #expect(here == (try Data(contentsOf: URL(filePath: folder.path("there\(end)")))))
    }
  }

  @Test func aMissingPictureIsReported() throws {
    let missing = try Command.faceEngine(["check", "--model", Checkout.model, "/none.png"])
    #expect(missing.status == 1 && missing.errors.contains("/none.png"))
    let line = try #require(missing.output.split(separator: "\n").first)
    #expect(missing.output.split(separator: "\n").count == 1)
    #expect(line.contains(#""image": "/none.png", "error": {"code": "NOT_FOUND""#))
  }
}
