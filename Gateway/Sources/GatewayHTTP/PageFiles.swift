import FaceCore
import NIOCore
import Posix

/// The files of the web page, read and compressed when the gateway starts.
package struct PageFiles: Sendable {
  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml; charset=utf-8",
    "json": "application/json; charset=utf-8", "jpg": "image/jpeg",
  ]

  private let files: [String: StaticFile]

  /// - Parameter folder: the folder of the files; `nil` if there is none.
  package init(folder: String?) {
    var files: [String: StaticFile] = [:]
    for name in folder.flatMap({ try? FileSystem.names(in: $0) }) ?? [] {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      let isPlain = name.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x2e
      }
      guard let folder, isPlain, parts.count == 2, let type = Self.types[String(parts[1])],
        let bytes = try? File.read("\(folder)/\(name)", limit: 4 << 20)
      else { continue }
      files[name] = StaticFile(ByteBuffer(bytes: bytes), type: type)
    }
    self.files = files
  }

  /// The page's folder in an installation, or next to the program where it was built.
  package static func standardFolder() -> String? {
    guard let program = CurrentProcess.program, let slash = program.lastIndex(of: "/") else { return nil }
    let beside = program[..<slash]
    return ["\(beside)/../share/face-engine/page", "\(beside)/../../../Page"].first {
      FileSystem.isReadable("\($0)/index.html")
    }
  }

  func answer(_ name: String, to call: HTTPCall) throws(Status) -> HTTPAnswer {
    if let file = files[name] { return file.answer(to: call) }
    throw Status(
      .notFound,
      files.isEmpty
        ? "the page is not installed; give the folder of its files with --page"
        : "there is no such file of the page")
  }
}
