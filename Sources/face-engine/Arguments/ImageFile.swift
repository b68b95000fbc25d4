import FaceCore
import Posix

/// Reads the images that are named on the command line.
enum ImageFile {
  /// An encoded file of the largest image is far smaller.
  private static let maxBytes = 256 << 20

  /// Throws as `File.read`, and says so where a name is not UTF-8.
  static func read(_ path: String) throws(Status) -> [UInt8] {
    do {
      return try File.read(path, limit: maxBytes)
    } catch {
      // Swift has put this character where an argument was not UTF-8.
      guard error.code == .notFound, path.contains("\u{FFFD}") else { throw error }
      throw Status(.invalidArgument, "its name is not UTF-8; rename the file, or a folder above it")
    }
  }
}

/// `Array.withUnsafeBytes` with a typed error.
func withBytes<Result>(
  of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Status) -> Result
) throws(Status) -> Result {
  let outcome = bytes.withUnsafeBytes { buffer in
    Swift.Result { () throws(Status) in try body(buffer) }
  }
  return try outcome.get()
}
