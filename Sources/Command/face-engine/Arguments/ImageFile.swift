import FaceCore
import Posix

/// Reads image files.
enum ImageFile {
  /// Far more than the file of the largest image needs.
  static let maxBytes = 256 << 20

  /// Reads a file. Throws like `File.read`.
  /// - Parameter name: replaces the path in errors, if the path is printed next to them.
  static func read(_ path: String, calledInErrors name: String? = nil) throws(Status) -> [UInt8] {
    try File.read(path, limit: maxBytes, calledInErrors: name)
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
