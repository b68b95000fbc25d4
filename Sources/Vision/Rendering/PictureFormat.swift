public import FaceCore
import Imaging

/// The format of a picture file that is written.
public enum PictureFormat: Sendable {
  case png, jpeg, webP

  /// The quality of JPEG and WebP, at which most photos look like their PNG.
  fileprivate static let quality = 90

  /// The format by the extension of a file name, in any case; PNG for a device such as /dev/stdout. Throws
  /// `invalidArgument` for any other name.
  public init(ofFile path: String) throws(Status) {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    switch ending {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg
    case "webp": self = .webP
    default:
      guard ending == nil, path.hasPrefix("/dev/"), !path.hasPrefix("/dev/shm/") else {
        throw Status(
          .invalidArgument, "\(path): pictures are saved as PNG, JPEG or WebP; name it .png, .jpg or .webp")
      }
      self = .png
    }
  }
}

extension Canvas {
  /// Returns the picture as a PNG file. Throws `resourceExhausted`.
  public func png() throws(Status) -> [UInt8] { try file(.png) }

  /// Returns the picture as a file. Throws `resourceExhausted`, and `outOfRange` for a picture too large for the
  /// format.
  public func file(_ format: PictureFormat) throws(Status) -> [UInt8] {
    try file { (bitmap, hasAlpha, metadata) throws(Status) in
      switch format {
      case .png: try PNGEncoder.encode(bitmap, hasAlpha: hasAlpha, metadata)
      case .webP:
        try WebPEncoder.encode(bitmap, quality: PictureFormat.quality, hasAlpha: hasAlpha, metadata)
      case .jpeg where !hasAlpha: try JPEGEncoder.encode(bitmap, quality: PictureFormat.quality, metadata)
      // A JPEG has no transparency.
      case .jpeg:
        try withBitmap { (bitmap) throws(Status) in
          try JPEGEncoder.encode(bitmap, quality: PictureFormat.quality, metadata)
        }
      }
    }
  }
}
