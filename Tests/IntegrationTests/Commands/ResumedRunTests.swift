import Foundation
import TestSupport
import Testing

/// `detect --output` and `--resume`: a stopped run that is continued has the results of a run that was not stopped.
@Suite struct ResumedRunTests {
  let folder: TemporaryFolder
  /// A folder of 12 pictures; two fail.
  let pictures: String
  var results: String { folder.path("faces.jsonl") }

  init() throws {
    folder = try TemporaryFolder()
    pictures = folder.path("in")
    let files = FileManager.default
    try files.createDirectory(atPath: pictures, withIntermediateDirectories: false)
    for number in 10..<20 {
      try files.createSymbolicLink(
        atPath: "\(pictures)/\(number).jpg",
        withDestinationPath: number % 2 == 0 ? Checkout.photo : Checkout.otherPhoto)
    }
    try folder.write("in/13 \"é\\\t.jpg", Data("no picture".utf8))
    try files.createSymbolicLink(atPath: "\(pictures)/17b.jpg", withDestinationPath: "/none.jpg")
  }

  private func arguments(_ more: [String]) -> [String] {
    ["detect", "--json", "--model", Checkout.model, "--output", results] + more
  }

  private func run(_ more: String...) throws -> Command { try Command.faceEngine(arguments(more)) }

  private func found() throws -> Data { try Data(contentsOf: URL(filePath: results)) }

  private func lines() throws -> [String] {
    String(decoding: try found(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// A folder of links to a picture: a run over it is stopped long before its end.
  private func manyPictures() throws -> String {
    let many = folder.path("many")
    try FileManager.default.createDirectory(atPath: many, withIntermediateDirectories: false)
    for number in 10_000..<14_000 {
      try FileManager.default.createSymbolicLink(
        atPath: "\(many)/\(number).jpg", withDestinationPath: Checkout.photo)
    }
    return many
  }

  /// Starts a run over `many`, and returns when it has written `count` lines.
  private func start(_ more: [String], lines count: Int) throws -> (ChildProcess, errors: String) {
    let errors = try folder.write("errors", [])
    let runtime = folder.path
    let process = try ChildProcess(
      [Checkout.engine] + arguments(more), environment: ["XDG_RUNTIME_DIR": runtime], input: nil, output: nil,
      errors: try FileHandle(forWritingTo: URL(filePath: errors)), said: { Command.text(errors) })
    while process.isRunning {
      if let found = try? found(), found.count(where: { $0 == 0x0A }) >= count { break }
      usleep(5_000)
    }
    return (process, errors)
  }

  @Test func aRunThatIsCutAnywhereContinuesToTheSameLines() throws {
    let printed = try Command.faceEngine(["detect", "--json", "--model", Checkout.model, pictures])
    let whole = try run(pictures)
    #expect(whole.status == 1 && whole.output.isEmpty && whole.errors == printed.errors)
    let expected = try found()
    #expect(String(decoding: expected, as: UTF8.self) == printed.output)
    let record = Command.text(results + ".options")
    #expect(record.hasPrefix("face-engine ") && record.contains("\nmodel yunet revision "))
    var generator = SeededGenerator(seed: 7)
    let ends = (0..<12).map { _ in Int.random(in: 1..<expected.count, using: &generator) }
    for end in ends + [expected.count - 1, expected.count, 1] {
      try expected.prefix(end).write(to: URL(filePath: results))
      let kept = expected.prefix(end).count(where: { $0 == 0x0A })
      let resumed = try run("--resume", "--jobs", "3", pictures)
      #expect(resumed.status == 1 && resumed.output.isEmpty)
      #expect(kept == 0 || resumed.errors.contains("\(kept) of 12 pictures were done before"), "\(resumed.errors)")
      #expect(try found() == expected, "cut after \(end) bytes")
    }
    #expect(Command.text(results + ".options") == record)
  }

  @Test func failedPicturesAreNotTriedAgain() throws {
    #expect(try run(pictures).status == 1)
    let before = try lines()
    let again = try run("--resume", pictures)
    #expect(again.status == 1 && !again.errors.contains("17b.jpg:"))
    #expect(again.errors.contains("2 pictures failed in earlier runs"), "\(again.errors)")
    #expect(try lines() == before)
    // Without their lines they are tried, and only they.
    let good = before.filter { !$0.contains(#""error": {"#) }
    try Data(good.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: results))
    try FileManager.default.removeItem(atPath: "\(pictures)/17b.jpg")
    try folder.write("in/17b.jpg", try Data(contentsOf: URL(filePath: Checkout.photo)))
    let repaired = try run("--resume", pictures)
    #expect(repaired.status == 1 && repaired.errors.contains("10 of 12 pictures were done before"))
    #expect(try lines().count == 12 && lines().dropLast(2) == good)
    #expect(try Line(try lines()[11]).faces?.count == 1)
  }

  @Test func aFinishedRunGetsAddedPictures() throws {
    let (photo, other) = (Checkout.photo, Checkout.otherPhoto)
    // There is no file yet.
    #expect(try run("--resume", photo, photo).succeeded().errors.isEmpty)
    #expect(try run("--resume", photo, other, photo).status == 0)
    #expect(try lines().map { try Line($0).image } == [photo, photo, other])
    // As another program writes the lines again.
    let script = """
      import json, sys
      rows = [json.loads(line) for line in open(sys.argv[1])]
      open(sys.argv[1], "w").writelines(json.dumps(row, separators=(",", ":")) + "\\n" for row in rows)
      """
    try Command.run("python3", ["-c", script, results]).succeeded()
    let resumed = try run("--resume", photo, other, photo).succeeded()
    #expect(resumed.errors.contains("3 of 3 pictures were done before"))
    #expect(try lines().count == 3)
  }

  @Test func otherOptionsAreRefused() throws {
    let photo = Checkout.photo
    try run("--min-confidence", "0.7", "--pose", "--quality", "--region", "0,0,500,500", photo).succeeded()
    let before = try found()
    let same = ["--quality", "--pose", "--region", "0,0,500,500", "--min-confidence=0.7"]
    try Command.faceEngine(arguments(same + ["--resume", "--jobs", "2", "--unordered", photo])).succeeded()
    for (changed, name) in [
      (["--pose"], "min-confidence was 0.7, is not given now"),
      (same + ["--mirrored"], "mirrored was not given, is true now"),
      (same + ["--landmarks"], "outputs was pose,quality, is landmarks,pose,quality now"),
      (same + ["--space", "normalised"], "space was not given, is normalised now"),
      (same + ["--accuracy", "high"], "accuracy"), (same + ["--screen", "34x19"], "screen"),
    ] {
      let refused = try Command.faceEngine(arguments(changed + ["--resume", photo]))
      #expect(refused.status == 2 && refused.errors.contains(name), "\(refused.errors)")
      #expect(refused.errors.contains("name another file to start over"))
    }
    // The same options without --resume are no reason to overwrite a run.
    let twice = try Command.faceEngine(arguments(same + [photo]))
    #expect(twice.status == 2 && twice.errors.contains("Add --resume to continue"))
    // A line that is not one of detect, or lost options.
    #expect(try found() == before)
    try Data("{\"rows\": 3}\n".utf8).write(to: URL(filePath: results))
    let foreign = try Command.faceEngine(arguments(same + ["--resume", photo]))
    #expect(foreign.status == 1 && foreign.errors.contains("line 1 of \(results) is no line of detect"))
    try FileManager.default.removeItem(atPath: results + ".options")
    let lost = try Command.faceEngine(arguments(same + ["--resume", photo]))
    #expect(lost.status == 2 && lost.errors.contains(".options"))
    #expect(Command.text(results) == "{\"rows\": 3}\n")
  }

  @Test func anotherModelIsRefused() throws {
    try run("--precision", "float", Checkout.photo).succeeded()
    let before = try found()
    let other = try run("--resume", Checkout.photo, Checkout.otherPhoto)
    #expect(other.status == 1 && other.errors.contains("the model yunet is not the one that made"), "\(other.errors)")
    #expect(try found() == before)
    try run("--resume", "--precision", "float", Checkout.photo, Checkout.otherPhoto).succeeded()
    #expect(try lines().count == 2)
  }

  @Test func unorderedResultsAreTheSame() throws {
    try Command.faceEngine(["detect", "--json", "--model", Checkout.model, "--unordered", Checkout.photo]).succeeded()
    #expect(try run(pictures).status == 1)
    let ordered = try lines()
    try FileManager.default.removeItem(atPath: results)
    #expect(try run("--unordered", "--jobs", "5", pictures).status == 1)
    #expect(try lines().sorted() == ordered.sorted())
    let resumed = try run("--resume", "--unordered", pictures)
    #expect(resumed.errors.contains("12 of 12 pictures"))
  }

  @Test(arguments: [SIGINT, SIGTERM], [["--jobs", "1"], ["--jobs", "3"]])
  func aSignalEndsARunAfterThePicturesInFlight(signal: Int32, jobs: [String]) throws {
    let many = try manyPictures()
    let (process, errors) = try start(jobs + [many], lines: 3)
    // Another run leaves the file alone.
    let second = try run("--resume", many)
    #expect(second.status == 1 && second.errors.contains("another process writes to"), "\(second.errors)")
    process.signal(signal)
    #expect(try process.wait() == 1)
    let lines = try lines()
    #expect(lines.count >= 3 && Set(lines.compactMap { try? Line($0).image }).count == lines.count)
    #expect(
      Command.text(errors).hasSuffix(
        "stopped after \(lines.count) of 4000 pictures; to continue, give the same command with --resume\n"))
    #expect(try found().last == 0x0A)
    // It continues, here to the pictures of another folder.
    let resumed = try run("--resume", pictures)
    #expect(resumed.status == 1)
    #expect(try self.lines().prefix(lines.count) == lines[...] && self.lines().count == lines.count + 12)
  }

  @Test func aKilledRunLosesNoLine() throws {
    let many = try manyPictures()
    var kept: [String] = []
    for count in [1, 9, 30] {
      let (process, _) = try start(["--resume", "--jobs", "2", many], lines: count)
      process.signal(SIGKILL)
      #expect(try process.wait() == -SIGKILL)
      let text = String(decoding: try found(), as: UTF8.self)
      let lines = text.split(separator: "\n").map(String.init)
      #expect(lines.starts(with: kept) && lines.count >= count)
      kept = text.hasSuffix("\n") ? lines : lines.dropLast()
    }
    let names = try kept.map { try Line($0).image }
    #expect(names == (10_000..<10_000 + kept.count).map { "\(many)/\($0).jpg" })
    #expect(try run("--resume", pictures).status == 1)
    #expect(try lines().count == kept.count + 12)
  }

  @Test func aRunEndsWithItsEngine() throws {
    let many = try manyPictures()
    let engine = try RunningEngine()
    let socket = ["--socket", engine.socket]
    let errors = try folder.write("errors", [])
    let begun = ["detect", "--json", "--output", results] + socket
    let process = try ChildProcess(
      [Checkout.engine] + begun + [many], environment: [:], input: nil, output: nil,
      errors: try FileHandle(forWritingTo: URL(filePath: errors)), said: { Command.text(errors) })
    while process.isRunning {
      if let found = try? found(), found.contains(0x0A) { break }
      usleep(5_000)
    }
    #expect(engine.end(with: SIGKILL) == -SIGKILL)
    #expect(try process.wait() == 1)
    let said = Command.text(errors)
    #expect(
      said.contains("stopped after") && said.contains("To continue, give the same command with --resume"), "\(said)")
    // No picture failed for the engine.
    let kept = try lines()
    #expect(!kept.isEmpty && kept.count < 4000 && !kept.contains { $0.contains(#""error""#) })
    // In this process, with the same model.
    #expect(try run("--resume", pictures).status == 1)
    #expect(try lines().prefix(kept.count) == kept[...] && lines().count == kept.count + 12)
  }
}
