import Foundation
import TestSupport
import Testing

/// The inputs and outputs of commands that take many pictures: folders, standard input, lists, and several at
/// a time.
@Suite struct PictureListTests {
  let folder: TemporaryFolder

  /// Two folders of photos, with one file that is not a picture and files that are left out.
  init() throws {
    folder = try TemporaryFolder()
    let (photo, other) = (try contents(Checkout.photo), try contents(Checkout.otherPhoto))
    try folder.write("in/b.JPG", photo)
    try folder.write("in/a, \"quoted\".png", other)
    try folder.write("in/sub/c.jpg", photo)
    try folder.write("in/sub/broken.jpg", Data("no picture".utf8))
    for name in ["in/.hidden.jpg", "in/notes.txt", "in/sub/.git/d.jpg"] { try folder.write(name, photo) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("in/sub/up"), withDestinationPath: folder.path("in"))
  }

  private var pictures: [String] {
    ["a, \"quoted\".png", "b.JPG", "sub/broken.jpg", "sub/c.jpg"].map { folder.path("in/\($0)") }
  }

  func run(_ arguments: [String], input: Data? = nil) throws -> Command {
    let runtime = try TemporaryFolder()
    return try Command.run(
      Checkout.engine, arguments + ["--model", Checkout.model],
      environment: ["XDG_RUNTIME_DIR": runtime.path], input: input)
  }

  @Test(arguments: [["detect", "--json"], ["quality", "--json"]])
  func everyPictureOfAFolderHasOneLineInOrder(command: [String]) throws {
    var outputs: Set<String> = []
    for jobs in ["1", "2", "7"] {
      let done = try run(command + [folder.path("in"), "--jobs", jobs])
      #expect(done.status == 1)
      let lines = try done.json
      #expect(lines.map(\.image) == pictures && lines.allSatisfy { $0.schemaVersion == 1 })
      #expect(lines.map { $0.error?.code } == [nil, nil, "INVALID_ARGUMENT", nil])
      #expect(lines.map { $0.faces?.count } == [1, 1, nil, 1])
      outputs.insert(done.output)
    }
    #expect(outputs.count == 1)
  }

  @Test func parallelJobsKeepTheOrderOfPictures() throws {
    let names = (0..<60).flatMap { [$0 % 7 == 0 ? "/none/\($0).jpg" : Checkout.photo, Checkout.otherPhoto] }
    let done = try run(["detect", "--json", "--jobs", "5"] + names)
    #expect(try done.json.map(\.image) == names)
  }

  @Test func listsNameFilesAndFolders() throws {
    let list = "\(Checkout.photo)\n\n\(folder.path("in/sub"))\n"
    let expected = [Checkout.photo, pictures[2], pictures[3]]
    let piped = try run(["detect", "--json", "--files-from", "-"], input: Data(list.utf8))
    #expect(try piped.json.map(\.image) == expected)
    let file = try folder.write("list", Data(list.utf8))
    #expect(try run(["detect", "--json", "--files-from", file]).output == piped.output)
    let zeroed = Data(list.split(separator: "\n").joined(separator: "\0").utf8)
    for flag in ["--null", "-0"] {
      #expect(
        try run(["detect", "--json", "--files-from", "-", flag], input: zeroed).output == piped.output)
    }
    // A name that contains a line feed.
    let odd = try folder.write("odd/two\nlines.jpg", try contents(Checkout.photo))
    let found = try run(["detect", "--json", "-0", "--files-from", "-"], input: Data(odd.utf8))
    #expect(found.status == 0)
    #expect(try found.json.map(\.image) == [odd])
    let missing = try run(["detect", "--files-from", "/no/such/list"])
    #expect(missing.status == 1 && missing.errors.contains("/no/such/list"))
  }

  @Test func pictureIsReadFromStandardInput() throws {
    let photo = try contents(Checkout.photo)
    let named = try run(["detect", "--json", Checkout.photo]).json
    let piped = try run(["detect", "--json", "-"], input: photo).json
    #expect(piped.map(\.image) == ["-"] && piped[0].faces == named[0].faces)
    let broken = try run(["detect", "-"], input: Data("no".utf8))
    #expect(broken.status == 1 && broken.errors.contains("standard input: "))
    let drawn = folder.path("drawn.png")
    #expect(try run(["draw", "-", "-o", drawn], input: photo).status == 0)
    #expect(FileManager.default.fileExists(atPath: drawn))
  }

  @Test func csvHasARowForEachFaceAndEachFailure() throws {
    let nobody = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout
    let command = try run(["detect", "--csv", "--pose", "--quality", folder.path("in"), nobody])
    #expect(command.status == 1)
    let script =
      "import csv, json, sys; print(json.dumps(list(csv.DictReader(sys.stdin, strict=True))))"
    let read = try Command.run("python3", ["-c", script], input: Data(command.output.utf8))
    let rows = try JSONDecoder().decode([[String: String]].self, from: Data(read.output.utf8))
    #expect(rows.map { $0["image"] } == pictures + [nobody])
    #expect(rows.map { $0["face"] } == ["1", "1", "", "1", ""])
    #expect(rows[2]["error"]?.contains("does not begin like a JPEG") == true && rows[2]["image_width"] == "")
    #expect(rows[4]["error"] == "" && rows[4]["image_width"] == "485")
    for row in [rows[0], rows[1], rows[3]] {
      for name in ["confidence", "x", "left_eye_x", "mouth_right_y", "yaw", "quality"] {
        #expect(row[name].flatMap(Double.init) != nil, "\(name)")
      }
      #expect(row["smile"] == "" && row["error"] == "")
    }
    let iso = try run(["quality", "--csv", "--iso", Checkout.photo])
    #expect(iso.lines.count == 2 && iso.lines[0].contains("headPoseYawNative,headPoseYaw,"))
    #expect(iso.lines[0].split(separator: ",").count == 8 + 2 * 19 + 1)
  }

  @Test func picturesAreDrawnIntoAFolder() throws {
    let out = folder.path("out")
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
    try folder.write("in/b.png", try contents(Checkout.otherPhoto))
    let command = try run(["draw", "--json", folder.path("in"), "-o", out])
    #expect(command.status == 1)
    let saved = ["a, \"quoted\".faces.png", "b.JPG.faces.png", "b.png.faces.png", "sub/c.faces.png"]
      .map { "\(out)/\($0)" }
    #expect(try command.json.flatMap { $0.outputs ?? [] } == saved)
    for path in saved { #expect(FileManager.default.fileExists(atPath: path)) }
    // Both folders contain that name.
    let twice = try run([
      "draw", folder.path("in/sub"), Checkout.photo, folder.path("in/sub/c.jpg"), "-o", out,
    ])
    #expect(twice.status == 2 && twice.errors.contains("the same name"))
    #expect(try run(["draw", folder.path("in"), "-o", folder.path("none")]).status == 2)
  }

  @Test func pictureWithoutAFaceIsDrawnAndReported() throws {
    let nobody = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout
    let drawn = folder.path("nobody.png")
    let command = try run(["draw", nobody, "-o", drawn])
    #expect(command.status == 0 && command.errors.contains("\(nobody): no face was found"))
    #expect(FileManager.default.fileExists(atPath: drawn))
    #expect(try run(["draw", Checkout.photo, "-o", drawn]).errors.isEmpty)
  }

  @Test func errorsNameAPathOnce() throws {
    let missing = folder.path("missing.jpg")
    let empty = folder.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    for path in [missing, empty] {
      for command in [["detect"], ["quality"], ["draw", "-o", folder.path], ["crop", "-o", folder.path]] {
        let said = try run(command + [path])
        #expect(said.status == 1 && said.output.isEmpty)
        #expect(said.errors.components(separatedBy: path).count == 2, "\(said.errors)")
      }
    }
  }

  @Test func misspelledWordsGetASuggestion() throws {
    func said(_ arguments: [String]) throws -> String {
      let command = try Command.faceEngine(arguments)
      #expect(command.status == 2 && command.output.isEmpty && command.errors.contains("Usage:"))
      return command.errors
    }
    #expect(try said(["detct", "photo.jpg"]).contains("no command 'detct'. Did you mean 'detect'?"))
    #expect(try said(["help", "dtect"]).contains("Did you mean 'detect'?"))
    #expect(try said(["qualtiy"]).contains("Did you mean 'quality'?"))
    #expect(try said([Checkout.photo]).contains("Did you mean 'face-engine detect \(Checkout.photo)'?"))
    #expect(try !said(["frobnicate"]).contains("Did you mean"))
    #expect(try said(["detect", "--jsno", "x"]).contains("Unknown option '--jsno'. Did you mean '--json'?"))
    let far = try said(["detect", "--xyz", "x"])
    #expect(far.contains("Unknown option '--xyz'") && !far.contains("Did you mean"))
    // Suggestions come before complaints about missing arguments.
    for command in [["detect"], ["crop"], ["check"], ["watch"], ["quality"], ["models", "list"], ["status"]] {
      let unknown = try said(command + ["--xyz=1"])
      #expect(
        unknown.hasPrefix("Error: Unknown option '--xyz'\nUsage: face-engine \(command[0])"), "\(unknown)")
    }
    #expect(
      try said(["crop", "--socekt", "x"]).contains("Unknown option '--socekt'. Did you mean '--socket'?"))
    #expect(try said(["detect", "--json"]).contains("Name at least one image"))
    #expect(try said(["crop", "--largest"]).contains("Missing expected argument '--output <output>'"))
  }

  /// Progress is one line that is cleared at the end, only on a terminal.
  @Test func progressIsShownOnATerminal() throws {
    let script = """
      import os, pty, subprocess, sys
      master, slave = pty.openpty()
      program = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=slave)
      os.close(slave)
      said = b""
      while True:
          try:
              part = os.read(master, 4096)
          except OSError:
              break
          if not part:
              break
          said += part
      sys.stdout.buffer.write(said)
      sys.exit(program.wait())
      """
    let names = Array(repeating: Checkout.photo, count: 9)
    let arguments = ["detect", "--model", Checkout.model, "--jobs", "1"] + names
    let shown = try Command.run("python3", ["-c", script, Checkout.engine] + arguments).succeeded()
    #expect(
      shown.output.contains(#/1 of 9, [0-9]+\.[0-9] a second, [0-9.]+ (ns|µs|ms|s|min|h) left/#),
      "\(shown.output)")
    #expect(shown.output.hasSuffix("\r\u{1B}[K"))
    #expect(try Command.faceEngine(arguments).errors.isEmpty)
    // Failures are counted, also those of an earlier run, as are its pictures.
    let output = ["--json", "--output", folder.path("faces.jsonl")]
    let first = ["/none.jpg"] + names
    #expect(try run(["detect"] + output + first).status == 1)
    let resumed = try Command.run(
      "python3", ["-c", script, Checkout.engine] + arguments + output + ["--resume"] + first + ["/none.jpg"] + names)
    #expect(
      resumed.status == 1 && resumed.output.contains(#/11 of 29, [0-9.]+ a second, .* left, 1 failed/#),
      "\(resumed.output)")
  }

  @Test func cropTakesTheFacesThatAreChosen() throws {
    let both = try sideBySide()
    let out = folder.path("crops")
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
    let refused = try run(["crop", both, "-o", folder.path("x.png")])
    #expect(refused.status == 1 && refused.errors.contains("--largest, --all or --face 1 to 2"))
    let all = try run(["crop", "--all", "--json", both, "-o", out])
    #expect(try all.json.first?.outputs == [1, 2].map { "\(out)/both.face\($0).png" })
    for face in [1, 2] {
      let one = folder.path("one\(face).png")
      #expect(try run(["crop", "--face", "\(face)", both, "-o", one]).status == 0)
      #expect(try contents(one) == contents("\(out)/both.face\(face).png"))
    }
    #expect(try contents(folder.path("one1.png")) != contents(folder.path("one2.png")))
    let third = try run(["crop", "--face", "3", both, "-o", folder.path("x.png")])
    #expect(third.status == 1 && third.errors.contains("no face number 3, only 2"))
    for wrong in [["--largest", "--all"], ["--face", "0"], ["--all", "--face", "1"]] {
      #expect(try run(["crop", both, "-o", out] + wrong).status == 2)
    }
    #expect(try run(["crop", "--all", both, "-o", folder.path("none.png")]).status == 2)
  }

  /// Both photos in one picture.
  private func sideBySide() throws -> String {
    let path = folder.path("both.png")
    let filter = ["-filter_complex", "[1]pad=512:600[b];[0][b]hstack", "-frames:v", "1"]
    try Clips.ffmpeg(["-i", Checkout.photo, "-i", Checkout.otherPhoto] + filter + [path])
    return path
  }

  private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }
}
