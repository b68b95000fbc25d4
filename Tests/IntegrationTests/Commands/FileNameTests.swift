import Foundation
import TestSupport
import Testing

/// Names that are not UTF-8: to Linux they are bytes. Arguments of tests are texts, so a shell writes the names.
@Suite struct FileNameTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a.jpg", try Data(contentsOf: URL(filePath: Checkout.photo)))
  }

  /// Runs lines of a shell in the folder, in which `$name` is no UTF-8.
  private func shell(_ lines: String) throws -> Command {
    try Command.run(
      "bash",
      [
        "-c", "name=$(printf 'No\\353l.jpg'); cp a.jpg \"$name\"; \(lines)", "bash",
        Checkout.engine, Checkout.model,
      ], environment: ["XDG_RUNTIME_DIR": folder.path], in: folder.path)
  }

  @Test(arguments: [
    "$1 detect --json --model $2 \"$name\"",
    "printf '%s\\n' \"$name\" | $1 detect --json --model $2 --files-from -",
    "printf '%s\\0' \"$name\" | $1 detect --json --model $2 --files-from - -0",
    "mkdir f; mv \"$name\" f; $1 detect --json --model $2 f",
    "mkdir f; mv \"$name\" f; $1 watch --model $2 f",
    "$1 quality --json --model $2 \"$name\"",
    "$1 watch --model $2 \"$name\"",
    "cp -r $2 \"$name.model\"; $1 detect --json --model \"$name.model\" \"$name\"",
  ])
  func aNameIsAnyBytes(line: String) throws {
    let command = try shell(line)
    #expect(command.status == 0, "\(command.errors)")
    #expect(command.output.contains(#"No\uefebl.jpg""#) && command.output.contains(#""confidence""#))
  }

  @Test func theCharactersOfAReportAreTheBytesOfTheName() throws {
    let read = """
      import json, os, sys
      text = json.loads(sys.stdin.readline())["image"]
      name = b"".join(bytes([ord(c) & 255]) if 0xef80 <= ord(c) <= 0xefff else c.encode() for c in text)
      sys.exit(not os.path.exists(name))
      """
    try folder.write("read.py", Data(read.utf8))
    #expect(try shell("$1 detect --json --model $2 \"$name\" | python3 read.py").status == 0)
    let row = "$'^No\\xee\\xbf\\xabl.jpg,512'"
    #expect(try shell("$1 detect --csv --model $2 \"$name\" | grep -qa \(row)").status == 0)
    // People and their tools see the name itself.
    #expect(try shell("$1 detect --model $2 \"$name\" | grep -qaF \"$name: 512\"").status == 0)
    #expect(try shell("$1 detect --model $2 \"x$name\" 2>&1 | grep -qaF \"x$name: \"").status == 0)
  }

  @Test(arguments: [
    "$1 detect --model $2 --annotate \"$name.png\" a.jpg && [ -s \"$name.png\" ]",
    "mkdir out; $1 draw --json --model $2 -o out \"$name\" a.jpg && [ -s out/\"${name%.jpg}.faces.png\" ]",
    "mkdir \"$name.out\"; $1 crop --model $2 -o \"$name.out/x.webp\" a.jpg && [ -s \"$name.out/x.webp\" ]",
  ])
  func picturesAreSavedUnderAnyBytes(line: String) throws {
    let command = try shell(line)
    #expect(command.status == 0, "\(command.errors)")
  }

  @Test func aSocketHasAnyBytesForItsName() throws {
    let command = try shell(
      """
      $1 serve --socket "$name.sock" --model $2 & engine=$!
      $1 status --socket "$name.sock" --wait-ready >status; ready=$?
      $1 detect --json --socket "$name.sock" "$name"; done=$?
      kill $engine; wait $engine; exit $((ready + done))
      """)
    #expect(command.status == 0 && command.output.contains(#""confidence""#), "\(command.errors)")
  }

  /// Without /proc, Swift finds no arguments.
  @Test(
    .enabled(if: mayMount, "needs a mount namespace"),
    arguments: [
      "detect --model $2 a.jpg", "quality --model $2 a.jpg", "watch --model $2 a.jpg",
      "draw --model $2 -o x.png a.jpg", "crop --model $2 -o y.png a.jpg", "models list",
      "check --model $2 --still a.jpg",
    ])
  func commandsWorkWithoutProc(line: String) throws {
    let expected = try shell("$1 \(line)")
    let found = try shell("unshare -rm sh -c 'mount -t tmpfs none /proc && $1 \(line)' sh $1 $2")
    #expect(found.status == expected.status && found.output == expected.output, "\(found.errors)")
  }

  private static let mayMount =
    (try? Command.run("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/proc"]).status) == 0
}

/// Lists of names from other systems and for other flags.
extension PictureListTests {
  @Test func linesMayEndAsOnOtherSystems() throws {
    let names = [Checkout.photo, Checkout.otherPhoto]
    let plain = try listed(names.joined(separator: "\n"))
    #expect(plain.status == 0 && plain.lines.count == 2)
    for text in [
      names.joined(separator: "\r\n"), names.joined(separator: "\r\n") + "\r\n\r\n",
      "\u{FEFF}" + names.joined(separator: "\n"), "\u{FEFF}\r\n" + names.joined(separator: "\r\n") + "\r\n",
    ] {
      #expect(try listed(text).output == plain.output)
    }
  }

  @Test func listsOfAnotherKindAreRefused() throws {
    let names = [Checkout.photo, Checkout.otherPhoto]
    let zeroed = try listed(names.joined(separator: "\0") + "\0")
    #expect(zeroed.status == 1 && zeroed.output.isEmpty && zeroed.errors.contains("add -0"))
    let lined = try listed(names.joined(separator: "\n") + "\n", ["-0"])
    #expect(lined.status == 1 && lined.output.isEmpty && lined.errors.contains("leave out -0"))
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      let wide = try #require(("\u{FEFF}" + names.joined(separator: "\n")).data(using: encoding))
      let command = try run(["detect", "--json", "--files-from", "-"], input: wide)
      #expect(command.status == 1 && command.output.isEmpty && command.errors.contains("is UTF-16"))
    }
  }

  @Test func theRunEndsWithACountOfWhatFoldersHaveBesides() throws {
    let command = try run(["detect", "--json", folder.path("in")])
    #expect(
      command.errors.hasSuffix(
        "skipped 1 file that is no picture, 2 hidden entries, 1 link to a folder\n"), "\(command.errors)")
    #expect(try !run(["detect", Checkout.photo]).errors.contains("skipped"))
  }

  private func listed(_ list: String, _ flags: [String] = []) throws -> Command {
    try run(["detect", "--json", "--files-from", "-"] + flags, input: Data(list.utf8))
  }
}
