import Foundation
import Synchronization

/// The lines that face-engine printed for programs. Tools/swift_tests.py names a folder for them, and holds all of them
/// against the schema at its end.
enum JSONLines {
  private static let file: Mutex<FileHandle?> = {
    guard let folder = ProcessInfo.processInfo.environment["FACE_ENGINE_JSON_LINES"] else {
      return Mutex(nil)
    }
    let path = "\(folder)/\(getpid())"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return Mutex(FileHandle(forWritingAtPath: path))
  }()

  /// Keeps the lines among `lines` that the schema describes: they begin with its version. The last one of a program
  /// that was killed may be a part.
  static func keep(_ lines: some Sequence<some StringProtocol>) {
    file.withLock { file in
      guard let file else { return }
      for line in lines where line.hasPrefix(#"{"schemaVersion": "#) && line.hasSuffix("}") {
        try? file.write(contentsOf: Data("\(line)\n".utf8))
      }
    }
  }
}
