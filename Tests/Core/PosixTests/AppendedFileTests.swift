import FaceCore
import Posix
import TestSupport
import Testing

@Suite struct AppendedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func lines(of file: AppendedFile, limit: Int = 1 << 20) throws -> [String] {
    var lines: [String] = []
    try file.readLines(limit: limit) { (bytes, last) throws(Status) in
      #expect(bytes.count == limit || last == bytes.last)
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    return lines
  }

  @Test func appendedLinesAreReadAgain() throws {
    // One line is longer than what is read at once, and one line feed is at its end.
    let texts = ["a", "", String(repeating: "b", count: (1 << 20) - 4), String(repeating: "c", count: 3 << 20), "d"]
    let path = folder.path("lines")
    do {
      let file = try AppendedFile(path)
      for text in texts { try file.append(text + "\n") }
      try file.save()
    }
    let file = try AppendedFile(path)
    #expect(try lines(of: file, limit: 4 << 20) == texts)
    #expect(try lines(of: file, limit: 2) == ["a", "", "bb", "cc", "d"])
    try file.append("e\n")
    #expect(try lines(of: file, limit: 4 << 20) == texts + ["e"])
  }

  @Test(arguments: ["", "x", "whole\n", "whole\ncut", "whole\nwhole\ncut"])
  func whatFollowsTheLastLineFeedIsCut(text: String) throws {
    let file = try AppendedFile(try folder.write("lines", text.utf8))
    let whole = text.split(separator: "\n").filter { $0 == "whole" }.map(String.init)
    #expect(try lines(of: file) == whole)
    try file.cutUnfinishedLine()
    #expect(try file.size() == whole.count * 6)
    try file.append("next\n")
    #expect(try lines(of: file) == whole + ["next"])
    try file.clear()
    #expect(try file.size() == 0)
  }

  @Test func oneProcessAppends() throws {
    let path = folder.path("lines")
    do {
      let file = try AppendedFile(path)
      expectFailure(.alreadyExists, "another process writes to \(path)") { _ = try AppendedFile(path) }
      withExtendedLifetime(file) {}
    }
    _ = try AppendedFile(path)
    expectFailure(.invalidArgument) { _ = try AppendedFile("/dev/null") }
    expectFailure(.notFound) { _ = try AppendedFile(folder.path("none/lines")) }
  }
}
