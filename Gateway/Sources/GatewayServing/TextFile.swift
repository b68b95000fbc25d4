package import FaceCore
import Glibc

/// Reads small files.
package enum TextFile {
  /// Reads a file. Throws `notFound` if it cannot be read, and `outOfRange` if it has more than 4 MiB.
  package static func read(_ path: String) throws(Status) -> [UInt8] {
    guard let file = fopen(path, "re") else {
      throw Status(.notFound, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= 4 << 20 else { throw Status(.outOfRange, "\(path) has more than 4 MiB") }
    }
  }
}
