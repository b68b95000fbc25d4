import FaceCore
import Posix

/// Reads image files.
enum ImageFile {
  /// Far more than the file of the largest image needs.
  static let maxBytes = 256 << 20

  /// Reads a file. Throws like `File.read`, and `invalidArgument` for a name that is not UTF-8.
  /// - Parameter name: replaces the path in errors, if the path is printed next to them.
  static func read(_ path: String, calledInErrors name: String? = nil) throws(Status) -> [UInt8] {
    do {
      return try File.read(path, limit: maxBytes, calledInErrors: name)
    } catch {
      // Swift replaces invalid UTF-8 by this character.
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
