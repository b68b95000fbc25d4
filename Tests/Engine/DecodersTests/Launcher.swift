import FaceCore
import Foundation
import Posix
import TestSupport
import Testing

/// A program that runs lines of a shell, after it has written its number to a file.
struct Launcher {
  /// The engine's program, from which decoders are started.
  static let engine =
    "\(Fixture.repository)/\(Environment.value("FACE_ENGINE_BUILD") ?? ".build/release")/face-engine"

  private let folder: TemporaryFolder
  let program: String

  /// Becomes the engine's program, with `stops` after it was stopped and continued; from its second run on only if
  /// `again` says so.
  init(again: Bool = true, stops: Bool = false) throws {
    try self.init(
      (again ? "" : "[ -e $0.id.old ] && exit 1\ntouch $0.id.old\n") + (stops ? "kill -STOP $$\n" : "")
        + "exec \(Self.engine) \"$@\"")
  }

  init(_ lines: String) throws {
    folder = try TemporaryFolder()
    program = try folder.write(
      "launcher", Array("#!/bin/sh\necho $$ > $0.new && mv $0.new $0.id\n\(lines)\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
  }

  /// The number of the last process.
  var id: pid_t {
    get throws {
      let text = try String(contentsOfFile: "\(program).id", encoding: .utf8)
      return try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    }
  }

  func signal(_ signal: Int32) throws { #expect(Foundation.kill(try id, signal) == 0) }

  /// The children of the last process that have not ended.
  var children: Set<pid_t> {
    get throws {
      let parent = try id
      return Set(
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter {
          child in
          // The name before is in parentheses.
          let stat = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
          let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
          return fields.count > 1 && fields[0] != "Z" && fields[0] != "X" && fields[1] == "\(parent)"
        })
    }
  }
}
