public import FaceCore

/// Turns a whole JPEG or PNG file into pixels as they are stored, with the orientation its EXIF gives.
public enum ImageDecoder {
  public struct Decoded: ~Copyable {
    public let bitmap: Bitmap
    /// What the file says of itself; `nil` when it says nothing.
    public let orientation: Orientation?
  }

  /// Throws `invalidArgument` for a file that is damaged or of another kind, `outOfRange` for one too large or small.
  public static func decode(_ file: UnsafeRawBufferPointer) throws(Status) -> Decoded {
    switch FileKind(of: file) {
    case .jpeg:
      return Decoded(bitmap: try JPEG.decode(file), orientation: ExifOrientation.read(fromJPEG: file))
    case .png:
      return Decoded(bitmap: try PNG.decode(file), orientation: ExifOrientation.read(fromPNG: file))
    case nil:
      throw Status(
        .invalidArgument,
        file.isEmpty
          ? "image has no bytes; send a whole JPEG or PNG file"
          : "image is neither JPEG nor PNG by its first bytes; convert it, or send raw pixels with their format"
      )
    }
  }
}

/// What a file is, by its first bytes.
enum FileKind {
  case jpeg
  case png

  init?(of file: UnsafeRawBufferPointer) {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else {
      return nil
    }
  }
}
