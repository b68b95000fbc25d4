import FaceCore
import Posix

/// Reads image files.
enum ImageFile {
  /// Far more than a file of the largest image has.
  static let maxBytes = 256 << 20

  /// Throws as `File.read`, and `invalidArgument` for a name that is not UTF-8.
  /// - Parameter name: in errors in place of the path, where the path is told beside them.
  static func read(_ path: String, calledInErrors name: String? = nil) throws(Status) -> [UInt8] {
    do {
      return try File.read(path, limit: maxBytes, calledInErrors: name)
    } catch {
      // Swift puts this character in place of invalid UTF-8.
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
