import Foundation
import TestSupport
import Testing

/// The README and the guides in docs work as written, from the top of a checkout.
@Suite struct ReadmeTests {
  /// The fenced blocks of one language in a document, in order.
  static func blocks(_ language: String, of document: String = "README.md") throws -> [String] {
    let text = try String(contentsOf: Checkout.root.appending(path: document), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0] + "\n"
    }
  }

  /// A folder like the top of a checkout, in which a block may leave files.
  static func workFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["include", ".build", "Models", "Examples"] {
      try FileManager.default.createSymbolicLink(
        at: URL(filePath: folder.path(name)), withDestinationURL: Checkout.root.appending(path: name))
    }
    return folder
  }

  static func shell(_ script: String, in folder: TemporaryFolder) throws -> Command {
    try Command.run(
      "bash", ["-euo", "pipefail", "-c", script], environment: ["XDG_RUNTIME_DIR": folder.path],
      in: folder.path)
  }

  /// Files of the checkout that documents link to, or name in `code`, exist.
  @Test(arguments: ["", "docs", "Proto", "Models", "Tools/systemd"])
  func namedFilesExist(_ folder: String) throws {
    let root = Checkout.root.appending(path: folder)
    let documents = try FileManager.default.contentsOfDirectory(atPath: root.path).filter {
      $0.hasSuffix(".md")
    }
    #expect(!documents.isEmpty)
    for document in documents {
      let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
      let links = text.matches(of: /\]\(([^)#\s]+)(?:#[^)\s]*)?\)/).map { String($0.1) }
      for link in links where !link.contains("://") {
        #expect(
          FileManager.default.fileExists(atPath: root.appending(path: link).path),
          "\(document) links to \(link)")
      }
      // A name before a block, as in `Sources/photo/Photo.swift`:, is a file of the reader's.
      let names = text.matches(
        of: /`((?:Sources|Tests|Tools|Examples|include|Proto|docs|Models)\/[\w.+\/-]+)`(?!:\n)/)
      for name in names.map({ String($0.1) }) {
        #expect(
          FileManager.default.fileExists(atPath: Checkout.root.appending(path: name).path),
          "\(document) names \(name)")
      }
    }
  }

  @Test func quickStartIsTwoCommands() throws {
    #expect(try Self.blocks("sh")[0] == "make demo\nmake test\n")
  }

  @Test func cExample() throws {
    let folder = try Self.workFolder()
    try folder.write("photo.c", try Self.blocks("c")[0].utf8)
    let command = try Self.shell(try Self.blocks("sh")[1], in: folder).succeeded()
    #expect(command.output == "a face at 177 120, 181 x 218 pixels\n")
  }

  @Test func socketExamples() throws {
    let folder = try Self.workFolder()
    // The engine must end with the script.
    let served = try Self.blocks("sh")[3]
    let connecting = try Self.blocks("c")[1].trimmingCharacters(in: .newlines)
    let program = try Self.blocks("c")[0].split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.contains("face_load_model") ? connecting : String($0)
    }
    #expect(program.contains(connecting))
    try folder.write("photo.c", program.joined(separator: "\n").utf8)
    let script = "trap 'kill $(jobs -p)' EXIT\n" + served + (try Self.blocks("sh")[1])
    let command = try Self.shell(script, in: folder).succeeded()
    #expect(command.lines.filter { $0.hasSuffix("1 face") }.count == 2)
    #expect(command.output.hasSuffix("a face at 177 120, 181 x 218 pixels\n"))
  }

  /// The first block of each document that has `part` makes the picture.
  @Test(arguments: [
    ("README.md", "detect --json", "marked.png"), ("docs/command-line.md", "detect --json", "marked.png"),
    ("docs/drawing.md", "", "marked.png"), ("docs/guided-check.md", "--crop crop.png", "crop.png"),
  ])
  func examplesMakeAPicture(document: String, part: String, picture: String) throws {
    let folder = try Self.workFolder()
    let block = try #require(
      try Self.blocks("sh", of: document).first { part.isEmpty || $0.contains(part) })
    let command = try Self.shell(block, in: folder).succeeded()
    #expect(part != "detect --json" || command.output.contains("\"confidence\": 0.9"))
    #expect(FileManager.default.fileExists(atPath: folder.path(picture)))
  }

  /// The whole program of the guided check prints what the page says.
  @Test func guidedCheckProgram() throws {
    guard Clips.hasFFmpeg else {
      FileHandle.standardError.write(
        Data("SKIPPED: check.c of docs/guided-check.md, because ffmpeg is not installed\n".utf8))
      return
    }
    let page = "docs/guided-check.md"
    let folder = try Self.workFolder()
    try folder.write("check.c", try Self.blocks("c", of: page)[0].utf8)
    let block = try #require(try Self.blocks("sh", of: page).first { $0.contains("cc check.c") })
    let command = try Self.shell(block, in: folder).succeeded()
    let text = try String(contentsOf: Checkout.root.appending(path: page), encoding: .utf8)
    #expect(command.output.hasSuffix(": finish\n40: Done\n") && text.contains("```\n\(command.output)```"))
    #expect(FileManager.default.fileExists(atPath: folder.path("face.png")))
  }

  /// Runs all blocks if there is ffmpeg, which also makes the clip; otherwise those that do not need it.
  @Test func liveVideoExamples() throws {
    let folder = try Self.workFolder()
    let block = try Self.blocks("sh", of: "docs/live-video.md")[0]
    let lines = block.split(separator: "\n").filter { Clips.hasFFmpeg || !$0.contains("clip.mp4") }
    if Clips.hasFFmpeg {
      try Self.shell(
        "ffmpeg -v error -loop 1 -framerate 30 -t 0.5 -i Examples/photos/grace_hopper.jpg clip.mp4",
        in: folder
      ).succeeded()
    } else {
      FileHandle.standardError.write(
        Data("SKIPPED: the clips of docs/live-video.md, because ffmpeg is not installed\n".utf8))
    }
    let command = try Self.shell(lines.joined(separator: "\n"), in: folder).succeeded()
    #expect(command.lines.count == 2 && command.output.contains("\"pose\""))
    guard Clips.hasFFmpeg else { return }
    let faces = try String(contentsOfFile: folder.path("faces.jsonl"), encoding: .utf8)
    #expect(faces.split(separator: "\n").count == 15)
    let marked = try Data(contentsOf: URL(filePath: folder.path("marked.y4m")))
    #expect(marked.starts(with: Data("YUV4MPEG2 W512 H600 F30:1".utf8)))
  }

  /// B3: the blurred video has all frames and its sound.
  @Test(.enabled(if: Clips.hasFFmpeg)) func theFacesOfAVideoAreBlurred() throws {
    let folder = try Self.workFolder()
    try Self.shell(
      "ffmpeg -v error -loop 1 -framerate 30 -i Examples/photos/grace_hopper.jpg -f lavfi -i sine -t 0.5 clip.mp4",
      in: folder
    ).succeeded()
    let block = try #require(try Self.blocks("sh", of: "docs/live-video.md").first { $0.contains("--blur") })
    try Self.shell(block, in: folder).succeeded()
    let streams = try Self.shell(
      "ffprobe -v error -count_frames -show_entries stream=codec_type,nb_read_frames -of csv=p=0 blurred.mp4",
      in: folder)
    #expect(streams.lines.contains("video,15"), "\(streams.output)")
    #expect(streams.output.contains("audio"), "\(streams.output)")
    let covered = try Self.shell(
      "ffmpeg -v error -i blurred.mp4 -frames:v 1 blurred.png && ffmpeg -v error -i clip.mp4 -frames:v 1 sharp.png",
      in: folder)
    #expect(covered.status == 0, "\(covered.errors)")
    let pictures = try ["blurred.png", "sharp.png"].map {
      try [UInt8](Data(contentsOf: URL(filePath: folder.path($0)))).decoded()
    }
    let differing = (160..<300).reduce(0) { sum, y in
      sum + (200..<330).count { pictures[0][$0, y].distance(to: pictures[1][$0, y]) > 10 }
    }
    #expect(differing > 9000)
  }
}
