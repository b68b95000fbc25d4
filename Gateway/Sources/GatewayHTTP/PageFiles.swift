import FaceCore
import Posix

/// The files of the web page, from one folder.
package struct PageFiles: Sendable {
  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml; charset=utf-8",
    "json": "application/json; charset=utf-8", "jpg": "image/jpeg",
  ]

  /// The folder; `nil` if there is none.
  let folder: String?
  private let cache = PageCache()

  package init(folder: String?) {
    self.folder = folder
  }

  /// The page's folder in an installation, or next to the program where it was built.
  package static func standardFolder() -> String? {
    guard let program = CurrentProcess.program, let slash = program.lastIndex(of: "/") else { return nil }
    let beside = program[..<slash]
    return ["\(beside)/../share/face-engine/page", "\(beside)/../../../Page"].first {
      FileSystem.isReadable("\($0)/index.html")
    }
  }

  func file(_ name: String) throws(Status) -> HTTPAnswer {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = name.utf8.allSatisfy { byte in
      (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x2e
    }
    guard let folder, isPlain, parts.count == 2, let type = Self.types[String(parts[1])],
      let bytes = cache.bytes("\(folder)/\(name)")
    else {
      throw Status(.notFound, "there is no such file of the page")
    }
    var answer = HTTPAnswer(type: type, body: bytes, isShared: true)
    answer.headers.append(("cache-control", "no-cache"))
    return answer
  }

  func index() throws(Status) -> HTTPAnswer {
    guard folder != nil else {
      throw Status(.notFound, "the page is not installed; give the folder of its files with --page")
    }
    return try file("index.html")
  }
}
