import Imaging
import Posix

/// The kind of an input of frames, found from its first bytes.
public enum InputKind: Equatable, Sendable {
  case y4m
  /// A picture, or nothing that can be read; the engine's error then says why.
  case picture
  /// A video for ffmpeg, with its name of the format where it would take the input for one picture.
  case video(format: String?)

  /// The bytes of a stream that tell its kind.
  public static let beginningBytes = 512
  /// The largest first picture of a video of JPEG files.
  private static let mostOfFile = 64 << 20
  private static let mostBeforePixels = 1 << 16

  /// The kind of a regular file.
  public init(ofFile path: String) {
    let beginning = File.beginning(of: path, limit: InputKind.beginningBytes) ?? []
    if Y4MHeader.signature.withUTF8Buffer({ beginning.starts(with: $0) }) {
      self = .y4m
    } else if let format = InputKind.format(ofFile: path, beginning) {
      self = .video(format: format)
    } else if VideoFileSource.isVideo(path) {
      self = .video(format: nil)
    } else if beginning.withUnsafeBytes(ImageDecoder.isPicture) || PictureFolder.namesPicture(path)
      || InputKind.isText(beginning)
    {
      self = .picture
    } else {
      self = .video(format: nil)
    }
  }

  /// The kind of a stream that is read once and is not Y4M. A text is taken for a damaged one.
  public init(ofStream beginning: [UInt8]) {
    if InputKind.isText(beginning) {
      self = .y4m
    } else {
      self = .video(format: beginning.starts(with: InputKind.jpeg) ? "mjpeg" : nil)
    }
  }

  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]

  /// ffmpeg's name of the format of a file that has several pictures and begins like one.
  private static func format(ofFile path: String, _ beginning: [UInt8]) -> String? {
    if beginning.starts(with: jpeg) {
      if VideoFileSource.isVideo(path) { return "mjpeg" }
      let file = File.beginning(of: path, limit: mostOfFile) ?? []
      return file.withUnsafeBytes(MotionJPEG.isVideo) ? "mjpeg" : nil
    }
    if beginning.starts(with: "GIF8".utf8) { return "gif" }
    // An animation says so before its pixels, a sequence of HEIC or AVIF in its brand.
    // Sources: APNG specification, "acTL"; ISO/IEC 23008-12, 10.3; AV1 Image File Format, 6.3.
    if beginning.starts(with: png) {
      return isAnimated(png: File.beginning(of: path, limit: mostBeforePixels) ?? []) ? "apng" : nil
    }
    let brand = beginning.dropFirst(4).prefix(8)
    return ["ftypavis", "ftyphevc", "ftyphevx", "ftypmsf1"].contains { brand.elementsEqual($0.utf8) }
      ? "mov" : nil
  }

  private static func isAnimated(png file: [UInt8]) -> Bool {
    let name = Array("acTL".utf8)
    guard let control = file.indices.dropLast(7).first(where: { file[$0...].starts(with: name) }) else {
      return false
    }
    return file[control + 4..<control + 8] != [0, 0, 0, 1]
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
  }
}
