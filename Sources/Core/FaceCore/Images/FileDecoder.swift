/// The kinds of picture files that are decoded.
public enum PictureKind: UInt8, Sendable, CaseIterable {
  case jpeg = 1
  case png
  case webP
  case heif
  case tiff
  case bmp
  case gif

  public var name: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webP: "WebP"
    case .heif: "HEIC or AVIF"
    case .tiff: "TIFF"
    case .bmp: "BMP"
    case .gif: "GIF"
    }
  }

  /// Whether a decoder of this kind checks the token of its call every few milliseconds. The libraries of the
  /// other kinds cannot be interrupted.
  public var canBeStopped: Bool { self == .jpeg || self == .png }
}

/// Decodes picture files for the calls of several users. Safe to use from any thread.
public protocol FileDecoders: Sendable {
  func decoder(for user: UInt32) -> any FileDecoder
  var counts: DecoderCounts { get }
  /// The reason why nothing can be decoded now; `nil` while it can.
  var failure: Status? { get }
  /// Asks the processes that start decoders for a sign, so that `failure` tells of those that give none.
  func probe()
  /// Calls `handler`, which replaces the last one, with everything that happens from now on, on a thread of the
  /// decoders. Throws `resourceExhausted` if there is no thread for that.
  func watch(_ handler: @escaping @Sendable (DecoderEvent) -> Void) throws(Status)
}

/// An event of the processes that decode.
public enum DecoderEvent: Equatable, Sendable {
  /// A process has ended by itself while it decoded a picture of this kind for this user; `end` says how.
  case lost(PictureKind, user: UInt32, end: String)
  /// A process that starts decoders has ended, or did not answer for long, and is replaced.
  case replaced
  case failureChanged
  /// No process that starts decoders is left, and this process cannot start one: nothing will be decoded again.
  case ended
}

/// Counts of processes that decode.
public struct DecoderCounts: Equatable, Sendable {
  /// Processes that work on a call now.
  public var busy = 0
  /// Processes that were killed because their call ended early.
  public var killed = 0
  /// Processes that ended by themselves while they worked on a call.
  public var lost = 0

  public init() {}
}

/// Decodes picture files for calls elsewhere than on their thread: in a process that can be killed.
public protocol FileDecoder: Sendable {
  /// Whether it also takes the kinds that can be stopped between rows.
  var takesAllKinds: Bool { get }

  /// Reads the header of a file. Throws the error of its decoder, `unavailable` if there is no process, and
  /// the token's error.
  /// - Parameter file: copied.
  func open(
    _ file: UnsafeRawBufferPointer, _ kind: PictureKind, _ token: CancellationToken?
  ) throws(Status) -> any OpenedFile
}

/// A file whose header was read. One thread at a time.
public protocol OpenedFile: AnyObject {
  /// The stored size, within `ImageLimits`.
  var size: PixelSize { get }
  /// The orientation from the file's EXIF; `nil` if there is none.
  var orientation: Orientation? { get }
  /// The bytes that decoding takes beside the file and the pixels.
  var workBytes: Int { get }

  /// Reads what the file says about its pixels. Throws as `FileDecoder.open`.
  func metadata(_ token: CancellationToken?) throws(Status) -> PictureMetadata

  /// Decodes the file; can be repeated. Throws as `FileDecoder.open`.
  /// - Parameters:
  ///   - form: what the pixels are to be.
  ///   - size: their size, which `form` gives.
  /// - Returns: blue, green, red and alpha, rows without a gap.
  func decode(
    _ form: PixelForm, size: PixelSize, _ token: CancellationToken?
  ) throws(Status) -> any PixelMemory
}

/// The form in which the pixels of a file are decoded.
public struct PixelForm: Equatable, Sendable {
  /// The scale of a JPEG in eighths: 1, 2, 4 or 8; 8 for other kinds.
  public var eighths: Int
  /// Whether transparency is kept, with colours that are not multiplied by it, instead of blended with white.
  public var keepsAlpha: Bool
  /// Whether colours stay as the file's ICC profile means them, instead of becoming sRGB by its gamma.
  public var keepsProfile: Bool

  public init(eighths: Int = 8, keepsAlpha: Bool = false, keepsProfile: Bool = false) {
    self.eighths = eighths
    self.keepsAlpha = keepsAlpha
    self.keepsProfile = keepsProfile
  }
}

/// Memory with pixels, released when no longer referenced.
public protocol PixelMemory: AnyObject {
  var bytes: UnsafeMutableRawBufferPointer { get }
}
